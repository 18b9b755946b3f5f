// SPDX-License-Identifier: MIT
#pragma once
// The results of trace/ as JSON, with their members' names as keys; NaN and infinities are null, fingerprints are texts
// such as "0x00ff..." because not every reader keeps 64 bits of a number.
#include "logitkit/json/result_json.hpp"
#include "logitkit/json/spec_json.hpp"
#include "logitkit/trace/batch_sensitivity.hpp"
#include "logitkit/trace/compare.hpp"
#include "logitkit/trace/sweep.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

inline std::string hex_text(std::uint64_t value) {
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

/// A list, each element as its own to_json gives it.
template <class T>
Json list_json(const std::vector<T>& list) {
  Json json = Json::array();
  for (const T& one : list) json.push_back(to_json(one));
  return json;
}

}  // namespace detail

/// One candidate; `text` only where it has one.
inline nlohmann::ordered_json to_json(const TokenShare& share) {
  nlohmann::ordered_json json = {{"token", share.token},
                                 {"logit", detail::number_json(static_cast<double>(share.logit))},
                                 {"probability", share.probability},
                                 {"rank", share.rank}};
  if (!share.text.empty()) json["text"] = share.text;
  return json;
}

inline nlohmann::ordered_json to_json(const TokenInterval& interval) {
  return {{"token", to_json(interval.token)}, {"low", interval.low}, {"high", interval.high}};
}

inline nlohmann::ordered_json to_json(const Explanation& e) {
  return {{"pick", to_json(e.pick)},
          {"selector", e.selector},
          {"seed", e.seed},
          {"stream", e.stream},
          {"position", e.position},
          {"row", detail::hex_text(e.row)},
          {"uniform", detail::number_json(e.uniform)},
          {"low", e.low},
          {"high", e.high},
          {"nearby", detail::list_json(e.nearby)},
          {"top", detail::list_json(e.top)},
          {"margin", detail::number_json(e.margin)},
          {"flip_distance", detail::number_json(e.flip_distance)}};
}

inline nlohmann::ordered_json to_json(const StepTrace& step) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const Field& field : step.parameters)
    parameters[std::string(field.key)] = std::visit(detail::FieldToJson{}, field.value);
  return {{"step", step.step},
          {"type", step.type},
          {"description", step.description},
          {"rule", step.rule},
          {"parameters", parameters},
          {"candidates_before", step.candidates_before},
          {"candidates_after", step.candidates_after},
          {"changed", step.changed},
          {"mass_removed", step.mass_removed},
          {"entropy", step.entropy},
          {"argmax_changed", step.argmax_changed},
          {"top", detail::list_json(step.top)},
          {"removed", detail::list_json(step.removed)}};
}

inline nlohmann::ordered_json to_json(const Trace& trace) {
  return {{"spec", to_json(trace.spec)}, {"steps", detail::list_json(trace.steps)}, {"draw", to_json(trace.draw)}};
}

inline nlohmann::ordered_json to_json(const SpecDifference& d) {
  return {{"a", d.a},
          {"b", d.b},
          {"total_variation", d.total_variation},
          {"kl_ab", detail::number_json(d.kl_ab)},
          {"kl_ba", detail::number_json(d.kl_ba)},
          {"only_a_count", d.only_a_count},
          {"only_b_count", d.only_b_count},
          {"only_a", detail::list_json(d.only_a)},
          {"only_b", detail::list_json(d.only_b)},
          {"step_a", d.step_a},
          {"step_b", d.step_b},
          {"cause", std::string(name(d.cause))},
          {"why", d.why}};
}
inline nlohmann::ordered_json to_json(const ComparedSpec& spec) {
  return {{"name", spec.name}, {"trace", to_json(spec.trace)}};
}
inline nlohmann::ordered_json to_json(const Comparison& comparison) {
  return {{"specs", detail::list_json(comparison.specs)}, {"pairs", detail::list_json(comparison.pairs)}};
}

inline nlohmann::ordered_json to_json(const SweepPoint& point) {
  return {{"value", point.value},
          {"status", std::string(name(point.status))},
          {"survivors", point.survivors},
          {"entropy", point.entropy}};
}
inline nlohmann::ordered_json to_json(const SweepCurve& curve) {
  return {{"name", curve.name}, {"points", detail::list_json(curve.points)}};
}
inline nlohmann::ordered_json to_json(const Sweep& sweep) {
  return {{"key", sweep.key}, {"curves", detail::list_json(sweep.curves)}};
}

/// A row that never came is null.
inline nlohmann::ordered_json to_json(const BatchSensitivity& s) {
  const auto or_null = [](std::size_t row) {
    return row == BatchSensitivity::kNever ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row);
  };
  return {{"rows", s.rows},
          {"largest_difference", detail::number_json(s.largest_difference)},
          {"largest_at", s.largest_at},
          {"largest_token", s.largest_token},
          {"first_greedy", or_null(s.first_greedy)},
          {"first_draw", or_null(s.first_draw)},
          {"greedy_differences", s.greedy_differences},
          {"draw_differences", s.draw_differences},
          {"greedy_near_ties", s.greedy_near_ties},
          {"draw_near_ties", s.draw_near_ties}};
}

LOGITKIT_NAMESPACE_END
