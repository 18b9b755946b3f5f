// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "logitkit/constrain/json_schema/members.hpp"
#include "logitkit/constrain/json_schema/scalars.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Checks a value against a schema, with the keywords that are offered: members of `enum` and `const` must satisfy
/// their siblings. Depth is bounded by that of the schema document, which holds the value.
class SchemaValidator {
 public:
  SchemaValidator(const SchemaDocument& document, SchemaScalars& scalars) : document_(document), scalars_(scalars) {}

  bool valid(const Json& value, const Json& schema) {
    if (schema.is_boolean()) return schema.get<bool>();
    if ((type_of(value) & SchemaScalars::types(schema)) == 0) return false;
    const auto find = [&](const char* keyword) { return SchemaKeywords::find(schema, keyword); };
    const auto is_value = [&](const Json& v) { return equal(value, v); };
    const auto holds = [&](const Json& s) { return valid(value, s); };
    if (const Json* k = find("const"); k != nullptr && !is_value(*k)) return false;
    if (const Json* k = find("enum"); k != nullptr && std::none_of(k->begin(), k->end(), is_value)) return false;
    if (find("$ref") != nullptr && !valid(value, document_.resolve(schema))) return false;
    if (const Json* k = find("allOf"); k != nullptr && !std::all_of(k->begin(), k->end(), holds)) return false;
    if (const Json* k = find("anyOf"); k != nullptr && std::none_of(k->begin(), k->end(), holds)) return false;
    if (const Json* k = find("oneOf"); k != nullptr && std::count_if(k->begin(), k->end(), holds) != 1) return false;
    if (value.is_number()) return number(value, schema);
    if (value.is_string()) return string(value.get_ref<const std::string&>(), schema);
    if (value.is_array()) return array(value, schema);
    if (value.is_object()) return object(value, schema);
    return true;
  }

  /// Numbers by value, objects in any order of their members.
  static bool equal(const Json& a, const Json& b) {
    if (a.is_object() && b.is_object())
      return a.size() == b.size() && std::all_of(a.items().begin(), a.items().end(), [&](const auto& member) {
               const auto other = b.find(member.key());
               return other != b.end() && equal(member.value(), *other);
             });
    if (a.is_array() && b.is_array()) return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
    return a == b;
  }

  static unsigned type_of(const Json& value) {
    using namespace json_type;
    if (value.is_number()) return Decimal::parse(value.dump()).is_integer() ? kInteger : kFraction;
    return value.is_null()      ? kNull
           : value.is_boolean() ? kBoolean
           : value.is_string()  ? kString
           : value.is_array()   ? kArray
                                : kObject;
  }

 private:
  bool number(const Json& value, const Json& schema) const {
    const NumberBounds bounds = SchemaScalars::number({&schema});
    return bounds.none() ||
           NumberAutomaton::build(bounds, document_.pointer(schema)).matches(Decimal::parse(value.dump()).text());
  }

  bool string(const std::string& value, const Json& schema) {
    const SchemaScalars::String string = SchemaScalars::string({&schema});
    std::uint32_t length = 0;
    for (std::size_t pos = 0; pos < value.size(); ++length) next_code_point(value, pos);
    return length >= string.length.least && length <= string.length.most &&
           scalars_.automaton(string, schema).matches(value);
  }

  bool array(const Json& value, const Json& schema) {
    if (!count_holds(value.size(), schema, "minItems", "maxItems")) return false;
    const ItemSchemas items(schema);
    for (std::size_t i = 0; i < value.size(); ++i)
      if (const Json* item = items.at(i); item != nullptr && !valid(value[i], *item)) return false;
    return true;
  }

  bool object(const Json& value, const Json& schema) {
    if (!count_holds(value.size(), schema, "minProperties", "maxProperties")) return false;
    if (const Json* required = SchemaKeywords::find(schema, "required"))
      for (const Json& name : *required)
        if (!value.contains(name.get_ref<const std::string&>())) return false;
    const Json* names = SchemaKeywords::find(schema, "propertyNames");
    for (const auto& member : value.items()) {
      const std::string& name = member.key();
      if (names != nullptr && !valid(Json(name), *names)) return false;
      const auto matches = [&](const std::string& pattern) { return scalars_.pattern(pattern, schema).matches(name); };
      for (const Json* each : member_schemas(schema, &name, matches))
        if (!valid(member.value(), *each)) return false;
    }
    return true;
  }

  static bool count_holds(std::size_t size, const Json& schema, const char* least, const char* most) {
    return size >= SchemaScalars::count({&schema}, least, 0) && size <= SchemaScalars::count({&schema}, most, kNoLimit);
  }

  const SchemaDocument& document_;
  SchemaScalars& scalars_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
