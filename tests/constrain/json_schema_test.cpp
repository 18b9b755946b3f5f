// SPDX-License-Identifier: MIT
#include "logitkit/json_schema.hpp"

#include <gtest/gtest.h>

#include "walks.hpp"

namespace json_schema_test {

using namespace constrain_test;

const lk::SchemaOptions kCompact{.whitespace = lk::Whitespace::compact()};
lk::Constraint schema(std::string_view text, const lk::SchemaOptions& options = kCompact) {
  return lk::compile_json_schema(small_vocabulary(), text, options);
}
std::string refusal(std::string_view text, const lk::SchemaOptions& options = kCompact) {
  return error_of([&] { schema(text, options); });
}
void expect(const lk::Constraint& c, std::initializer_list<const char*> good, std::initializer_list<const char*> bad) {
  for (const char* text : good) EXPECT_TRUE(accepts(c, text)) << text;
  for (const char* text : bad) EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(JsonSchema, KeysComeInTheOrderOfTheSchema) {
  expect(
      schema(
          R"({"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"null"},"c":{}},"required":["a"],"additionalProperties":false})"),
      {R"({"b":1,"a":null})", R"({"a":null})", R"({"a":null,"c":[1]})"},
      {R"({"a":null,"b":1})", R"({"b":1})", "{}", R"({"a":null,"a":null})"});
}

TEST(JsonSchema, UndeclaredKeysFollowUnlessClosed) {
  const char* text = R"({"properties":{"ab":{"type":"integer"}},"required":["z"],"type":"object"})";
  expect(schema(text), {R"({"ab":1,"z":0,"x":[]})", R"({"z":0})"},
         {R"({"x":[],"z":0})", R"({"z":0,"ab":1})", R"({"z":0,"\u0061b":1})"});
  lk::SchemaOptions closed = kCompact;
  closed.additional_properties = false;
  expect(schema(text, closed), {R"({"ab":1,"z":0})"}, {R"({"z":0,"x":1})"});
  expect(schema(R"({"type":"object"})", closed), {R"({"x":1})"}, {});
}

TEST(JsonSchema, AdditionalKeysAreAnyTextButTheDeclaredOnes) {
  expect(
      schema(
          R"({"type":"object","properties":{"a":{"type":"null"},"\"":{}},"additionalProperties":{"type":"integer"}})"),
      {R"({"":1})", R"({"b":1})", R"({"a":null,"aa":2})", "{\"\xc3\xa9\":1}", R"({"\u00e9\n":1})"},
      {R"({"a":1})", R"({"\u0061":1})", R"({"b":null})", R"({"\u0022":1})"});
}

TEST(JsonSchema, AConstantHasOneSpellingASmallConstAnyOrder) {
  expect(schema(R"({"const":"\u00e9\"\n"})"), {"\"\xc3\xa9\\\"\\n\""}, {"\"\\u00e9\\\"\\n\""});
  expect(schema(R"({"const":{"a":1,"b":[2]}})"), {R"({"a":1,"b":[2]})", R"({"b":[2],"a":1})"},
         {R"({"a":1})", R"({"a":1,"a":1,"b":[2]})"});
  expect(schema(R"({"enum":[{"a":1,"b":2},7]})"), {R"({"a":1,"b":2})", "7"}, {R"({"b":2,"a":1})", "7.0"});
}

TEST(JsonSchema, MembersOfAnEnumMustSatisfyTheirSiblings) {
  expect(schema(R"({"enum":["x",1,null,"long",[1],{"a":1}],"type":["string","array"],"maxLength":2})"),
         {R"("x")", "[1]"}, {"1", R"("long")"});
  expect(schema(R"({"enum":[{"a":1},{"a":"s"},{}],"properties":{"a":{"type":"integer"}},"required":["a"]})"),
         {R"({"a":1})"}, {"{}", R"({"a":"s"})"});
  EXPECT_TRUE(contains(refusal(R"({"type":"integer","enum":["x"]})"), "no text can satisfy it"));
}

TEST(JsonSchema, LengthCountsCodePointsHoweverTheyAreSpelled) {
  const auto c = schema(R"({"type":"string","minLength":2,"maxLength":3})");
  expect(c, {R"("ab")", R"("a\n\u00e9")", "\"\xf0\x9f\x8d\x9c\\ud83c\\udf5c\""},
         {R"("a")", R"("abcd")", R"("\n\n\n\n")"});
  expect(schema(R"({"type":"array","items":{"maxLength":1,"type":"string"}})"), {R"(["a","b"])", R"(["",""])"},
         {R"(["ab"])", R"(["a","bc"])"});
}

