// SPDX-License-Identifier: MIT
#pragma once
#include <span>

#include "logitkit/json/field_json.hpp"
#include "logitkit/pipeline/diagnostic.hpp"
#include "logitkit/process/field_access.hpp"

// An engine's own JSON into the struct of its preset: by the struct's list of members, and a list of the other keys.
LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// What becomes of a key of the engine that the preset's struct does not have.
enum class OtherKeyUse : std::uint8_t {
  passed_over,  ///< not about which tokens come out
  noted,        ///< not offered; the notes say so
  refused,      ///< would change the tokens; an error unless it is switched off
  forbidden,    ///< an error even where it is empty
};

/// What becomes of a key that nobody knows: a note, or an error.
enum class UnknownKeys : std::uint8_t { noted, refused };

struct OtherKey {
  std::string_view key;
  OtherKeyUse use = OtherKeyUse::passed_over;
  std::string_view why = "";
  double neutral = 0;  ///< a number that switches the field off, as false and empty values do
};

inline bool is_neutral(const Json& json, const OtherKey& other) {
  if (json.is_number()) return json.get<double>() == other.neutral;
  if (other.use == OtherKeyUse::forbidden) return json.is_null();
  return json.is_null() || json == false || (!json.is_boolean() && json.empty()) || json == "";
}

/// Reads one member. False, with what is allowed, if the value does not fit.
template <class T>
bool read_member(const Json& json, T& member, std::string& allowed) {
  if constexpr (kIsOptional<T>) {
    return read_member(json, member.emplace(), allowed);
  } else if constexpr (std::is_same_v<T, bool>) {
    allowed = "true or false";
    if (json.is_boolean()) member = json.get<bool>();
    return json.is_boolean();
  } else if constexpr (std::is_same_v<T, std::variant<bool, std::string>>) {
    allowed = "true, false or a text";
    if (json.is_boolean()) member = json.get<bool>();
    if (json.is_string()) member = json.get<std::string>();
    return json.is_boolean() || json.is_string();
  } else if constexpr (std::is_same_v<T, std::pair<std::int64_t, double>>) {
    std::string ignored;
    allowed = "a list of a whole number and a number";
    return json.is_array() && json.size() == 2 && read_member(json[0], member.first, ignored) &&
           read_member(json[1], member.second, ignored);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    allowed = "a list of texts";
    return read_list(json, member, [](const Json& one, std::string& text) {
      if (one.is_string()) text = one.get<std::string>();
      return one.is_string();
    });
  } else if constexpr (std::is_same_v<T, TokenIds>) {
    allowed = "a token id or a list of token ids";
    return read_ids(json.is_array() ? json : Json::array({json}), member);
  } else {
    return from_value(field_from_json(json), member, allowed);
  }
}

/// Reads an engine's parameters. null leaves a field at its default, or empties it where it is optional. Keys that
/// start with _ are metadata. Throws InvalidParameter naming engine, key, value and what is allowed.
template <class Parameters>
class ParametersReader {
 public:
  ParametersReader(std::string_view engine, std::span<const OtherKey> others, UnknownKeys unknown = UnknownKeys::noted)
      : engine_(engine), others_(others), unknown_(unknown) {}

  Parameters read(const Json& json) {
    if (!json.is_object())
      fail(InvalidParameter(engine_ + ": the parameters are " + json.type_name() + ", allowed is an object"));
    for (const auto& [key, value] : json.items()) read_key(key, value);
    return std::move(parameters_);
  }
  std::vector<Diagnostic> take_notes() { return std::move(notes_); }

  void note(Severity severity, const std::string& code, const std::string& key, std::string_view why) {
    notes_.push_back({severity, code, -1, key, key + ": " + std::string(why)});
  }
  [[noreturn]] void refuse(const std::string& key, const Json& value, std::string_view allowed) const {
    fail(InvalidParameter(engine_ + ": " + key + " is " + value.dump() + ", allowed is " + std::string(allowed)));
  }

 private:
  void read_key(const std::string& key, const Json& value) {
    bool is_member = false;
    Parameters::visit(parameters_, [&]<class T>(std::string_view name, T& member) {
      if (name != key) return;
      is_member = true;
      std::string allowed;
      if (value.is_null()) {
        if constexpr (kIsOptional<T>) member.reset();
      } else if (!read_member(value, member, allowed)) {
        refuse(key, value, allowed);
      }
    });
    if (!is_member && key[0] != '_') read_other(key, value);
  }
  void read_other(const std::string& key, const Json& value) {
    const auto other = std::find_if(others_.begin(), others_.end(), [&](const OtherKey& o) { return o.key == key; });
    if (other == others_.end()) {
      if (unknown_ == UnknownKeys::refused)
        fail(InvalidParameter(engine_ + ": " + key + ": is not a field that this preset knows"));
      return note(Severity::warning, "unknown_field", key, "is not a field that this preset knows; passed over");
    }
    if (other->use == OtherKeyUse::passed_over || is_neutral(value, *other)) return;
    if (other->use != OtherKeyUse::noted) fail(InvalidParameter(engine_ + ": " + key + ": " + std::string(other->why)));
    note(Severity::warning, "not_offered", key, other->why);
  }

  std::string engine_;
  std::span<const OtherKey> others_;
  UnknownKeys unknown_;
  Parameters parameters_;
  std::vector<Diagnostic> notes_;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
