// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/field.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// The elements between brackets, the first few of a long list.
template <class List, class F>
std::string list_text(const List& list, F element_text) {
  constexpr std::size_t kMost = 8;
  std::string text = "[";
  for (std::size_t i = 0; i < list.size() && i < kMost; ++i) text += (i == 0 ? "" : ", ") + element_text(list[i]);
  return text + (list.size() > kMost ? ", ... " + std::to_string(list.size()) + " in all]" : "]");
}

struct FieldText {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(std::int64_t x) const { return value_text(x); }
  std::string operator()(double x) const { return value_text(x); }
  std::string operator()(const std::string& x) const { return '"' + x + '"'; }
  std::string operator()(const TokenIds& ids) const {
    return list_text(ids, [](TokenId id) { return std::to_string(id); });
  }
  std::string operator()(const TokenSequences& sequences) const { return list_text(sequences, *this); }
  std::string operator()(const TokenBiases& biases) const {
    return list_text(biases, [](const auto& b) { return std::to_string(b.first) + ": " + number_text(b.second); });
  }
  std::string operator()(const SequenceBiases& biases) const {
    return list_text(biases, [this](const auto& b) { return (*this)(b.first) + ": " + number_text(b.second); });
  }
  std::string operator()(const OtherValue& other) const { return other.text; }
};

/// A parameter's value as a short text, for messages and descriptions.
inline std::string value_text(const FieldValue& value) { return std::visit(FieldText{}, value); }

}  // namespace detail
LOGITKIT_NAMESPACE_END
