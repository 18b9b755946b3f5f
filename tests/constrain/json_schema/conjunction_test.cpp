// SPDX-License-Identifier: MIT
#include "logitkit/constrain/json_schema/conjunction.hpp"

#include <gtest/gtest.h>

#include <random>

#include "constrain/walks.hpp"

namespace conjunction_test {

using namespace logitkit::detail;

std::vector<Conjunction> expand(const SchemaDocument& document, const std::function<void(const Json&)>& check_one_of) {
  SchemaKeywords keywords(document, false);
  return ConjunctionExpander(document, keywords, check_one_of).expand({&document.root()});
}
std::string refusal(const std::string& text) {
  const SchemaDocument document(text);
  return constrain_test::error_of([&] { expand(document, [](const Json&) {}); });
}

constexpr unsigned kFacts = 5;

// A schema whose `title`s are facts, true or not, combined by all that combines.
Json random_schema(std::mt19937& random, int depth) {
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  if (depth == 0 && pick(12) == 0) return pick(2) == 0;
  Json schema = Json::object();
  if (depth == 0 || pick(2)) schema["title"] = std::to_string(pick(kFacts));
  if (depth == 0) return schema;
  for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
    if (pick(2)) continue;
    for (unsigned i = 0; i <= pick(2); ++i) schema[keyword].push_back(random_schema(random, depth - 1));
  }
  if (depth == 1 && pick(3) == 0) schema["$ref"] = "#/$defs/" + std::to_string(pick(2));
  return schema;
}

bool fact(const Json& schema, unsigned facts) {
  return !schema.contains("title") || (facts >> std::stoul(schema["title"].get<std::string>()) & 1) != 0;
}

// The schema, read as the standard says; branches of a oneOf exclude each other, since the check says so.
bool holds(const Json& schema, const Json& root, unsigned facts) {
  if (schema.is_boolean()) return schema.get<bool>();
  const auto each = [&](const Json& s) { return holds(s, root, facts); };
  if (!fact(schema, facts)) return false;
  if (schema.contains("allOf") && !std::all_of(schema["allOf"].begin(), schema["allOf"].end(), each)) return false;
  for (const char* keyword : {"anyOf", "oneOf"})
    if (schema.contains(keyword) && std::none_of(schema[keyword].begin(), schema[keyword].end(), each)) return false;
  return !schema.contains("$ref") || each(root.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))));
}

TEST(ConjunctionExpander, AlternativesAreTheSchemaInDisjunctiveNormalForm) {
  std::mt19937 random(23);
  int yes = 0, no = 0, one_ofs = 0;
  for (int round = 0; round < 2000; ++round) {
    Json schema = random_schema(random, 2);
    if (schema.is_boolean()) continue;
    for (const char* name : {"0", "1"}) schema["$defs"][name] = random_schema(random, 0);
    const SchemaDocument document(schema.dump());
    const auto alternatives = expand(document, [&](const Json& one) {
      EXPECT_TRUE(one.contains("oneOf"));
      ++one_ofs;
    });
    for (unsigned facts = 0; facts < 1u << kFacts; ++facts) {
      const bool any = std::any_of(alternatives.begin(), alternatives.end(), [&](const Conjunction& all) {
        return std::all_of(all.begin(), all.end(), [&](const Json* each) { return fact(*each, facts); });
      });
      const bool expected = holds(document.root(), document.root(), facts);
      (expected ? yes : no) += 1;
      ASSERT_EQ(any, expected) << schema.dump() << " with facts " << facts;
    }
  }
  EXPECT_GT(yes, 10'000);
  EXPECT_GT(no, 10'000);
  EXPECT_GT(one_ofs, 500);
}

TEST(ConjunctionExpander, ASchemaIsInAConjunctionOnce) {
  const SchemaDocument document(R"({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {}}})");
  const auto alternatives = expand(document, [](const Json&) {});
  ASSERT_EQ(alternatives.size(), 1u);
  EXPECT_EQ(std::count(alternatives[0].begin(), alternatives[0].end(), &document.root()["$defs"]["a"]), 1);
}

TEST(ConjunctionExpander, RefusesWhatHasNoEnd) {
  EXPECT_EQ(refusal(R"({"$ref": "#"})"), "keyword \"$ref\" at #: refers to itself without an end");
  EXPECT_EQ(refusal(R"({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}})"),
            "at #/$defs/a: refers to itself without an end");
  // below a member it has one
  EXPECT_EQ(refusal(R"({"properties": {"a": {"$ref": "#"}}})"), "");
}

TEST(ConjunctionExpander, RefusesMoreThanAThousandAlternatives) {
  const auto schema = [](int factors) {
    Json all;
    for (int i = 0; i < factors; ++i) all["allOf"].push_back({{"anyOf", {{{"title", "0"}}, {{"title", "1"}}}}});
    return all.dump();
  };
  EXPECT_EQ(refusal(schema(9)), "");  // 512
  EXPECT_EQ(refusal(schema(10)), "keyword \"anyOf\" at #: more than 1000 combinations of alternatives");
}

}  // namespace conjunction_test
