// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/dfa.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// A finite decimal number, exactly: +-integer.fraction without leading and trailing zeros.
struct Decimal {
  bool negative = false;
  std::string integer, fraction;

  /// Reads a JSON number (fraction and exponent allowed).
  static Decimal parse(std::string_view text) {
    Decimal out;
    out.negative = text.substr(0, 1) == "-";
    const std::size_t exponent_at = text.find_first_of("eE");
    int point = 0;
    bool after_point = false;
    std::string digits;
    for (char c : text.substr(0, exponent_at)) {
      if (c == '.') after_point = true;
      if (c < '0' || c > '9') continue;
      digits.push_back(c);
      if (!after_point) ++point;
    }
    if (exponent_at != std::string_view::npos) {
      int exponent = 0;
      for (char c : text.substr(exponent_at))
        if (c >= '0' && c <= '9') exponent = std::min(exponent * 10 + (c - '0'), 10'000);
      point += text.find('-', exponent_at) != std::string_view::npos ? -exponent : exponent;
    }
    for (; point < 0; ++point) digits.insert(digits.begin(), '0');
    while (point > static_cast<int>(digits.size())) digits.push_back('0');
    const auto split = static_cast<std::size_t>(point);
    out.integer = digits.substr(std::min(digits.find_first_not_of('0'), split),
                                split - std::min(digits.find_first_not_of('0'), split));
    out.fraction = digits.substr(split);
    out.fraction.resize(out.fraction.find_last_not_of('0') + 1);
    if (out.is_zero()) out.negative = false;
    return out;
  }
  bool is_zero() const { return integer.empty() && fraction.empty(); }
  bool is_integer() const { return fraction.empty(); }
  /// Without exponent.
  std::string text() const {
    return (negative ? "-" : "") + (integer.empty() ? std::string("0") : integer) +
           (fraction.empty() ? "" : "." + fraction);
  }
};

/// What JSON Schema may ask of a number.
struct NumberBounds {
  struct Bound {
    Decimal value;
    bool exclusive = false;
  };
  bool integer = false;
  std::vector<Bound> least, most;    // all of them hold
  std::vector<Decimal> multiple_of;  // positive

  bool none() const { return least.empty() && most.empty() && multiple_of.empty(); }
};

/// The spellings without exponent of the numbers within `bounds`, as an automaton that reads digit by digit and
/// remembers how the magnitude compares with each bound and its remainders. Exact for any number of digits. Error texts
/// begin with `where`.
class NumberAutomaton {
 public:
  static Dfa build(const NumberBounds& bounds, const std::string& where) {
    NumberAutomaton automaton(bounds, where);
    const auto step = [&](const Key& key, std::int32_t symbol) { return automaton.step(key, symbol); };
    const auto accept = [&](const Key& key) { return automaton.accepts(key); };
    Alphabet alphabet =
        Alphabet::make({'-', '.', '/', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ':'}, [](char32_t c) {
          return c >= '0' && c <= '9' ? static_cast<int>(c - '0') : c == '-' ? kMinus : c == '.' ? kPoint : kOther;
        });
    // symbols are numbered by first appearance
    automaton.meaning_.resize(static_cast<std::size_t>(alphabet.size), kOther);
    for (int i = 0; i < 10; ++i)
      automaton.meaning_[static_cast<std::size_t>(alphabet.of(static_cast<char32_t>('0' + i)))] = i;
    automaton.meaning_[static_cast<std::size_t>(alphabet.of('-'))] = kMinus;
    automaton.meaning_[static_cast<std::size_t>(alphabet.of('.'))] = kPoint;
    return explore(std::move(alphabet), automaton.start(), step, accept, where);
  }

 private:
  static constexpr int kMinus = 10, kPoint = 11, kOther = 12;
  static constexpr std::uint32_t kMaxModulus = 1'000'000;
  enum class Phase : std::uint8_t { start, sign, zero, integer, point, fraction };

  struct Key {
    Phase phase = Phase::start;
    bool negative = false;
    std::uint32_t digits = 0;          // of the integer part or of the fraction, up to where more make no difference
    std::vector<std::int8_t> order{};  // magnitude so far against each bound: -1, 0, 1
    std::vector<std::uint32_t> remainder{};
    auto operator<=>(const Key&) const = default;
  };
  struct Multiple {
    std::uint32_t modulus, digits;  // modulus / 10^digits
  };

