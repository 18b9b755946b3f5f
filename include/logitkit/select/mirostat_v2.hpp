// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/select/mirostat_mu.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct MirostatV2Options {
  std::optional<std::int64_t> seed = {};  ///< of llama.cpp's generator; absent: the request's stream
};

/// Keeps the surprise of the text near tau bits: drops tokens with a surprise above mu, draws one of the rest, and
/// moves mu by eta times the error.
///   formula  keeps x >= log-sum-exp - mu ln 2 in double, at least the best; mu starts at 2 tau; float32 as llama.cpp
///   range    tau, eta > 0
///   draws    one uniform; with a seed two words of a std::mt19937 (none for a single candidate)
///   state    mu and the words drawn travel in the Pick
///   cost     one reading with an exp per logit
///   as in    llama.cpp mirostat 2
struct MirostatV2 {
  static constexpr std::string_view kType = "mirostat_v2";
  static constexpr std::string_view kSummary = "steers the surprise of the text by a cut";
  static constexpr StepTraits kTraits{.truncates = true, .draws = true, .remembers = true, .walks = true};

  double tau = 5;
  double eta = 0.1;
  std::optional<std::int64_t> seed;

  MirostatV2() = default;
  explicit MirostatV2(double target, double rate, MirostatV2Options options = {})
      : tau(target), eta(rate), seed(options.seed) {
    detail::require_valid(*this);
  }

  TokenId select(Candidates& candidates, const StepView& view) const noexcept {
    RunningValue& mu = detail::mirostat_mu(view, tau);
    constexpr double kLn2 = 0x1.62e42fefa39efp-1;
    candidates.keep_at_least(candidates.log_sum_exp() - detail::rounded(static_cast<double>(mu.numbers[0]) * kLn2));
    return detail::mirostat_draw(candidates, view, seed, mu, tau, eta);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("tau", self.tau, above(0));
    f("eta", self.eta, above(0));
    f("seed", self.seed, detail::kSeedRange);
  }
};

LOGITKIT_NAMESPACE_END
