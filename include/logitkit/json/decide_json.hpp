// SPDX-License-Identifier: MIT
#pragma once
// The results of decide/ as JSON, with their members' names as keys; NaN and infinities are null.
#include <vector>

#include "logitkit/decide/abstain.hpp"
#include "logitkit/decide/calibration.hpp"
#include "logitkit/decide/decision.hpp"
#include "logitkit/json/field_json.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

inline nlohmann::ordered_json numbers_json(const std::vector<double>& numbers) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const double x : numbers) json.push_back(number_json(x));
  return json;
}

}  // namespace detail

/// What a head decided; a failed decision has no probabilities.
inline nlohmann::ordered_json to_json(const Decision& decision) {
  return {{"status", std::string(name(decision.status))},
          {"best", decision.best},
          {"probabilities", detail::numbers_json(decision.probabilities)},
          {"margin", detail::number_json(decision.margin)},
          {"entropy", detail::number_json(decision.entropy)},
          {"mass", detail::number_json(decision.mass)},
          {"scores", detail::numbers_json(decision.scores)}};
}

/// The figures and the bins they come from.
inline nlohmann::ordered_json to_json(const Reliability& reliability) {
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  for (const ReliabilityBin& bin : reliability.bins)
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"count", bin.count},
                    {"confidence", detail::number_json(bin.confidence)},
                    {"accuracy", detail::number_json(bin.accuracy)}});
  return {{"bins", bins},
          {"ece", reliability.ece},
          {"mce", reliability.mce},
          {"brier", reliability.brier},
          {"nll", detail::number_json(reliability.nll)},
          {"accuracy", reliability.accuracy},
          {"count", reliability.count}};
}

/// The fitted temperature, and the held-out rows before and after.
inline nlohmann::ordered_json to_json(const Calibration& calibration) {
  return {{"temperature", calibration.temperature},
          {"before", to_json(calibration.before)},
          {"after", to_json(calibration.after)}};
}

/// What certainty is measured by, and from where on the rule answers.
inline nlohmann::ordered_json to_json(const AbstainRule& rule) {
  return {{"by", std::string(name(rule.by()))}, {"threshold", rule.threshold()}};
}

/// One point, or the whole curve of coverage_accuracy.
inline nlohmann::ordered_json to_json(const CoveragePoint& point) {
  return {
      {"threshold", point.threshold}, {"coverage", point.coverage}, {"accuracy", detail::number_json(point.accuracy)}};
}
inline nlohmann::ordered_json to_json(const std::vector<CoveragePoint>& curve) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const CoveragePoint& point : curve) json.push_back(to_json(point));
  return json;
}

/// The rule, and what it gives on the rows it was fitted to and on others.
inline nlohmann::ordered_json to_json(const AbstainFit& fit) {
  return {{"rule", to_json(fit.rule)}, {"fitted", to_json(fit.fitted)}, {"held_out", to_json(fit.held_out)}};
}

LOGITKIT_NAMESPACE_END