  NumberAutomaton(const NumberBounds& bounds, const std::string& where) : integer_(bounds.integer) {
    for (const auto& bound : bounds.least) bounds_.push_back({bound, true});
    for (const auto& bound : bounds.most) bounds_.push_back({bound, false});
    for (const auto& [bound, least] : bounds_) {
      integer_digits_ = std::max(integer_digits_, static_cast<std::uint32_t>(bound.value.integer.size()) + 1);
      fraction_digits_ = std::max(fraction_digits_, static_cast<std::uint32_t>(bound.value.fraction.size()));
    }
    for (const Decimal& d : bounds.multiple_of) {
      std::uint64_t modulus = 0;
      for (char c : d.integer + d.fraction)
        modulus = std::min<std::uint64_t>(modulus * 10 + static_cast<std::uint64_t>(c - '0'), kMaxModulus + 1);
      if (modulus > kMaxModulus || d.fraction.size() > 9)
        refuse(where + ": \"multipleOf\" with more than 6 significant digits or 9 decimals is not supported");
      multiples_.push_back({static_cast<std::uint32_t>(modulus), static_cast<std::uint32_t>(d.fraction.size())});
      fraction_digits_ = std::max(fraction_digits_, multiples_.back().digits);
    }
  }

  Key start() const {
    Key key;
    key.order.resize(bounds_.size());
    key.remainder.resize(multiples_.size());
    return key;
  }

  std::optional<Key> step(Key key, std::int32_t symbol) const {
    const int c = meaning_[static_cast<std::size_t>(symbol)];
    switch (key.phase) {
      case Phase::start:
        if (c == kMinus) {
          key.phase = Phase::sign;
          key.negative = true;
          return key;
        }
        [[fallthrough]];
      case Phase::sign:
        if (c > 9) return std::nullopt;
        if (c == 0) {
          key.phase = Phase::zero;
          return key;
        }
        key.phase = Phase::integer;
        integer_digit(key, c);
        return key;
      case Phase::zero:
      case Phase::integer:
        if (c == kPoint && !integer_) {
          end_integer(key);
          key.phase = Phase::point;
          return key;
        }
        if (c > 9 || key.phase == Phase::zero) return std::nullopt;
        integer_digit(key, c);
        return key;
      case Phase::point:
      case Phase::fraction:
        if (c > 9) return std::nullopt;
        key.phase = Phase::fraction;
        return fraction_digit(key, c) ? std::optional(key) : std::nullopt;
    }
    return std::nullopt;
  }

  void integer_digit(Key& key, int c) const {
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const std::string& digits = bounds_[i].first.value.integer;
      if (key.order[i] == 0 && key.digits < digits.size()) key.order[i] = compare(c, digits[key.digits] - '0');
    }
    key.digits = std::min(key.digits + 1, integer_digits_);
    for (std::size_t i = 0; i < multiples_.size(); ++i)
      key.remainder[i] = (key.remainder[i] * 10 + static_cast<std::uint32_t>(c)) % multiples_[i].modulus;
  }
  void end_integer(Key& key) const {
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const std::size_t length = bounds_[i].first.value.integer.size();
      if (key.digits != length) key.order[i] = key.digits < length ? -1 : 1;
    }
    key.digits = 0;
  }
  // false: the number can no longer be a multiple
  bool fraction_digit(Key& key, int c) const {
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const std::string& digits = bounds_[i].first.value.fraction;
      if (key.order[i] == 0) key.order[i] = compare(c, key.digits < digits.size() ? digits[key.digits] - '0' : 0);
    }
    for (std::size_t i = 0; i < multiples_.size(); ++i) {
      if (key.digits < multiples_[i].digits)
        key.remainder[i] = (key.remainder[i] * 10 + static_cast<std::uint32_t>(c)) % multiples_[i].modulus;
      else if (c != 0)
        return false;
    }
    key.digits = std::min(key.digits + 1, fraction_digits_);
    return true;
  }

  bool accepts(Key key) const {
    if (key.phase != Phase::zero && key.phase != Phase::integer && key.phase != Phase::fraction) return false;
    if (key.phase != Phase::fraction) end_integer(key);
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const auto& [bound, least] = bounds_[i];
      const bool rest = key.order[i] == 0 && key.digits < bound.value.fraction.size();
      int order = rest ? -1 : key.order[i];  // of the magnitudes
      if (key.negative != bound.value.negative && !(is_zero(key, i) && bound.value.is_zero()))
        order = key.negative ? -1 : 1;  // of the numbers: the signs say it all
      else if (key.negative)
        order = -order;
      if (order == 0 ? bound.exclusive : (order < 0) == least) return false;
    }
    for (std::size_t i = 0; i < multiples_.size(); ++i) {
      std::uint64_t remainder = key.remainder[i];
      for (std::uint32_t d = key.digits; d < multiples_[i].digits; ++d)
        remainder = remainder * 10 % multiples_[i].modulus;
      if (remainder != 0) return false;
    }
    return true;
  }
  // the magnitude is that of the bound, so with a bound of zero the number is zero
  static bool is_zero(const Key& key, std::size_t i) { return key.order[i] == 0; }
  static std::int8_t compare(int a, int b) { return static_cast<std::int8_t>((a > b) - (a < b)); }

  bool integer_;
  std::vector<std::pair<NumberBounds::Bound, bool>> bounds_;  // true: a lower bound
  std::vector<Multiple> multiples_;
  std::uint32_t integer_digits_ = 0, fraction_digits_ = 0;
  std::vector<int> meaning_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
