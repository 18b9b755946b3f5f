// SPDX-License-Identifier: MIT
#pragma once
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "logitkit/core/token.hpp"

/// Results recorded from other engines, in tests/golden/<engine>/<name>.json.
namespace golden {

using Json = nlohmann::json;

/// The list of cases.
inline Json cases(const std::string& engine, const std::string& name) {
  std::ifstream file(std::string(LOGITKIT_GOLDEN_DIR) + "/" + engine + "/" + name + ".json");
  return Json::parse(file)["cases"];
}

/// A list of numbers; null is -inf.
inline std::vector<float> numbers(const Json& list) {
  std::vector<float> row;
  for (const Json& x : list) row.push_back(x.is_null() ? -std::numeric_limits<float>::infinity() : x.get<float>());
  return row;
}

using Ids = std::vector<logitkit::TokenId>;

/// An id, a list of ids, or nothing.
inline Ids ids(const Json& object, const char* key) {
  if (!object.contains(key) || object[key].is_null()) return {};
  return object[key].is_array() ? object[key].get<Ids>() : Ids{object[key].get<logitkit::TokenId>()};
}

}  // namespace golden
