// SPDX-License-Identifier: MIT
#pragma once
#include <map>

#include "logitkit/json/field_json.hpp"
#include "logitkit/pipeline/diagnostic.hpp"
#include "logitkit/pipeline/spec.hpp"
#include "logitkit/pipeline/step_types.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The custom steps that {"type":"custom","name":...} may name.
class StepRegistry {
 public:
  /// Registers a step under a name; a second one of the same name takes its place.
  template <LogitsProcessor F>
  StepRegistry& add(const std::string& name, F function) {
    steps_.insert_or_assign(name, Step(step(name, std::move(function))));
    return *this;
  }
  /// Null if there is none.
  const Step* find(const std::string& name) const {
    const auto found = steps_.find(name);
    return found == steps_.end() ? nullptr : &found->second;
  }
  /// The names, for messages.
  std::string names() const {
    std::string text;
    for (const auto& [name, step] : steps_) text += (text.empty() ? "" : ", ") + ('"' + name + '"');
    return text.empty() ? "none (no custom step is registered)" : text;
  }

 private:
  std::map<std::string, Step> steps_;
};

/// {"type":"top_k","k":20}: the type and the parameters that are not at their default. -inf is null.
inline nlohmann::ordered_json to_json(const Step& step) {
  nlohmann::ordered_json json = {{"type", std::string(step.type())}};
  for (const Field& field : step.fields())
    if (!field.is_default) json[std::string(field.key)] = std::visit(detail::FieldToJson{}, field.value);
  return json;
}

/// A list of steps in order. A custom step without a name can be written but not read back.
inline nlohmann::ordered_json to_json(const Spec& spec) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Step& step : spec) json.push_back(to_json(step));
  return json;
}

namespace detail {

inline std::optional<Step> custom_step(const Json& json, const StepRegistry& registry, StepProblem& problem) {
  const auto name = json.find("name");
  for (const auto& [key, value] : json.items())
    if (key != "type" && key != "name") problem = {"unknown_key", key, "unknown key \"" + key + "\", allowed is name"};
  if (name == json.end())
    problem = {"missing_key", "name", "name is missing, allowed are " + registry.names()};
  else if (!name->is_string() || registry.find(*name) == nullptr)
    problem = {"unknown_name", "name", "name is " + name->dump() + ", allowed are " + registry.names()};
  if (!problem.message.empty()) return std::nullopt;
  return *registry.find(*name);
}

inline std::optional<Step> read_step(const Json& json, const StepRegistry& registry, StepProblem& problem) {
  if (!json.is_object()) {
    problem = {"not_an_object", "", "it is " + json.dump() + ", allowed is an object such as {\"type\":\"greedy\"}"};
    return std::nullopt;
  }
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string()) {
    problem = {"unknown_type", "type",
               type == json.end() ? "type is missing" : "type is " + type->dump() + ", allowed is a text"};
    return std::nullopt;
  }
  if (*type == "custom") return custom_step(json, registry, problem);
  Fields fields;
  for (const auto& item : json.items())
    if (item.key() != "type") fields.push_back({item.key(), field_from_json(item.value())});
  return make_step(type->get_ref<const std::string&>(), fields, problem);
}

}  // namespace detail

/// Reads a spec without exceptions. False if a step cannot be read: `diagnostics` then has one error for each, with its
/// index, key, and a message that names the value and what is allowed; `spec` holds the others.
///   codes  not_a_list, not_an_object, unknown_type, unknown_key, missing_key, invalid_parameter, unknown_name
inline bool parse_spec(const nlohmann::ordered_json& json, Spec& spec, std::vector<Diagnostic>& diagnostics,
                       const StepRegistry& registry = {}) {
  spec.steps.clear();
  if (!json.is_array()) {
    diagnostics.push_back({Severity::error, "not_a_list", -1, "",
                           "a spec is " + std::string(json.type_name()) + ", allowed is a list of steps"});
    return false;
  }
  for (std::size_t i = 0; i < json.size(); ++i) {
    detail::StepProblem problem;
    if (std::optional<Step> step = detail::read_step(json[i], registry, problem)) {
      spec.steps.push_back(std::move(*step));
      continue;
    }
    const bool has_type = json[i].is_object() && problem.code != "unknown_type";
    diagnostics.push_back({Severity::error, problem.code, static_cast<int>(i), problem.key,
                           (has_type ? json[i]["type"].get<std::string>() + ": " : "") + problem.message});
  }
  return spec.size() == json.size();
}

/// Reads a spec. Throws SpecError with everything that parse_spec finds.
inline Spec spec_from_json(const nlohmann::ordered_json& json, const StepRegistry& registry = {}) {
  Spec spec;
  std::vector<Diagnostic> diagnostics;
  if (parse_spec(json, spec, diagnostics, registry)) return spec;
  std::string errors;
  for (const Diagnostic& error : diagnostics) errors += (errors.empty() ? "" : "; ") + error.text();
  detail::fail(SpecError(errors));
}

LOGITKIT_NAMESPACE_END
