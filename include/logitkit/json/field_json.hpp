// SPDX-License-Identifier: MIT
#pragma once
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "logitkit/process/field.hpp"

// A step's parameter as JSON and back.
LOGITKIT_NAMESPACE_BEGIN
namespace detail {

using Json = nlohmann::ordered_json;

/// NaN and infinities have no JSON number: null.
inline Json number_json(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

struct FieldToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(std::int64_t x) const { return x; }
  Json operator()(double x) const { return number_json(x); }
  Json operator()(const std::string& x) const { return x; }
  Json operator()(const TokenIds& ids) const { return ids; }
  Json operator()(const TokenSequences& sequences) const { return sequences; }
  Json operator()(const TokenBiases& biases) const {
    Json object = Json::object();
    for (const auto& [id, bias] : biases) object[std::to_string(id)] = number_json(bias);
    return object;
  }
  Json operator()(const SequenceBiases& biases) const {
    Json list = Json::array();
    for (const auto& [ids, bias] : biases) list.push_back(Json::array({ids, number_json(bias)}));
    return list;
  }
  Json operator()(const OtherValue& other) const { return other.text; }
};

/// An id in 32 bits; false if it is none.
inline bool read_id(const Json& json, TokenId& id) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned() ? !std::in_range<TokenId>(json.get<std::uint64_t>())
                                : !std::in_range<TokenId>(json.get<std::int64_t>()))
    return false;
  id = json.get<TokenId>();
  return true;
}
inline bool read_id(const std::string& text, TokenId& id) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc{} && end == text.data() + text.size();
}
/// A number, or null for -inf.
inline bool read_bias(const Json& json, double& bias) {
  if (json.is_null()) bias = -std::numeric_limits<double>::infinity();
  if (json.is_number()) bias = json.get<double>();
  return json.is_null() || json.is_number();
}
template <class List, class ReadOne>
bool read_list(const Json& json, List& list, ReadOne read_one) {
  if (!json.is_array()) return false;
  list.clear();
  for (const Json& one : json)
    if (!read_one(one, list.emplace_back())) return false;
  return true;
}
inline bool read_ids(const Json& json, TokenIds& ids) {
  return read_list(json, ids, [](const Json& one, TokenId& id) { return read_id(one, id); });
}
inline bool read_sequences(const Json& json, TokenSequences& sequences) { return read_list(json, sequences, read_ids); }
inline bool read_sequence_biases(const Json& json, SequenceBiases& biases) {
  return read_list(json, biases, [](const Json& one, std::pair<TokenIds, double>& bias) {
    return one.is_array() && one.size() == 2 && read_ids(one[0], bias.first) && read_bias(one[1], bias.second);
  });
}
inline bool read_biases(const Json& json, TokenBiases& biases) {
  if (!json.is_object()) return false;
  biases.clear();
  for (const auto& [key, value] : json.items()) {
    auto& [id, bias] = biases.emplace_back();
    if (!read_id(key, id) || !read_bias(value, bias)) return false;
  }
  return true;
}

/// The value that a JSON text holds; OtherValue with the text where no parameter looks like it.
inline FieldValue field_from_json(const Json& json) {
  if (json.is_null()) return std::monostate{};
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>())) return json.get<double>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  TokenIds ids;
  if (read_ids(json, ids)) return ids;
  TokenSequences sequences;
  if (read_sequences(json, sequences)) return sequences;
  SequenceBiases sequence_biases;
  if (read_sequence_biases(json, sequence_biases)) return sequence_biases;
  TokenBiases biases;
  if (read_biases(json, biases)) return biases;
  return OtherValue{json.dump()};
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
