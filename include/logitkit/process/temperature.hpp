// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Divides every logit by T: above 1 flattens the distribution, below 1 sharpens it.
///   range   T in [1e-30, 3e38]; rounded once to float32. T = 0 is greedy only where a preset says so
///   domain  logits -> logits, a true float32 division, so distinct logits may become ties (lower id first)
///   edge    T = 1 changes nothing; -inf stays; a logit that becomes +inf: `overflow`
///   cost    nothing on a whole row: later passes divide on the way
///   as in   HF temperature, vLLM, llama.cpp temp for T > 0
struct Temperature {
  static constexpr std::string_view kType = "temperature";
  static constexpr std::string_view kSummary = "divides the logits";
  static constexpr StepTraits kTraits{.changes_odds = true};
  static constexpr Range kRange = within(1e-30, 3e38);

  double temperature = 1;

  Temperature() = default;
  explicit Temperature(double t) : temperature(t) { detail::require_valid(*this); }

  bool is_neutral() const { return static_cast<float>(temperature) == 1.0f; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    candidates.divide(static_cast<float>(temperature));
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("temperature", self.temperature, kRange);
  }
};

LOGITKIT_NAMESPACE_END
