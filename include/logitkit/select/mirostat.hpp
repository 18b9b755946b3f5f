// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/select/mirostat_mu.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct MirostatOptions {
  std::int64_t m = 100;                      ///< how many of the best estimate the slope
  std::optional<std::int64_t> n_vocab = {};  ///< absent: the row's width
  std::optional<std::int64_t> seed = {};     ///< of llama.cpp's generator; absent: the request's stream
};

/// Keeps the surprise of the text near tau bits (Basu et al.): estimates the slope s of a Zipf law from the best m
/// tokens, keeps the k best that give the surprise mu, draws one of them, and moves mu by eta times the error.
///   formula  s = sum t b / sum t^2, t = ln((i + 2) / (i + 1)), b = ln(p_i / p_(i+1)); e = s - 1;
///            k = ((e 2^mu) / (1 - n_vocab^-e))^(1/s), truncated, at least 1; mu starts at 2 tau; float32 as llama.cpp
///   range    tau, eta > 0; m >= 2; n_vocab >= 1
///   draws    one uniform; with a seed two words of a std::mt19937 (none for a single candidate)
///   state    mu and the words drawn travel in the Pick
///   cost     as TopK, and one reading with an exp per logit
///   as in    llama.cpp mirostat 1
struct Mirostat {
  static constexpr std::string_view kType = "mirostat";
  static constexpr std::string_view kSummary = "steers the surprise of the text, by the slope of the best tokens";
  static constexpr StepTraits kTraits{.truncates = true, .draws = true, .remembers = true, .walks = true};

  double tau = 5;
  double eta = 0.1;
  std::int64_t m = 100;
  std::optional<std::int64_t> n_vocab, seed;

  Mirostat() = default;
  explicit Mirostat(double target, double rate, MirostatOptions options = {})
      : tau(target), eta(rate), m(options.m), n_vocab(options.n_vocab), seed(options.seed) {
    detail::require_valid(*this);
  }

  TokenId select(Candidates& candidates, const StepView& view) const noexcept {
    RunningValue& mu = detail::mirostat_mu(view, tau);
    candidates.keep_top(kept(candidates, mu.numbers[0]));
    return detail::mirostat_draw(candidates, view, seed, mu, tau, eta);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("tau", self.tau, above(0));
    f("eta", self.eta, above(0));
    f("m", self.m, at_least(2), std::int64_t{100});
    f("n_vocab", self.n_vocab, at_least(1));
    f("seed", self.seed, detail::kSeedRange);
  }

 private:
  std::size_t kept(Candidates& candidates, float mu) const {
    const auto total = static_cast<float>(candidates.normaliser());
    const float max = candidates.max();
    const auto best = candidates.ranked(static_cast<std::size_t>(m));
    const auto probability = [&](std::size_t i) {
      return detail::math::exp_float(detail::logit_of(best[i]) - max) / total;
    };
    float products = 0, squares = 0;
    for (std::size_t i = 0; i + 1 < best.size(); ++i) {
      const float t = detail::log_float(static_cast<float>(i + 2) / static_cast<float>(i + 1));
      const float b = detail::log_float(probability(i) / probability(i + 1));
      products += detail::rounded(t * b);
      squares += detail::rounded(t * t);
    }
    const float s = products / squares, e = s - 1;
    const auto pow = [](float x, float y) {
      return static_cast<float>(detail::math::pow(static_cast<double>(x), static_cast<double>(y)));
    };
    const auto n = static_cast<float>(n_vocab ? *n_vocab : static_cast<std::int64_t>(candidates.width()));
    const float k = pow(e * pow(2, mu) / (1 - pow(n, -e)), 1 / s);
    if (!(k >= 1)) return 1;  // also where a single candidate has no slope
    return k < static_cast<float>(candidates.size()) ? static_cast<std::size_t>(k) : candidates.size();
  }
};

LOGITKIT_NAMESPACE_END
