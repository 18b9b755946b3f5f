// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/select/llama_cpp_draw.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Draws a token with its probability as llama.cpp does: the same seed and logits give its tokens. The candidates are
/// walked in the order that the steps leave behind (by id, by logit, as typical_p left them); float exps, their sum and
/// the running sum in double; the first that reaches u * sum.
///   range   seed of 32 bits
///   draws   two words of a std::mt19937 a token: the result depends on how many tokens were drawn before (carried in
///           the Pick). For draws that depend on the position alone take Multinomial
///   edge    where engines disagree on the order of equal logits: lower id first
///   cost    two walks over the candidates with a scalar exp each (about 2 ms for a whole row of 152,000); after a
///           truncation as good as nothing
///   as in   llama.cpp dist
struct LlamaCppDist {
  static constexpr std::string_view kType = "llama_cpp_dist";
  static constexpr std::string_view kSummary = "draws as llama.cpp does, from a generator of its own";
  static constexpr StepTraits kTraits{.draws = true, .remembers = true, .walks = true};

  std::int64_t seed = 0;

  LlamaCppDist() = default;
  explicit LlamaCppDist(std::uint32_t s) : seed(s) {}

  TokenId select(Candidates& candidates, const StepView& view) const noexcept {
    const float max = candidates.max();
    double sum = 0;
    candidates.walk([&](TokenId, float x) {
      sum += static_cast<double>(detail::math::exp_float(x - max));
      return true;
    });
    const double target = detail::next_uniform(view, seed) * sum;
    double running = 0;
    TokenId chosen = kNoToken;
    candidates.walk([&](TokenId id, float x) {
      const float e = detail::math::exp_float(x - max);
      if (e == 0) return true;
      chosen = id;
      running += static_cast<double>(e);
      return running < target;
    });
    return chosen;
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("seed", self.seed, detail::kSeedRange);
  }
};

LOGITKIT_NAMESPACE_END
