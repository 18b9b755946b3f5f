// SPDX-License-Identifier: MIT
#include "logitkit/constrain/json_schema/keywords.hpp"

#include <gtest/gtest.h>

#include "constrain/walks.hpp"

namespace keywords_test {

using constrain_test::error_of;
using logitkit::detail::SchemaDocument;
using logitkit::detail::SchemaKeywords;

// What the check of {"items": schema} at #/items refuses.
std::string refusal(const std::string& schema, bool lenient = false) {
  const SchemaDocument document("{\"items\":" + schema + "}");
  SchemaKeywords keywords(document, lenient);
  return error_of([&] { keywords.check(document.root()["items"]); });
}
std::vector<std::string> warnings(const std::string& schema, bool lenient) {
  const SchemaDocument document("{\"items\":" + schema + "}");
  SchemaKeywords keywords(document, lenient);
  keywords.check(document.root()["items"]);
  keywords.check(document.root()["items"]);  // looked at once
  return keywords.warnings();
}

TEST(SchemaKeywords, MalformedOnesAreRefusedByNamePlaceAndWhatTheyMustBe) {
  struct Case {
    const char *keyword, *value, *must_be;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"properties", "[]", "an object of schemas"},
                                   {"properties", R"({"a": 1})", "an object of schemas"},
                                   {"patternProperties", R"({"a": "b"})", "an object of schemas"},
                                   {"additionalProperties", "null", "a schema"},
                                   {"propertyNames", "\"a\"", "a schema"},
                                   {"additionalItems", "[]", "a schema"},
                                   {"items", "[1]", "a schema"},
                                   {"anyOf", "[]", "a non-empty array of schemas"},
                                   {"oneOf", "{}", "a non-empty array of schemas"},
                                   {"allOf", "[null]", "a non-empty array of schemas"},
                                   {"prefixItems", "[]", "a non-empty array of schemas"},
                                   {"required", "[1]", "an array of strings"},
                                   {"required", "true", "an array of strings"},
                                   {"minLength", "-1", "a whole number, not negative and below 4294967295"},
                                   {"maxLength", "1.5", "a whole number, not negative and below 4294967295"},
                                   {"minItems", "4294967295", "a whole number, not negative and below 4294967295"},
                                   {"maxItems", "\"1\"", "a whole number, not negative and below 4294967295"},
                                   {"maxProperties", "1e10", "a whole number, not negative and below 4294967295"},
                                   {"minimum", "\"1\"", "a number"},
                                   {"exclusiveMaximum", "\"1\"", "a number"},
                                   {"multipleOf", "0", "a number above 0"},
                                   {"pattern", "1", "a string"},
                                   {"enum", "{}", "an array"},
                                   {"format", "1", "a string"}}) {
    const std::string schema = std::string("{\"") + c.keyword + "\": " + c.value + "}";
    const std::string expected = std::string("keyword \"") + c.keyword + "\" at #/items: must be " + c.must_be;
    EXPECT_EQ(refusal(schema), expected);
    EXPECT_EQ(refusal(schema, true), expected) << "lenient is for what is not supported";
  }
  EXPECT_EQ(refusal("1"), "at #/items: a schema must be an object, true or false");
  EXPECT_EQ(refusal(R"({"type": "text"})"), "keyword \"type\" at #/items: \"text\" is not a JSON type");
  EXPECT_EQ(refusal(R"({"type": []})"), "keyword \"type\" at #/items: [] is not a JSON type");
}

TEST(SchemaKeywords, WellFormedOnesPassWithoutAWord) {
  for (const char* schema :
       {"true", "false", "{}", R"({"type": ["null", "integer"], "minLength": 2.0, "maxLength": 4294967294})",
        R"({"properties": {"a": false}, "required": ["a"], "additionalProperties": {}})",
        R"({"exclusiveMinimum": true, "minimum": 1, "multipleOf": 0.5})", R"({"items": [{}, true]})",
        R"({"uniqueItems": false, "format": "date", "title": "t", "$comment": "c", "default": 3, "enum": []})"}) {
    EXPECT_EQ(refusal(schema), "") << schema;
    EXPECT_TRUE(warnings(schema, false).empty()) << schema;
  }
}

TEST(SchemaKeywords, UnsupportedOnesAreRefusedOrIgnoredAloud) {
  for (const char* keyword : {"uniqueItems", "contains", "minContains", "not", "if", "then", "else",
                              "dependentRequired", "unevaluatedItems", "$dynamicRef"}) {
    const std::string schema = std::string("{\"") + keyword + "\": true}", name = std::string("keyword \"") + keyword;
    EXPECT_EQ(refusal(schema), name + "\" at #/items: is not supported");
    EXPECT_EQ(warnings(schema, true), std::vector{name + "\" at #/items is not supported and is ignored"});
  }
  EXPECT_EQ(refusal(R"({"format": "regex"})"), "keyword \"format\" at #/items: \"regex\" is not supported");
}

TEST(SchemaKeywords, UnknownOnesAreNotedOnce) {
  EXPECT_EQ(warnings(R"({"maxlength": 3})", false),
            std::vector{std::string("unknown keyword \"maxlength\" at #/items is ignored")});
  EXPECT_EQ(warnings(R"({"format": "int32"})", false),
            std::vector{std::string("unknown format \"int32\" at #/items is ignored")});
}

TEST(SchemaKeywords, FindLooksIntoObjectsOnly) {
  const logitkit::detail::Json schema = {{"type", "null"}};
  EXPECT_EQ(SchemaKeywords::find(schema, "type"), &schema["type"]);
  EXPECT_EQ(SchemaKeywords::find(schema, "items"), nullptr);
  EXPECT_EQ(SchemaKeywords::find(true, "type"), nullptr);
}

}  // namespace keywords_test
