// SPDX-License-Identifier: MIT
#include "logitkit/constrain/json_schema/object_keys.hpp"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <set>

#include "constrain/walks.hpp"

namespace object_keys_test {

using namespace logitkit::detail;

std::vector<std::string> short_names() {
  std::vector<std::string> names{""};
  for (std::size_t i = 0; i < names.size() && names[i].size() < 3; ++i)
    for (const char c : {'a', 'b', 'c'}) names.push_back(names[i] + c);
  return names;
}

Json random_schema(std::mt19937& random, const std::vector<std::string>& names) {
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int serial = 0;
  const auto value = [&] { return pick(8) == 0 ? Json(false) : Json{{"title", std::to_string(serial++)}}; };
  Json schema = Json::object();
  for (std::size_t i = pick(3); i > 0; --i) schema["properties"][names[1 + pick(names.size() - 1)]] = value();
  for (const char* pattern : {"^a", "b$", "c"})
    if (pick(3) == 0) schema["patternProperties"][pattern] = value();
  if (pick(3) == 0) schema["additionalProperties"] = value();
  if (pick(3) == 0) schema["required"].push_back(names[1 + pick(names.size() - 1)]);
  return schema;
}

// The standard's rule, name by name: properties, and all patterns that match, or else additionalProperties.
std::set<const Json*> values_of(const Conjunction& schemas, const std::string& name) {
  std::set<const Json*> all;
  for (const Json* schema : schemas) {
    bool mentioned = false;
    const auto add = [&](const Json& value) {
      all.insert(&value);
      mentioned = true;
    };
    if (schema->contains("properties") && (*schema)["properties"].contains(name)) add((*schema)["properties"][name]);
    if (schema->contains("patternProperties"))
      for (const auto& [pattern, value] : (*schema)["patternProperties"].items())
        if (std::regex_search(name, std::regex(pattern))) add(value);
    if (!mentioned && schema->contains("additionalProperties")) add((*schema)["additionalProperties"]);
  }
  return all;
}

TEST(ObjectKeys, EveryNameHasTheSchemasThatTheStandardGivesIt) {
  std::mt19937 random(29);
  const std::vector<std::string> names = short_names();
  int declared = 0, open = 0, none = 0;
  for (int round = 0; round < 300; ++round) {
    Json all;
    for (std::size_t i = 0; i <= random() % 2; ++i) all["allOf"].push_back(random_schema(random, names));
    const SchemaDocument document(all.dump());
    Conjunction schemas;
    for (const Json& each : document.root()["allOf"]) schemas.push_back(&each);
    const bool closed = random() % 2 != 0, declares = std::any_of(schemas.begin(), schemas.end(), [](const Json*s) {
                                             return s->contains("properties") || s->contains("patternProperties");
                                           });
    std::optional<Dfa> allowed;
    if (random() % 3 == 0) allowed = RegexAutomaton::build("[ab].?", RegexAutomaton::Match::whole);
    SchemaScalars scalars(document);
    const ObjectKeys keys(schemas, closed, allowed, document, scalars);
    for (const std::string& name : names) {
      std::set<const Json*> expected = values_of(schemas, name);
      const bool is_allowed = !allowed || std::regex_match(name, std::regex("[ab].?"));
      const auto is_name = [&](const ObjectKeys::Declared& key) { return key.name == name; };
      if (const auto key = std::find_if(keys.declared.begin(), keys.declared.end(), is_name);
          key != keys.declared.end()) {
        ++declared;
        EXPECT_TRUE(std::none_of(key + 1, keys.declared.end(), is_name));
        bool required = false;
        for (const Json* schema : schemas) required |= schema->contains("required") && (*schema)["required"][0] == name;
        EXPECT_EQ(key->required, required);
        if (is_allowed) {
          EXPECT_EQ(std::set<const Json*>(key->value.begin(), key->value.end()), expected) << all.dump();
        } else {
          ASSERT_EQ(key->value.size(), 1u);
          EXPECT_EQ(*key->value[0], Json(false));
        }
        continue;
      }
      std::vector<const ObjectKeys::Open*> matching;
      for (const ObjectKeys::Open& each : keys.open)
        if (each.names.matches(name)) matching.push_back(&each);
      const bool forbidden = std::any_of(expected.begin(), expected.end(), [](const Json* s) { return *s == false; });
      if (!is_allowed || forbidden || (closed && declares && expected.empty())) {
        ++none;
        ASSERT_TRUE(matching.empty()) << name << " in " << all.dump();
      } else {
        ++open;
        ASSERT_EQ(matching.size(), 1u) << name << " in " << all.dump();
        EXPECT_EQ(std::set<const Json*>(matching[0]->value.begin(), matching[0]->value.end()), expected) << all.dump();
      }
    }
  }
  EXPECT_GT(declared, 300);
  EXPECT_GT(open, 1000);
  EXPECT_GT(none, 1000);
}

TEST(ObjectKeys, DeclaredOnesKeepTheOrderAndTheirSchema) {
  const SchemaDocument document(
      R"([{"properties": {"b": {}, "a": {}}, "required": ["z", "a"]}, {}, {"properties": {"c": {}, "b": {}}}])");
  const Conjunction schemas{&document.root()[0], &document.root()[1], &document.root()[2]};
  SchemaScalars scalars(document);
  const ObjectKeys keys(schemas, false, std::nullopt, document, scalars);
  std::string told;
  for (const auto& key : keys.declared) told += key.name + (key.required ? "!" : "") + std::to_string(key.group) + " ";
  EXPECT_EQ(told, "b0 a!0 c1 z!2 ");  // z is only required: it comes last
  EXPECT_EQ(keys.groups, 2u);
}

TEST(ObjectKeys, RefusesMoreThanSixPatterns) {
  Json schema;
  for (const char* pattern : {"a", "b", "c", "d", "e", "f", "g"}) schema["patternProperties"][pattern] = true;
  const SchemaDocument document(schema.dump());
  SchemaScalars scalars(document);
  const Conjunction schemas{&document.root()};
  EXPECT_EQ(constrain_test::error_of([&] { ObjectKeys(schemas, false, std::nullopt, document, scalars); }),
            "keyword \"patternProperties\" at #: more than 6 patterns at once");
}

}  // namespace object_keys_test
