// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/build.hpp"
#include "logitkit/trace/distribution.hpp"
#include "logitkit/trace/spec_edit.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What one value of the parameter leaves.
struct SweepPoint {
  double value = 0;
  Status status = Status::ok;
  std::size_t survivors = 0;  ///< candidates that reach the selector
  double entropy = 0;         ///< of their distribution, in nats
};

/// The points of one spec or engine.
struct SweepCurve {
  std::string name;
  std::vector<SweepPoint> points;
};

/// Survivors and entropy over a range of values, for one or more specs.
struct Sweep {
  std::string key;
  std::vector<SweepCurve> curves;
};

/// Makes a spec of a value: an engine's preset with one parameter open.
struct SweptSpec {
  std::string name;
  std::function<Spec(double)> spec;
};

namespace detail {

/// Which parameter of which step a key means: "top_p.p", "top_p" for its first, or "p" where one step only has it.
inline std::pair<std::size_t, std::string> find_parameter(const Spec& spec, std::string_view key) {
  const std::size_t dot = key.find('.');
  const std::string_view type = key.substr(0, dot);
  std::string known;
  std::vector<std::pair<std::size_t, std::string>> by_type, by_key;
  for (std::size_t i = 0; i < spec.size(); ++i)
    for (const Field& field : spec[i].fields()) {
      const bool is_number =
          std::holds_alternative<double>(field.value) || std::holds_alternative<std::int64_t>(field.value);
      if (!is_number) continue;
      known += (known.empty() ? "" : ", ") + std::string(spec[i].type()) + "." + std::string(field.key);
      if (spec[i].type() == type && (dot == key.npos || field.key == key.substr(dot + 1)))
        by_type.emplace_back(i, field.key);
      if (field.key == key) by_key.emplace_back(i, field.key);
    }
  if (!by_type.empty()) return by_type.front();
  if (by_key.size() == 1) return by_key.front();
  fail(SpecError("sweep: key is \"" + std::string(key) + "\", allowed are " +
                 (known.empty() ? "none, the spec has no numbers" : known)));
}

}  // namespace detail

/// Survivors and entropy before the selector, for each spec and value.
///   edge    a row that fails has its status, no survivors and no entropy
///   throws  whatever making or building a spec throws: values outside a parameter's range
inline Sweep sweep(const std::vector<SweptSpec>& specs, std::string_view key, std::span<const double> values,
                   LogitsView row, const Request& request = Request({}, {.seed = 0})) {
  const detail::FloatEnvironment plain;
  Sweep result{std::string(key), {}};
  std::vector<float> left(row.size());
  for (const SweptSpec& swept : specs) {
    SweepCurve curve{swept.name, {}};
    for (const double value : values) {
      Spec spec = swept.spec(value);
      detail::require_no_errors(spec, {});
      if (spec.size() != 0 && spec.steps.back().is_selector()) spec.steps.pop_back();
      SweepPoint point{value};
      point.status = Chain(spec.steps).process(row, request, left);
      if (point.status == Status::ok) {
        const detail::Distribution distribution(left);
        point.survivors = distribution.candidates();
        point.entropy = distribution.entropy();
      }
      curve.points.push_back(point);
    }
    result.curves.push_back(std::move(curve));
  }
  return result;
}

/// Lets one parameter of a spec run through values. `key` names it: "top_p.p"; "top_p" means its first parameter,
/// "p" will do where only one step has it.
///   throws  SpecError if there is no such parameter, or a value is outside its range
inline Sweep sweep(const Spec& spec, std::string_view key, std::span<const double> values, LogitsView row,
                   const Request& request = Request({}, {.seed = 0})) {
  const auto [at, field] = detail::find_parameter(spec, key);
  const auto with_value = [&spec, at = at, field = field](double value) {
    detail::StepProblem problem;
    const std::optional<Step> step = detail::with_fields(spec[at], {{field, value}}, problem);
    if (!step) detail::fail(SpecError("sweep: " + std::string(spec[at].type()) + ": " + problem.message));
    Spec changed = spec;
    changed.steps[at] = *step;
    return changed;
  };
  return sweep({{std::string(key), with_value}}, key, values, row, request);
}

LOGITKIT_NAMESPACE_END
