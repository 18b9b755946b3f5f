// SPDX-License-Identifier: MIT
#include "logitkit/constrain/regex.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <regex>

#include "walks.hpp"

namespace regex_test {

using namespace constrain_test;

lk::Constraint pattern(std::string_view p) { return lk::compile_regex(small_vocabulary(), p); }
std::string refusal(std::string_view p) {
  return error_of([&] { pattern(p); });
}

TEST(Regex, MatchesTheWholeText) {
  const auto c = pattern("(a|ab)(c|bcd)");
  for (const char* text : {"ac", "abc", "abcd", "abbcd"}) EXPECT_TRUE(accepts(c, text)) << text;
  for (const char* text : {"ab", "abbc", "", "xac"}) EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(Regex, CountsCodePointsNotBytes) {
  EXPECT_TRUE(accepts(pattern(".{2}"), "\xf0\x9f\x8d\x9c\xc3\xa9"));
  EXPECT_TRUE(refuses(pattern(".{2}"), "\xc3\xa9"));
}

TEST(Regex, ADotIsNoLineTerminator) {
  for (const char* text : {"\n", "\r", "\xe2\x80\xa8", "\xe2\x80\xa9"}) EXPECT_TRUE(refuses(pattern("."), text));
  EXPECT_TRUE(accepts(pattern("(.|\\n)*"), "a\nb"));
}

TEST(Regex, RangesMayCrossUtf8Lengths) {
  const auto c = pattern("[z-\\u{10000}]");
  for (const char* text : {"z", "\xc3\xa9", "\xef\xbf\xbf", "\xf0\x90\x80\x80"}) EXPECT_TRUE(accepts(c, text)) << text;
  for (const char* text : {"y", "\xf0\x90\x80\x81", "\xed\xa0\x80"}) EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(Regex, SurrogatePairsOfEscapesAreOneCharacter) {
  EXPECT_TRUE(accepts(pattern("\\ud83c\\udf5c"), "\xf0\x9f\x8d\x9c"));
}

TEST(Regex, AnchorsHoldAtTheEndsOnly) {
  EXPECT_TRUE(accepts(pattern("^abc$"), "abc"));
  EXPECT_TRUE(accepts(pattern("^a|b$"), "b"));
  EXPECT_TRUE(contains(refusal("a^b"), "no text can satisfy it"));
  EXPECT_TRUE(accepts(pattern("$^"), ""));
}

TEST(Regex, NestedStarsTerminate) {
  const auto c = pattern("(a*)*b");
  EXPECT_TRUE(accepts(c, "aab"));
  EXPECT_TRUE(refuses(c, "a"));
}

TEST(Regex, ErrorsNameConstructAndPosition) {
  const std::pair<const char*, const char*> cases[] = {
      {"a(?=b)", "position 1: look-ahead"},
      {"(?!a)b", "position 0: look-ahead"},
      {"x(?<=a)b", "position 1: look-behind"},
      {"(a)\\1", "position 3: back-references"},
      {"\\bfoo", "position 0: word boundaries"},
      {"(?i)abc", "position 0: inline flags"},
      {"a(bc", "position 1: unbalanced \"(\""},
      {"abc)", "position 3: unbalanced \")\""},
      {"a[bc", "position 1: unbalanced \"[\""},
      {"a{3,1}", "position 1: reversed bounds"},
      {"*a", "position 0: nothing to repeat"},
      {"a**", "position 2: nothing to repeat"},
      {"[z-a]", "position 1: a reversed range"},
      {"a\\", "position 1: a trailing backslash"},
      {"\\p{L}+", "position 0: Unicode"},
      {"[]a]", "position 0: a class that begins"},
      {"^*", "position 0: nothing to repeat"},
      {"a{,3}", "position 1: a repetition without"},
      {"\\xZ1", "position 0: a malformed"},
      {"a|b{2}{3}", "position 6: nothing to repeat"},
      {"a{200000}", "position 1: a repetition count"},
  };
  for (const auto& [p, text] : cases) EXPECT_TRUE(contains(refusal(p), text)) << p;
}

TEST(Regex, SizeIsLimitedByErrors) {
  EXPECT_TRUE(contains(refusal("(a|b)*a(a|b){20}"), "too large"));
  EXPECT_TRUE(contains(refusal("((a{1000}){1000}){1000}"), "too large"));
  EXPECT_TRUE(contains(refusal(std::string(100'000, '(')), "nested"));
  EXPECT_TRUE(contains(refusal(std::string(100'000, '[')), "unbalanced"));
}

TEST(Regex, ALongCountIsExact) {
  const auto c = pattern("[A-Za-z ]{1,100}");
  EXPECT_TRUE(accepts(c, std::string(100, 'A')));
  EXPECT_TRUE(refuses(c, std::string(101, 'A')));
  EXPECT_TRUE(refuses(c, ""));
}

// random patterns over a small alphabet against std::regex, all texts up to length 4
TEST(Regex, AgreesWithTheStandardLibraryOnRandomPatterns) {
  std::mt19937 random(11);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const std::function<std::string(int)> make = [&](int depth) -> std::string {
    switch (depth == 0 ? pick(4) : pick(9)) {
      case 0:
        return "a";
      case 1:
        return "b";
      case 2:
        return "[^a]";
      case 3:
        return ".";
      case 4:
        return make(depth - 1) + make(depth - 1);
      case 5:
        return "(?:" + make(depth - 1) + "|" + make(depth - 1) + ")";
      case 6:
        return "(" + make(depth - 1) + ")*";
      case 7:
        return "(?:" + make(depth - 1) + ")?" + make(depth - 1);
      default:
        return "(?:" + make(depth - 1) + "){1,2}";
    }
  };
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; i < texts.size() && texts[i].size() < 4; ++i)
    for (char c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
  int matches = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string p = make(3);
    const std::regex reference(p);
    const auto c = pattern(p);
    for (const std::string& text : texts) {
      const bool expected = std::regex_match(text, reference);
      matches += expected;
      ASSERT_EQ(walk(c, text, false) == Fate::complete, expected) << p << " on " << text;
    }
    if (round >= 60) continue;
    const auto part = lk::detail::RegexAutomaton::build(p, lk::detail::RegexAutomaton::Match::part);
    for (const std::string& text : texts)
      ASSERT_EQ(part.matches(text), std::regex_search(text, reference)) << p << " in " << text;
  }
  EXPECT_GT(matches, 1000);
}

TEST(RegexPart, SearchesLikeJsonSchema) {
  const auto part = [](std::string_view p) {
    return lk::detail::RegexAutomaton::build(p, lk::detail::RegexAutomaton::Match::part);
  };
  EXPECT_TRUE(part("b+").matches("abc"));
  EXPECT_FALSE(part("b+").matches("ac"));
  for (const char* text : {"foo", "foox", "xbar", "bar"}) EXPECT_TRUE(part("^foo|bar$").matches(text)) << text;
  for (const char* text : {"xfoo", "barx", ""}) EXPECT_FALSE(part("^foo|bar$").matches(text)) << text;
  EXPECT_TRUE(part("").matches("anything\n"));
  EXPECT_EQ(part("\\S").size(), 2u);
}

}  // namespace regex_test
