// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "logitkit/json/field_json.hpp"
#include "logitkit/pipeline/diagnostic.hpp"
#include "logitkit/state/pick.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A pick with its members' names as keys; a log-probability that was not asked for (NaN) is null.
inline nlohmann::ordered_json to_json(const Pick& pick) {
  return {{"token", pick.token},         {"status", std::string(name(pick.status))},
          {"step", pick.step},           {"id", pick.id},
          {"survivors", pick.survivors}, {"logprob", detail::number_json(static_cast<double>(pick.logprob))},
          {"rank", pick.rank},           {"exact", pick.exact}};
}

/// A finding with its members' names as keys.
inline nlohmann::ordered_json to_json(const Diagnostic& diagnostic) {
  return {{"severity", std::string(name(diagnostic.severity))},
          {"code", diagnostic.code},
          {"step", diagnostic.step},
          {"key", diagnostic.key},
          {"message", diagnostic.message}};
}
inline nlohmann::ordered_json to_json(const std::vector<Diagnostic>& diagnostics) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics) json.push_back(to_json(diagnostic));
  return json;
}

LOGITKIT_NAMESPACE_END
