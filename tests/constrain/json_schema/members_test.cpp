// SPDX-License-Identifier: MIT
#include "logitkit/constrain/json_schema/members.hpp"

#include <gtest/gtest.h>

namespace members_test {

using logitkit::detail::Conjunction;
using logitkit::detail::ItemSchemas;
using logitkit::detail::Json;
using logitkit::detail::member_schemas;

TEST(ItemSchemas, ReadsPrefixItemsThenItems) {
  const Json schema = Json::parse(R"({"prefixItems": [{"title": "0"}, {"title": "1"}], "items": {"title": "rest"}})");
  const ItemSchemas items(schema);
  EXPECT_EQ(items.positions(), 2u);
  EXPECT_EQ(items.at(1), &schema["prefixItems"][1]);
  EXPECT_EQ(items.at(2), &schema["items"]);
  EXPECT_EQ(items.at(7), &schema["items"]);
}

TEST(ItemSchemas, ReadsTheOlderForm) {
  const Json schema = Json::parse(R"({"items": [{"title": "0"}], "additionalItems": false, "prefixItems": [true, 1]})");
  const ItemSchemas items(schema);
  EXPECT_EQ(items.positions(), 1u);
  EXPECT_EQ(items.at(0), &schema["items"][0]);
  EXPECT_EQ(items.at(1), &schema["additionalItems"]);
}

TEST(ItemSchemas, HasNothingToSayWhereTheSchemaHasNot) {
  for (const char* text : {"{}", "true", R"({"prefixItems": [{}]})", R"({"additionalItems": false})"}) {
    const Json schema = Json::parse(text);
    EXPECT_EQ(ItemSchemas(schema).at(1), nullptr) << text;
  }
}

TEST(MemberSchemas, AdditionalPropertiesHoldWhereNothingElseDoes) {
  const Json schema = Json::parse(
      R"({"properties": {"ab": {"title": "ab"}}, "patternProperties": {"^a": {"title": "^a"}, "b$": {"title": "b$"}},
          "additionalProperties": {"title": "others"}})");
  const auto of = [&](const std::string& name) {
    return member_schemas(schema, &name, [&](const std::string& pattern) {
      return pattern == "^a" ? name.front() == 'a' : name.back() == 'b';
    });
  };
  const Json &exact = schema["properties"]["ab"], &first = schema["patternProperties"]["^a"],
             &last = schema["patternProperties"]["b$"], &others = schema["additionalProperties"];
  EXPECT_EQ(of("ab"), (Conjunction{&exact, &first, &last}));
  EXPECT_EQ(of("ac"), Conjunction{&first});
  EXPECT_EQ(of("cb"), Conjunction{&last});
  EXPECT_EQ(of("cc"), Conjunction{&others});
}

TEST(MemberSchemas, AnUndeclaredNameIsAskedForWithoutOne) {
  const Json schema = Json::parse(R"({"properties": {"a": {"title": "a"}}, "additionalProperties": {}})");
  EXPECT_EQ(member_schemas(schema, nullptr, [](const std::string&) { return false; }),
            Conjunction{&schema["additionalProperties"]});
  const Json silent = Json::parse(R"({"properties": {"a": {"title": "a"}}})");
  EXPECT_EQ(member_schemas(silent, nullptr, [](const std::string&) { return false; }), Conjunction{});
}

}  // namespace members_test
