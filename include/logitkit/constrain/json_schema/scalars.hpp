// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "logitkit/constrain/json_number.hpp"
#include "logitkit/constrain/json_schema/conjunction.hpp"
#include "logitkit/constrain/regex_automaton.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// The JSON types as bits; a number is an integer or has a fraction.
namespace json_type {
inline constexpr unsigned kNull = 1, kBoolean = 2, kInteger = 4, kFraction = 8, kString = 16, kArray = 32, kObject = 64,
                          kAll = 127;
inline constexpr unsigned kNumber = kInteger | kFraction;

inline unsigned named(std::string_view name) {
  if (name == "null") return kNull;
  if (name == "boolean") return kBoolean;
  if (name == "integer") return kInteger;
  if (name == "number") return kNumber;
  if (name == "string") return kString;
  return name == "array" ? kArray : kObject;
}
}  // namespace json_type

/// What the schemas of a conjunction say about types, numbers and strings.
class SchemaScalars {
 public:
  explicit SchemaScalars(const SchemaDocument& document) : document_(document) {}

  static unsigned types(const Json& schema) {
    const Json* type = SchemaKeywords::find(schema, "type");
    if (type == nullptr) return json_type::kAll;
    if (type->is_string()) return json_type::named(type->get_ref<const std::string&>());
    unsigned any = 0;
    for (const Json& name : *type) any |= json_type::named(name.get_ref<const std::string&>());
    return any;
  }

  static NumberBounds number(const Conjunction& schemas) {
    NumberBounds bounds;
    for (const Json* schema : schemas) {
      limit(*schema, "minimum", "exclusiveMinimum", bounds.least);
      limit(*schema, "maximum", "exclusiveMaximum", bounds.most);
      if (const Json* multiple = SchemaKeywords::find(*schema, "multipleOf"))
        bounds.multiple_of.push_back(Decimal::parse(multiple->dump()));
    }
    return bounds;
  }

  /// The strictest value of a keyword that counts: with `absent` = 0 the largest (min...), else the smallest (max...).
  static std::uint32_t count(const Conjunction& schemas, const char* keyword, std::uint32_t absent) {
    std::uint32_t out = absent;
    for (const Json* schema : schemas)
      if (const Json* value = SchemaKeywords::find(*schema, keyword))
        out = absent == 0 ? std::max(out, value->get<std::uint32_t>()) : std::min(out, value->get<std::uint32_t>());
    return out;
  }

  struct String {
    std::vector<std::string> patterns, formats;
    LengthBounds length;
  };
  static String string(const Conjunction& schemas) {
    String out;
    out.length = {count(schemas, "minLength", 0), count(schemas, "maxLength", kNoLimit)};
    for (const Json* schema : schemas) {
      if (const Json* pattern = SchemaKeywords::find(*schema, "pattern"))
        out.patterns.push_back(pattern->get<std::string>());
      if (const Json* format = SchemaKeywords::find(*schema, "format")) {
        const StringFormat known = StringFormat::find(format->get_ref<const std::string&>());
        if (known.pattern.empty()) continue;
        out.formats.push_back(format->get<std::string>());
        out.length.least = std::max(out.length.least, known.length.least);
        out.length.most = std::min(out.length.most, known.length.most);
      }
    }
    for (auto* list : {&out.patterns, &out.formats}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return out;
  }

  /// The automaton of patterns and formats; `where` is the schema that errors name.
  Dfa automaton(const String& string, const Json& where) {
    Dfa out = any_text();
    bool first = true;
    const auto add = [&](const Dfa& next) {
      out = first ? next : intersect(out, next, error_place(where));
      first = false;
    };
    for (const std::string& pattern : string.patterns) add(this->pattern(pattern, where));
    for (const std::string& format : string.formats) add(this->format(format));
    return out;
  }
  /// Also with the lower bound of the length built in, where the automaton does not accept everything.
  Dfa with_least(const Dfa& dfa, std::uint32_t least, const Json& where) const {
    constexpr std::uint32_t kMaxLeast = 10'000;
    if (least > kMaxLeast)
      document_.error(where, "minLength", "above " + std::to_string(kMaxLeast) + " beside a pattern");
    return least == 0 ? dfa : intersect(dfa, any_text(least), error_place(where));
  }

  const Dfa& pattern(const std::string& pattern, const Json& where) {
    const auto [found, fresh] = patterns_.try_emplace(pattern);
    if (fresh)
      found->second = RegexAutomaton::build(pattern, RegexAutomaton::Match::part,
                                            "keyword \"pattern\" at " + document_.pointer(where) + ":");
    return found->second;
  }

  std::string error_place(const Json& schema) const {
    return "keyword \"pattern\" at " + document_.pointer(schema) + ": the pattern";
  }

 private:
  static void limit(const Json& schema, const char* keyword, const char* exclusive_keyword,
                    std::vector<NumberBounds::Bound>& out) {
    const Json* value = SchemaKeywords::find(schema, keyword);
    const Json* exclusive = SchemaKeywords::find(schema, exclusive_keyword);
    const bool draft4 = exclusive != nullptr && exclusive->is_boolean();
    if (value != nullptr) out.push_back({Decimal::parse(value->dump()), draft4 && exclusive->get<bool>()});
    if (exclusive != nullptr && !draft4) out.push_back({Decimal::parse(exclusive->dump()), true});
  }

  const Dfa& format(const std::string& name) {
    const auto [found, fresh] = formats_.try_emplace(name);
    if (fresh) found->second = RegexAutomaton::build(StringFormat::find(name).pattern, RegexAutomaton::Match::whole);
    return found->second;
  }

  const SchemaDocument& document_;
  std::map<std::string, Dfa> patterns_, formats_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
