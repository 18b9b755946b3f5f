// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/rounded.hpp"
#include "logitkit/process/temperature.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Divides every logit by a temperature between T - range and T + range: low where the model is sure, high where it is
/// not.
///   formula   low + (T + range - low) * (H / ln n)^exponent; low = max(0, T - range), H = entropy in nats of the n
///             candidates
///   range     T in [1e-30, 3e38], range >= 0, exponent finite; rounded once to float32 before the division
///   edge      range = 0 is Temperature(T); one candidate: nothing changes; a result below 1e-30 keeps the best only
///   cost      one reading with an exp per logit
///   as in     llama.cpp dynatemp
struct DynamicTemperature {
  static constexpr std::string_view kType = "dynamic_temperature";
  static constexpr std::string_view kSummary = "divides the logits, by more the less sure the model is";
  static constexpr StepTraits kTraits{.changes_odds = true, .ranks = true};

  double temperature = 1;
  double range = 0;
  double exponent = 1;

  DynamicTemperature() = default;
  explicit DynamicTemperature(double t, double around, double power = 1)
      : temperature(t), range(around), exponent(power) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return range == 0 && static_cast<float>(temperature) == 1.0f; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    if (is_neutral()) return;
    if (range == 0) return candidates.divide(static_cast<float>(temperature));
    const std::size_t n = candidates.survivors();
    if (n <= 1) return;
    const double low = std::max(0.0, temperature - range), high = temperature + range;
    const double share = std::max(0.0, candidates.entropy()) / detail::math::log(static_cast<double>(n));
    const double t = low + detail::rounded((high - low) * detail::math::pow(share, exponent));
    if (!(t >= Temperature::kRange.low)) return candidates.keep_top(1);
    candidates.set_order(Order::by_logit);
    candidates.divide(static_cast<float>(std::min(t, Temperature::kRange.high)));
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("temperature", self.temperature, Temperature::kRange);
    f("range", self.range, at_least(0));
    f("exponent", self.exponent, finite(), 1.0);
  }
};

LOGITKIT_NAMESPACE_END
