// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/constrain/json_schema/document.hpp"
#include "logitkit/constrain/string_format.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Looks at the keywords of a schema once: what is malformed or not supported is an error (a warning in lenient mode),
/// what the standard ignores is ignored, what is unknown is noted.
class SchemaKeywords {
 public:
  SchemaKeywords(const SchemaDocument& document, bool lenient) : document_(document), lenient_(lenient) {}

  const std::vector<std::string>& warnings() const { return warnings_; }

  void check(const Json& schema) {
    if (!checked_.insert(&schema).second || schema.is_boolean()) return;
    if (!schema.is_object()) document_.error(schema, "", "a schema must be an object, true or false");
    for (const auto& [keyword, value] : schema.items()) check(schema, keyword, value);
  }

  /// Members of `schema[keyword]`, none if it is absent.
  static const Json* find(const Json& schema, const char* keyword) {
    if (!schema.is_object()) return nullptr;
    const auto found = schema.find(keyword);
    return found == schema.end() ? nullptr : &*found;
  }

 private:
  static bool one_of(std::string_view keyword, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), keyword) != list.end();
  }
  static bool is_schema(const Json& value) { return value.is_object() || value.is_boolean(); }
  static bool is_count(const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>() < kNoLimit;
    return value.is_number_float() && value.get<double>() >= 0 && value.get<double>() < 4e9 &&
           static_cast<double>(static_cast<std::uint32_t>(value.get<double>())) == value.get<double>();
  }

  void check(const Json& schema, const std::string& keyword, const Json& value) {
    const auto must = [&](bool good, const char* what) {
      if (!good) document_.error(schema, keyword, std::string("must be ") + what);
    };
    const auto each = [&](const auto& good) { return std::all_of(value.begin(), value.end(), good); };
    if (one_of(keyword, {"properties", "patternProperties"}))
      return must(value.is_object() && each(is_schema), "an object of schemas");
    if (one_of(keyword, {"additionalProperties", "propertyNames"})) return must(is_schema(value), "a schema");
    if (one_of(keyword, {"additionalItems"})) return must(is_schema(value), "a schema");
    if (keyword == "items") return must(is_schema(value) || (value.is_array() && each(is_schema)), "a schema");
    if (one_of(keyword, {"anyOf", "oneOf", "allOf", "prefixItems"}))
      return must(value.is_array() && !value.empty() && each(is_schema), "a non-empty array of schemas");
    if (keyword == "required")
      return must(value.is_array() && each([](const Json& v) { return v.is_string(); }), "an array of strings");
    if (one_of(keyword, {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}))
      return must(is_count(value), "a whole number, not negative and below 4294967295");
    if (one_of(keyword, {"minimum", "maximum"})) return must(value.is_number(), "a number");
    if (one_of(keyword, {"exclusiveMinimum", "exclusiveMaximum"}))  // a boolean in draft 4
      return must(value.is_number() || value.is_boolean(), "a number");
    if (keyword == "multipleOf") return must(value.is_number() && value.get<double>() > 0, "a number above 0");
    if (keyword == "pattern") return must(value.is_string(), "a string");
    if (keyword == "enum") return must(value.is_array(), "an array");
    if (keyword == "type") return check_type(schema, value);
    if (keyword == "format") return check_format(schema, value);
    if (keyword == "uniqueItems" && value == false) return;
    if (one_of(keyword, {"uniqueItems", "contains", "minContains", "maxContains", "not", "if", "then", "else",
                         "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties",
                         "unevaluatedItems", "$dynamicRef", "$recursiveRef"}))
      return unsupported(schema, keyword, "is not supported");
    if (one_of(keyword, {"$ref",
                         "const",
                         "$defs",
                         "definitions",
                         "title",
                         "description",
                         "default",
                         "example",
                         "examples",
                         "$comment",
                         "$schema",
                         "$id",
                         "id",
                         "$anchor",
                         "$dynamicAnchor",
                         "$vocabulary",
                         "deprecated",
                         "readOnly",
                         "writeOnly",
                         "contentMediaType",
                         "contentEncoding",
                         "contentSchema"}))
      return;
    warnings_.push_back("unknown keyword \"" + keyword + "\" at " + document_.pointer(schema) + " is ignored");
  }

  void check_type(const Json& schema, const Json& value) {
    const auto known = [](const Json& name) {
      return name.is_string() && one_of(name.get_ref<const std::string&>(),
                                        {"null", "boolean", "integer", "number", "string", "array", "object"});
    };
    if (known(value) || (value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), known))) return;
    document_.error(schema, "type", value.dump() + " is not a JSON type");
  }

  // a format that no standard registers (int32, path, ...) is an annotation; one that is registered must not be dropped
  // silently
  void check_format(const Json& schema, const Json& value) {
    if (!value.is_string()) document_.error(schema, "format", "must be a string");
    const std::string& name = value.get_ref<const std::string&>();
    if (!StringFormat::find(name).pattern.empty()) return;
    if (one_of(name, {"idn-email", "idn-hostname", "iri", "iri-reference", "uri-reference", "uri-template",
                      "json-pointer", "relative-json-pointer", "regex"}))
      return unsupported(schema, "format", "\"" + name + "\" is not supported");
    warnings_.push_back("unknown format \"" + name + "\" at " + document_.pointer(schema) + " is ignored");
  }

  void unsupported(const Json& schema, const std::string& keyword, const std::string& problem) {
    if (!lenient_) document_.error(schema, keyword, problem);
    warnings_.push_back("keyword \"" + keyword + "\" at " + document_.pointer(schema) + " " + problem +
                        " and is ignored");
  }

  const SchemaDocument& document_;
  bool lenient_;
  std::set<const Json*> checked_;
  std::vector<std::string> warnings_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
