// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/top_p.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Keeps the tokens whose probability is at least a threshold that falls where the model is unsure (Hewitt et al.).
///   formula   threshold min(epsilon, sqrt(epsilon) * exp(-H)), H = entropy in nats; compared as logarithms in double
///   range     epsilon in [0, 1), 0 = off; min_keep >= 1
///   boundary  equality stays
///   ties      every x that equals the min_keep-th largest stays
///   cost      two readings with an exp per logit; no sort
///   as in     HF eta_cutoff
struct EtaCutoff {
  static constexpr std::string_view kType = "eta_cutoff";
  static constexpr std::string_view kSummary = "keeps tokens above a probability that falls with the entropy";
  static constexpr StepTraits kTraits{.truncates = true, .keeps_best = true};

  double epsilon = 0;
  std::int64_t min_keep = 1;

  EtaCutoff() = default;
  explicit EtaCutoff(double least, KeepOptions options = {}) : epsilon(least), min_keep(options.min_keep) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return epsilon == 0; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    if (is_neutral()) return;
    const double ln_epsilon = detail::math::log(epsilon);
    const double ln_least = std::min(ln_epsilon, ln_epsilon / 2 - candidates.entropy());
    candidates.keep_at_least(candidates.log_sum_exp() + ln_least, static_cast<std::size_t>(min_keep), Ties::keep);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("epsilon", self.epsilon, Range{0, 1, false, true});
    f("min_keep", self.min_keep, at_least(1), std::int64_t{1});
  }
};

LOGITKIT_NAMESPACE_END
