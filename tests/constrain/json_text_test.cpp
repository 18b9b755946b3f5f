// SPDX-License-Identifier: MIT
#include "logitkit/constrain/json_text.hpp"

#include <gtest/gtest.h>

#include "walks.hpp"

namespace json_text_test {

using namespace constrain_test;

TEST(Json, AnyValue) {
  const auto c = lk::compile_json(small_vocabulary());
  for (const char* text :
       {"null", "-0.5e+1", "\"\"", "[]", "{}", "[1, 2]", "{\"a\":[{},[ ] ] , \"b\":\"\\u00e9\"}", "\"\x7f\""})
    EXPECT_TRUE(accepts(c, text)) << text;
  for (const char* text : {"", " 1", "1 ", "[1,]", "{\"a\"}", "{a:1}", "01", "\"\t\"", "\"\\x\"", "[1,  2]", "nul"})
    EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(Json, SurrogatesComeInPairs) {
  const auto c = lk::compile_json(small_vocabulary());
  EXPECT_TRUE(accepts(c, "\"\\ud83c\\udf5c\""));
  EXPECT_TRUE(accepts(c, "\"\\uDBFF\\uDFFF\""));
  for (const char* text : {"\"\\ud800\"", "\"\\udc00\"", "\"\\ud800x\"", "\"\\ud83c\\u0041\""})
    EXPECT_EQ(walk(c, text, false), Fate::dead) << text;
}

TEST(Json, IllFormedUtf8IsDeadAtTheFirstByte) {
  const auto c = lk::compile_json(small_vocabulary());
  for (const char* bytes :
       {"\"\xc0", "\"\xf5", "\"\x80", "\"\xe0\x9f", "\"\xed\xa0", "\"\xf4\x90", "\"\xc3\"", "\"\xe6\x97\""})
    EXPECT_EQ(walk(c, bytes, false), Fate::dead);
  for (const char* bytes : {"\"\xc3", "\"\xed\x9f", "\"\xf4\x8f", "\"\xf0\x9f\x8d"})
    EXPECT_EQ(walk(c, bytes), Fate::alive);
}

TEST(Json, CompactHasNoBlanks) {
  const auto c = lk::compile_json(small_vocabulary(), lk::Whitespace::compact());
  EXPECT_TRUE(accepts(c, "{\"a\":[1,2],\"b\":{}}"));
  for (const char* text : {"[ 1]", "[1 ,2]", "{\"a\": 1}", "[ ]"}) EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(Json, FlexibleBoundsTheBlanks) {
  const auto c = lk::compile_json(small_vocabulary(), lk::Whitespace::flexible(3));
  EXPECT_TRUE(accepts(c, "[ \n\t1\r, \n 2]"));
  EXPECT_TRUE(refuses(c, "[    1]"));
}

TEST(Json, PrettyIsOneLayout) {
  const auto c = lk::compile_json(small_vocabulary(), lk::Whitespace::pretty(2));
  EXPECT_TRUE(accepts(c, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}"));
  for (const char* text : {"[1]", "[\n 1\n]", "[\n  1\n ]", "{\n  \"a\":1\n}", "[ ]", "[\n  1, 2\n]"})
    EXPECT_TRUE(refuses(c, text)) << text;
  EXPECT_TRUE(accepts(lk::compile_json(small_vocabulary(), lk::Whitespace::pretty(0)), "[\n1\n]"));
}

TEST(Json, WhitespaceRangesAreChecked) {
  EXPECT_THROW(lk::Whitespace::pretty(17), lk::InvalidParameter);
  EXPECT_THROW(lk::Whitespace::flexible(-1), lk::InvalidParameter);
  EXPECT_NO_THROW(lk::Whitespace::flexible(0));
}

TEST(Json, AHundredThousandLevelsAreNoDepth) {
  const auto c = lk::compile_json(small_vocabulary());
  lk::Matcher m = c.matcher();
  constexpr int kLevels = 100'000;
  for (int i = 0; i < kLevels; ++i) ASSERT_TRUE(m.accept('['));
  lk::Matcher fork = m;
  for (int i = 0; i < kLevels; ++i) ASSERT_TRUE(m.accept(']')) << i;
  EXPECT_TRUE(m.is_complete());
  EXPECT_FALSE(m.accept(']'));
  ASSERT_TRUE(m.rollback(kLevels));
  EXPECT_EQ(mask_of(m), mask_of(fork));
}

}  // namespace json_text_test