TEST(JsonSchema, PatternAndLengthHoldTogetherWithoutDeadEnds) {
  // after "b" three characters are needed, so with two left there is only "a"
  expect(schema(R"({"type":"array","items":{"type":"string","pattern":"^(a|bbbb)*$","maxLength":5}})"),
         {R"(["abbbb","aaaaa"])", R"(["bbbba"])"}, {R"(["aabbbb"])", R"(["bb"])"});
  expect(schema(R"({"type":"string","pattern":"^(ab)*$","minLength":3,"maxLength":5})"), {R"("abab")"},
         {R"("ab")", R"("aba")"});
  expect(schema(R"({"type":"string","pattern":"^(..)*$","minLength":3})"), {R"("abab")", R"("\u00e9\"ab")"},
         {R"("ab")", R"("ababa")"});
  EXPECT_TRUE(contains(refusal(R"({"type":"string","pattern":"^(ab)*$","minLength":3,"maxLength":3})"),
                       "no text can satisfy it"));
}

TEST(JsonSchema, APatternSeesTheUnescapedString) {
  expect(schema(R"({"type":"string","pattern":"^\"[a\n]*\"$"})"), {R"("\"a\"")", R"("\u0022\n\"")"},
         {R"("a")", R"("\"")"});
}

TEST(JsonSchema, IntersectsWhatStandsSideBySide) {
  expect(
      schema(
          R"({"type":"string","allOf":[{"pattern":"a"},{"pattern":"b"}],"anyOf":[{"maxLength":2},{"pattern":"^c"}]})"),
      {R"("ab")", R"("cxab")"}, {R"("xab")", R"("a")"});
  expect(schema(R"({"$ref":"#/$defs/s","maxLength":2,"$defs":{"s":{"type":"string","minLength":1}}})"), {R"("ab")"},
         {R"("")", R"("abc")", "1"});
  expect(
      schema(
          R"({"allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"a":{"minimum":3}},"additionalProperties":{"type":"null"}}],"type":"object"})"),
      {R"({"a":3})", R"({"b":null})"}, {R"({"a":2})", R"({"b":1})"});
}

TEST(JsonSchema, KeysOfSeveralSchemasComeInAnyOrderOfTheSchemas) {
  const auto c = schema(
      R"({"allOf":[{"properties":{"a":{},"b":{}},"required":["a"]},{"properties":{"c":{}},"required":["c"]}],"type":"object"})");
  expect(c, {R"({"a":1,"b":1,"c":1})", R"({"c":1,"a":1})"},
         {R"({"b":1,"a":1,"c":1})", R"({"a":1})", R"({"a":1,"c":1,"b":1})"});
}

TEST(JsonSchema, OneOfNeedsBranchesThatExcludeEachOther) {
  expect(schema(R"({"oneOf":[{"type":"object","properties":{"t":{"const":1},"v":{"type":"string"}},"required":["t"]},
                            {"type":"object","properties":{"t":{"enum":[2,3]}},"required":["t"]},{"type":"null"}]})"),
         {R"({"t":1,"v":""})", R"({"t":2,"v":5})", "null"}, {R"({"t":1,"v":5})", R"({"t":4})"});
  EXPECT_TRUE(contains(refusal(R"({"items":{"oneOf":[{"type":"integer"},{"minimum":2}]}})"),
                       "keyword \"oneOf\" at #/items: branches 0 and 1 may hold at once"));
  expect(
      schema(
          R"({"oneOf":[{"type":"integer","maximum":2},{"type":"number","minimum":2.5},{"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]})"),
      {"2", "2.5", R"("a")", R"("bb")"}, {"2.2", R"("c")"});
}

TEST(JsonSchema, RecursionGoesAsDeepAsTheDocument) {
  const auto c = schema(
      R"({"type":"object","properties":{"k":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false})");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "{\"k\":[";
  deep += "{}";
  for (int i = 0; i < 200; ++i) deep += "]}";
  EXPECT_TRUE(accepts(c, deep));
  EXPECT_TRUE(refuses(c, deep + "}"));
}

TEST(JsonSchema, CountsOfMembersAndItems) {
  expect(schema(R"({"type":"object","properties":{"a":{},"b":{}},"minProperties":2,"maxProperties":3})"),
         {R"({"a":1,"b":2})", R"({"b":1,"x":2,"y":3})"}, {"{}", R"({"a":1})", R"({"a":1,"b":1,"c":1,"d":1})"});
  expect(
      schema(
          R"({"type":"array","prefixItems":[{"type":"string"},{"type":"null"}],"items":{"type":"integer"},"minItems":1,"maxItems":3})"),
      {R"([""])", R"(["",null,1])"}, {"[]", "[1]", R"(["",null,1,2])", R"(["",1])"});
  expect(schema(R"({"type":"array","items":[{"type":"string"}],"additionalItems":false})"), {R"([""])", "[]"},
         {R"(["",1])"});
}

