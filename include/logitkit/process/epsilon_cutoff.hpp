// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/top_p.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Keeps the tokens whose probability is at least epsilon (Hewitt et al.).
///   range     epsilon in [0, 1), 0 = off; min_keep >= 1
///   boundary  keeps x >= log-sum-exp + ln(epsilon), compared in double: equality stays
///   ties      every x that equals the min_keep-th largest stays
///   cost      one reading with an exp per logit; no sort
///   as in     HF epsilon_cutoff
struct EpsilonCutoff {
  static constexpr std::string_view kType = "epsilon_cutoff";
  static constexpr std::string_view kSummary = "keeps tokens with at least this probability";
  static constexpr StepTraits kTraits{.truncates = true, .keeps_best = true};

  double epsilon = 0;
  std::int64_t min_keep = 1;

  EpsilonCutoff() = default;
  explicit EpsilonCutoff(double least, KeepOptions options = {}) : epsilon(least), min_keep(options.min_keep) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return epsilon == 0; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    if (is_neutral()) return;
    candidates.keep_at_least(candidates.log_sum_exp() + detail::math::log(epsilon), static_cast<std::size_t>(min_keep),
                             Ties::keep);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("epsilon", self.epsilon, Range{0, 1, false, true});
    f("min_keep", self.min_keep, at_least(1), std::int64_t{1});
  }
};

LOGITKIT_NAMESPACE_END
