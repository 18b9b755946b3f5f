// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string>
#include <type_traits>

#include "logitkit/core/error.hpp"
#include "logitkit/process/field.hpp"

// A step lists its parameters once, in `visit(self, f)`: f(key, member), f(key, member, range) or
// f(key, member, range, default). Reading, writing, range checks and the largest id all come from that list.
LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// An enumeration with names: `enum_names(E{})` gives them in order.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  enum_names(E{});
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
FieldValue to_value(const T& member) {
  if constexpr (kIsOptional<T>)
    return member ? to_value(*member) : FieldValue{};
  else if constexpr (NamedEnum<T>)
    return std::string(enum_names(T{})[static_cast<std::size_t>(member)]);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::int64_t>(member);
  else if constexpr (std::is_same_v<T, MaskWords>)
    return member.words;
  else
    return member;
}

/// Puts a value into a member of another type where that loses nothing. False, with what is allowed, if it does not
/// fit.
template <class T>
bool from_value(const FieldValue& value, T& member, std::string& allowed) {
  const auto refuse = [&](const char* what) {
    allowed = what;
    return false;
  };
  const auto* list = std::get_if<TokenIds>(&value);
  const bool is_empty_list = list != nullptr && list->empty();
  if constexpr (kIsOptional<T>) {
    typename T::value_type inner{};
    if (!from_value(value, inner, allowed)) return false;
    member = std::move(inner);
    return true;
  } else if constexpr (NamedEnum<T>) {
    const auto* text = std::get_if<std::string>(&value);
    allowed.clear();
    for (std::size_t i = 0; i < enum_names(T{}).size(); ++i) {
      const std::string_view one = enum_names(T{})[i];
      if (text != nullptr && *text == one) {
        member = static_cast<T>(i);
        return true;
      }
      allowed += (i == 0 ? "\"" : " or \"") + std::string(one) + "\"";
    }
    return false;
  } else if constexpr (std::is_integral_v<T>) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if (real != nullptr && *real == std::trunc(*real) && std::abs(*real) < 9e15) {
      member = static_cast<T>(*real);
      return true;
    }
    if (whole == nullptr || !std::in_range<T>(*whole)) return refuse("a whole number");
    member = static_cast<T>(*whole);
    return true;
  } else if constexpr (std::is_same_v<T, double>) {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      member = static_cast<double>(*whole);
    else if (const auto* real = std::get_if<double>(&value))
      member = *real;
    else
      return refuse("a number");
    return true;
  } else if constexpr (std::is_same_v<T, MaskWords>) {
    if (list == nullptr) return refuse("a list of 32-bit words");
    member.words = *list;
    return true;
  } else {
    if (const auto* same = std::get_if<T>(&value))
      member = *same;
    else if (is_empty_list && !std::is_same_v<T, std::string>)
      member = {};
    else
      return refuse(std::is_same_v<T, std::string>      ? "a text"
                    : std::is_same_v<T, TokenIds>       ? "a list of token ids"
                    : std::is_same_v<T, TokenSequences> ? "a list of lists of token ids"
                    : std::is_same_v<T, TokenBiases>    ? "an object from token id to number or null"
                                                        : "a list of [token ids, number]");
    return true;
  }
}

template <class F, class T>
void for_ids(const T& member, F f) {
  if constexpr (std::is_same_v<T, TokenId>)
    f(member);
  else if constexpr (std::is_same_v<T, TokenIds>)
    for (const TokenId id : member) f(id);
  else if constexpr (std::is_same_v<T, TokenSequences>)
    for (const TokenIds& ids : member) for_ids(ids, f);
  else if constexpr (std::is_same_v<T, TokenBiases>)
    for (const auto& [id, bias] : member) f(id);
  else if constexpr (std::is_same_v<T, SequenceBiases>)
    for (const auto& [ids, bias] : member) for_ids(ids, f);
  else if constexpr (kIsOptional<T>)
    if (member) for_ids(*member, f);
}

struct FieldWriter {
  Fields fields;
  template <class T>
  void operator()(std::string_view key, const T& member) {
    fields.push_back({key, to_value(member), kIsOptional<T> && to_value(member) == FieldValue{}});
  }
  template <class T>
  void operator()(std::string_view key, const T& member, const Range&) {
    (*this)(key, member);
  }
  template <class T>
  void operator()(std::string_view key, const T& member, const Range&, const T& default_value) {
    fields.push_back({key, to_value(member), member == default_value});
  }
};

struct RangeChecker {
  std::string problem;
  template <class T>
  void operator()(std::string_view key, const T& member) {
    for_ids(member, [&](TokenId id) {
      if (problem.empty() && id < 0) problem = out_of_range(key, std::int64_t{id}, kIdRange);
    });
  }
  template <class T>
  void operator()(std::string_view key, const T& member, const Range& range) {
    (*this)(key, member);
    if constexpr (kIsOptional<T>) {
      if (member) (*this)(key, *member, range);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (problem.empty() && !range.contains(member)) problem = out_of_range(key, static_cast<double>(member), range);
    } else if constexpr (std::is_integral_v<T>) {
      if (problem.empty() && !range.contains(static_cast<double>(member)))
        problem = out_of_range(key, static_cast<std::int64_t>(member), range);
    }
  }
  template <class T>
  void operator()(std::string_view key, const T& member, const Range& range, const T&) {
    (*this)(key, member, range);
  }
};

struct IdFinder {
  std::size_t width;
  TokenId found = kNoToken;
  template <class T, class... Rest>
  void operator()(std::string_view, const T& member, const Rest&...) {
    TokenId largest = kNoToken;  // without branches: nearly always there is none past the row
    for_ids(member, [&](TokenId id) { largest = std::max(largest, id); });
    if (largest < 0 || static_cast<std::size_t>(largest) < width) return;
    for_ids(member, [&](TokenId id) {
      if (id >= 0 && static_cast<std::size_t>(id) >= width && (found == kNoToken || id < found)) found = id;
    });
  }
};

template <class T>
concept HasFields = requires(const T& step, FieldWriter& f) {
  T::visit(step, f);
};

template <class T>
Fields fields_of(const T& step) {
  FieldWriter writer;
  if constexpr (HasFields<T>) T::visit(step, writer);
  return std::move(writer.fields);
}
template <class T>
std::string problem_of(const T& step) {
  RangeChecker checker;
  if constexpr (HasFields<T>) T::visit(step, checker);
  if constexpr (requires { step.other_problem(); })
    if (checker.problem.empty()) checker.problem = step.other_problem();
  return std::move(checker.problem);
}
template <class T>
TokenId id_past(const T& step, std::size_t width) {
  IdFinder finder{width};
  if constexpr (HasFields<T>) T::visit(step, finder);
  return finder.found;
}

/// For constructors: throws InvalidParameter naming parameter, value and range.
template <class T>
void require_valid(const T& step) {
  if (const std::string problem = problem_of(step); !problem.empty())
    fail(InvalidParameter(std::string(T::kType) + ": " + problem));
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