TEST(JsonSchema, PatternPropertiesAndNames) {
  expect(
      schema(
          R"({"type":"object","properties":{"xa":{}},"patternProperties":{"^x":{"type":"integer"},"a$":{"minimum":5}},"additionalProperties":{"type":"null"}})"),
      {R"({"xa":7})", R"({"xb":1,"b":null,"ba":"s"})", R"({"ba":5})"},
      {R"({"xa":3})", R"({"b":1})", R"({"xb":null})", R"({"ba":4})"});
  expect(schema(R"({"type":"object","propertyNames":{"pattern":"^[a-z]+$","maxLength":2}})"), {R"({"ab":1})", "{}"},
         {R"({"A":1})", R"({"abc":1})", R"({"":1})"});
}

TEST(JsonSchema, FormatsAreSubsetsOfTheirStandards) {
  const std::tuple<const char*, std::vector<const char*>, std::vector<const char*>> cases[] = {
      {"date",
       {"2024-02-29", "2000-02-29", "1999-12-31"},
       {"2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-5-1"}},
      {"time", {"12:30:00Z", "23:59:59.5+02:00"}, {"24:00:00Z", "12:30", "12:30:61Z"}},
      {"date-time", {"2024-05-01T12:30:00Z"}, {"2024-05-01", "2024-05-01 12:30:00Z"}},
      {"duration", {"P1Y2M3DT4H5M6S", "PT1M", "P2W"}, {"P", "PT", "P1YT", "1Y", "P1W2D"}},
      {"email", {"a@b.co", "first.last+tag@example.org"}, {"no-at-sign", "@b.co", "a@", "a..b@c.d"}},
      {"hostname", {"example.org", "a-b.c"}, {"-a.b", "a..b", "a-.b", ""}},
      {"ipv4", {"127.0.0.1", "255.255.255.255"}, {"256.1.1.1", "1.2.3", "01.2.3.4"}},
      {"ipv6",
       {"::", "::1", "1::", "fe80::1:2", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::"},
       {":", "1:2:3:4:5:6:7", ":::", "1::2::3", "12345::"}},
      {"uri",
       {"https://example.org/a?b=c#d", "mailto:a@b.c", "urn:x:y"},
       {"//a", "a b:c", "http://a b", "1a:b", "x:%zz"}},
      {"uuid", {"123e4567-E89b-12d3-a456-426614174000"}, {"123e4567", "123e4567-e89b-12d3-a456-42661417400g"}},
  };
  for (const auto& [name, good, bad] : cases) {
    const auto c = schema(std::string(R"({"type":"string","format":")") + name + "\"}");
    for (const char* text : good) EXPECT_TRUE(accepts(c, '"' + std::string(text) + '"')) << name << ' ' << text;
    for (const char* text : bad) EXPECT_TRUE(refuses(c, '"' + std::string(text) + '"')) << name << ' ' << text;
  }
}

TEST(JsonSchema, ThePolicyForBlanksHoldsEverywhere) {
  lk::SchemaOptions pretty{.whitespace = lk::Whitespace::pretty(1)};
  expect(schema(R"({"properties":{"a":{},"b":{"const":[1,{"c":2}]}},"required":["a","b"],"type":"object"})", pretty),
         {"{\n \"a\": [\n  1\n ],\n \"b\": [\n  1,\n  {\n   \"c\": 2\n  }\n ]\n}"}, {R"({"a":1,"b":[1,{"c":2}]})"});
  lk::SchemaOptions flexible{.whitespace = lk::Whitespace::flexible(2)};
  expect(schema(R"({"type":"array","items":{"type":"integer"}})", flexible), {"[ 1 ,\n 2]", "[  ]"},
         {"[   1]", " [1]", "[1] "});
}

TEST(JsonSchema, ErrorsNameKeywordAndPointer) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"properties":{"tags":{"uniqueItems":true}}})",
       R"(keyword "uniqueItems" at #/properties/tags: is not supported)"},
      {R"({"items":{"not":{}}})", R"(keyword "not" at #/items)"},
      {R"({"if":{},"then":{}})", R"(keyword "if" at #)"},
      {R"({"$ref":"other.json"})", R"(keyword "$ref" at #: "other.json": only references into the document)"},
      {R"({"$ref":"#/$defs/x"})", "points to nothing"},
      {R"({"$defs":{"a/b":{"$ref":"#/$defs/a~1b"}},"$ref":"#/$defs/a~1b"})",
       R"(keyword "$ref" at #/$defs/a~1b: refers to itself without an end)"},
      {R"({"$ref":"#"})", "refers to itself"},
      {R"({"type":"strin"})", R"(keyword "type" at #: "strin" is not a JSON type)"},
      {R"({"minLength":-1})", R"(keyword "minLength" at #: must be a whole number)"},
      {R"x({"type":"string","pattern":"a(?=b)"})x", R"(keyword "pattern" at #: position 1: look-ahead)"},
      {R"({"properties":{"x":{"type":"string","format":"regex"}}})",
       R"(keyword "format" at #/properties/x: "regex" is not supported)"},
      {R"({"anyOf":[]})", R"(keyword "anyOf" at #: must be a non-empty array)"},
      {R"({"properties":{"x":5}})", "must be an object of schemas"},
      {"5", "at #: a schema must be"},
      {"{", "not JSON"},
      {"false", "no text can satisfy it"},
      {R"({"type":"integer","minimum":5,"maximum":4})", "no text can satisfy it"},
  };
  for (const auto& [text, message] : cases) EXPECT_TRUE(contains(refusal(text), message)) << text;
}

