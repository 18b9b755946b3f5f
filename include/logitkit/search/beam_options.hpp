// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "logitkit/core/error.hpp"
#include "logitkit/core/token.hpp"
#include "logitkit/numeric/scalar_math.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Which tokens are a hypothesis' length.
enum class LengthCounts : std::uint8_t {
  generated,             ///< those that the search added (Hugging Face)
  prompt_and_generated,  ///< and the prompt, without a closing end id (vLLM); long prompts dilute the rule
};

/// How a sum of log-probabilities becomes a score that compares hypotheses of different lengths: sum / divisor(length).
/// Sums are negative, so an exponent above 0 favours long hypotheses, one below 0 short ones, 0 means no rule.
class LengthRule {
 public:
  /// The divisor as a function of the length.
  enum class Formula : std::uint8_t { power, gnmt };

  /// length^a. Throws InvalidParameter unless `a` is within -1e6 to 1e6.
  static LengthRule power(double a, LengthCounts counts = LengthCounts::generated) {
    return {Formula::power, a, counts};
  }
  /// ((5 + length) / 6)^a (Wu et al., "Google's neural machine translation system", 2016). Throws as power().
  static LengthRule gnmt(double a, LengthCounts counts = LengthCounts::generated) { return {Formula::gnmt, a, counts}; }

  /// Which of the two it is.
  Formula formula() const { return formula_; }
  /// a; 0 = the sums themselves are compared.
  double exponent() const { return exponent_; }
  /// What the length counts.
  LengthCounts counts() const { return counts_; }

  /// What the sum is divided by; `ends`: the last generated token is an end id.
  double divisor(std::size_t prompt, std::size_t generated, bool ends) const {
    const std::size_t counted = counts_ == LengthCounts::generated ? generated : prompt + generated - (ends ? 1 : 0);
    const auto length = static_cast<double>(counted);
    return detail::math::pow(formula_ == Formula::power ? length : (5 + length) / 6, exponent_);
  }
  bool operator==(const LengthRule&) const = default;

 private:
  LengthRule(Formula formula, double a, LengthCounts counts) : formula_(formula), exponent_(a), counts_(counts) {
    if (!(a >= -1e6 && a <= 1e6))
      detail::fail(InvalidParameter("length rule: exponent is " + std::to_string(a) + ", allowed is -1e6 to 1e6"));
  }

  Formula formula_;
  double exponent_;
  LengthCounts counts_;
};

/// When a search is over, and who may finish. It is always over when no hypothesis is live, or at max_new_tokens.
enum class StopRule : std::uint8_t {
  as_soon_as_full,  ///< `width` hypotheses are finished (Hugging Face early_stopping=True)
  estimated,   ///< and the best live one, scored at its present length, is no better than the worst of them (False)
  exhaustive,  ///< and no live one can become better, since a sum only falls ("never")
  /// Never before max_new_tokens; each live hypothesis offers its own 2 * width best, and all that end, finish (vLLM).
  run_to_limit,
};

/// What is summed up.
enum class BeamScores : std::uint8_t {
  log_softmax,  ///< the steps run on log_softmax(row), the result is not normalised again (Hugging Face)
  raw,          ///< log_softmax(row); the steps only decide who stays (vLLM)
  processed,    ///< the steps run on the logits; log_softmax of those who stay
};

/// A hypothesis to start from: its tokens count as generated.
struct InitialBeam {
  std::vector<TokenId> tokens;
  double score = 0;  ///< its sum of log-probabilities
  bool operator==(const InitialBeam&) const = default;
};

/// Parameters of BeamSearch; the defaults are Hugging Face's rules.
struct BeamOptions {
  int width = 4;                                ///< live hypotheses, and results, at most; >= 1
  int max_new_tokens = 64;                      ///< length limit of a hypothesis, initial tokens included; >= 1
  LengthRule length = LengthRule::power(1.0);   ///< makes sums of different lengths comparable
  StopRule stop = StopRule::estimated;          ///< when it is over, and who may finish
  BeamScores scores = BeamScores::log_softmax;  ///< what is summed up
  std::vector<InitialBeam> initial = {};  ///< live hypotheses to start from, at most width / groups; empty: the prompt
  int groups = 1;                         ///< searches of width / groups each, which avoid each other's tokens
  /// What a token loses for each hypothesis of an earlier group that has just taken it (Hamming diversity; Vijayakumar
  /// et al., "Diverse beam search", 2016); >= 0. It steers the choice, the scores are without it.
  double diversity = 0;
  bool operator==(const BeamOptions&) const = default;
  /// The width: what most people mean by "the beams".
  explicit operator int() const { return width; }
};

LOGITKIT_NAMESPACE_END
