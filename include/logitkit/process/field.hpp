// SPDX-License-Identifier: MIT
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A list of token sequences, a list of (token, number), a list of (sequence, number): as steps hold them.
using TokenIds = std::vector<TokenId>;
using TokenSequences = std::vector<TokenIds>;
using TokenBiases = std::vector<std::pair<TokenId, double>>;
using SequenceBiases = std::vector<std::pair<TokenIds, double>>;

/// Data that no parameter can be made of, kept as text for the message.
struct OtherValue {
  std::string text;
  bool operator==(const OtherValue&) const = default;
};

/// Packed bits, 32 a word; as data a list like TokenIds, but no ids.
struct MaskWords {
  std::vector<std::int32_t> words;
  bool operator==(const MaskWords&) const = default;
};

/// A parameter as data: what JSON holds, without needing JSON. Enumerations are their names.
using FieldValue = std::variant<std::monostate, std::int64_t, double, std::string, TokenIds, TokenSequences,
                                TokenBiases, SequenceBiases, OtherValue>;

/// One parameter of a step: its JSON key, its value, and whether that is the default, which JSON leaves out.
struct Field {
  std::string_view key;
  FieldValue value;
  bool is_default = false;
  bool operator==(const Field&) const = default;
};
using Fields = std::vector<Field>;

/// The values that a parameter may take. NaN is never among them.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_is_open = false;
  bool high_is_open = false;

  constexpr bool contains(double x) const {
    return (low_is_open ? x > low : x >= low) && (high_is_open ? x < high : x <= high);
  }
  /// For example "0 to 1", "above 0 and finite".
  std::string text() const;
};

constexpr Range within(double low, double high) { return {low, high, false, false}; }
constexpr Range at_least(double low) { return {low, std::numeric_limits<float>::max(), false, false}; }
constexpr Range above(double low) { return {low, std::numeric_limits<float>::max(), true, false}; }
/// Representable as a finite float32.
constexpr Range finite() {
  return {-static_cast<double>(std::numeric_limits<float>::max()), std::numeric_limits<float>::max(), false, false};
}

namespace detail {

/// The shortest text that reads back as the same double.
inline std::string number_text(double x) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

inline std::string value_text(std::int64_t x) { return std::to_string(x); }
inline std::string value_text(double x) { return number_text(x); }

template <class T>
std::string out_of_range(std::string_view key, T value, const Range& range) {
  return std::string(key) + " is " + value_text(value) + ", allowed is " + range.text();
}

inline constexpr Range kIdRange = within(0, std::numeric_limits<TokenId>::max());
/// Seeds of a std::mt19937.
inline constexpr Range kSeedRange = within(0, std::numeric_limits<std::uint32_t>::max());

}  // namespace detail

inline std::string Range::text() const {
  const bool has_low = low > -std::numeric_limits<float>::max(), has_high = high < std::numeric_limits<float>::max();
  if (has_low && has_high) {
    std::string text = (low_is_open ? "above " : "") + detail::number_text(low);
    return text + (high_is_open ? " to below " : " to ") + detail::number_text(high);
  }
  if (has_low) return (low_is_open ? "above " : "at least ") + detail::number_text(low) + " and finite";
  if (has_high) return (high_is_open ? "below " : "at most ") + detail::number_text(high) + " and finite";
  return "a finite number";
}

LOGITKIT_NAMESPACE_END