TEST(JsonSchema, LenientIgnoresAndTells) {
  lk::SchemaOptions lenient = kCompact;
  lenient.lenient = true;
  const auto c = schema(R"({"type":"array","items":{"type":"integer"},"uniqueItems":true,"x-note":1})", lenient);
  expect(c, {"[1,1]"}, {});
  ASSERT_EQ(c.warnings().size(), 2u);
  EXPECT_TRUE(contains(c.warnings()[0], "uniqueItems"));
  EXPECT_TRUE(contains(c.warnings()[1], "unknown keyword \"x-note\" at #"));
}

TEST(JsonSchema, DepthIsLimitedByAnError) {
  for (const char* open : {"[", "{\"items\":", "{\"a\":["}) {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += open;
    EXPECT_TRUE(contains(refusal(deep), "nested more than 512 deep"));
  }
  std::string chain = R"({"$ref":"#/$defs/a0","$defs":{)";
  for (int i = 0; i < 3000; ++i)
    chain += "\"a" + std::to_string(i) + "\":{\"$ref\":\"#/$defs/a" + std::to_string(i + 1) + "\"},";
  EXPECT_TRUE(contains(refusal(chain + "\"a3000\":true}}"), "references too deep"));
  EXPECT_TRUE(contains(refusal(R"({"type":"array","maxItems":5000000})"), "items to count"));
}

TEST(JsonSchema, APatternNeedsRoomInALengthLongBeforeItsEnd) {
  // After 80 of at most 100 characters the branch of 21 more is closed, after 97 of them the last part of three too.
  const auto branch = schema(R"({"type":"string","pattern":"^(a|bb{20})*$","maxLength":100})");
  const auto part = schema(R"({"type":"string","pattern":"X(a|bbb)3$","minLength":2,"maxLength":40})");
  const std::pair<lk::Constraint, std::string> cases[] = {{branch, std::string(100, 'a')},
                                                          {part, std::string(37, 'x') + "Xa3"}};
  for (const auto& [constraint, text] : cases) {
    lk::Matcher m = constraint.matcher();
    ASSERT_TRUE(m.accept('"'));
    for (std::size_t i = 0; i < text.size(); ++i) {
      ASSERT_TRUE(holds_here(m, text.substr(0, i)));
      ASSERT_TRUE(m.accept(static_cast<unsigned char>(text[i]))) << i;
    }
    EXPECT_EQ(m.forced_bytes(), "\"");
  }
}

TEST(JsonSchema, MaxLengthCostsNothing) {
  const auto bytes = [](int most) {
    return schema(R"({"type":"string","maxLength":)" + std::to_string(most) + "}").compiled()->grammar().bytes();
  };
  EXPECT_EQ(bytes(5), bytes(100'000));
}

// A tiny memory limit starts the tables afresh all the time; nothing may depend on it.
TEST(JsonSchema, ResultsDoNotDependOnWhatWasForgotten) {
  const char* text =
      R"({"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#"}},"s":{"type":"string","maxLength":3}},"additionalProperties":false})";
  lk::SchemaOptions tiny = kCompact;
  tiny.memory_limit = 1;
  lk::Matcher small = schema(text, tiny).matcher(), large = schema(text).matcher();
  const std::string document = R"({"a":[{"s":"abc"},{"a":[{}]}],"s":"a\n"})";
  for (std::size_t i = 0; i < document.size(); ++i) {
    ASSERT_EQ(mask_of(small), mask_of(large)) << i;
    const auto token = static_cast<unsigned char>(document[i]);
    ASSERT_TRUE(small.accept(token));
    ASSERT_TRUE(large.accept(token));
    if (i % 7 == 6) {
      ASSERT_TRUE(small.rollback(5));
      ASSERT_TRUE(large.rollback(5));
      ASSERT_EQ(mask_of(small), mask_of(large)) << i;
      for (std::size_t j = i - 4; j <= i; ++j) {
        ASSERT_TRUE(small.accept(static_cast<unsigned char>(document[j])));
        ASSERT_TRUE(large.accept(static_cast<unsigned char>(document[j])));
      }
    }
  }
  EXPECT_TRUE(small.is_complete());
}

}  // namespace json_schema_test
