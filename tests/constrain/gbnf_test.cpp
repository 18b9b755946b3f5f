// SPDX-License-Identifier: MIT
#include "logitkit/constrain/gbnf.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "walks.hpp"

namespace gbnf_test {

using namespace constrain_test;

lk::Constraint grammar(std::string_view text) { return lk::compile_gbnf(small_vocabulary(), text); }
std::string refusal(std::string_view text) {
  return error_of([&] { grammar(text); });
}

TEST(Gbnf, RulesGroupsAndRepetitions) {
  const auto c =
      grammar("root ::= expr # sum\nexpr ::= term ((\"+\" | \"-\") term)*\nterm ::= [0-9]+ | \"(\" expr \")\"\n");
  for (const char* text : {"1+2", "((4))", "12-(3+4)"}) EXPECT_TRUE(accepts(c, text)) << text;
  for (const char* text : {"1+", "(1", "", "+1"}) EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(Gbnf, AlternativesMayContinueOnTheNextLine) {
  const auto c = grammar("root ::= \"a\"\n  | (\n \"b\" # x\n \"c\")\n\nother ::= \"d\"");
  EXPECT_TRUE(accepts(c, "a"));
  EXPECT_TRUE(accepts(c, "bc"));
  EXPECT_TRUE(refuses(c, "d"));
}

TEST(Gbnf, AnotherRuleMayBeTheStart) {
  EXPECT_TRUE(accepts(lk::compile_gbnf(small_vocabulary(), "top ::= \"a\"", "top"), "a"));
}

TEST(Gbnf, EscapesAndClasses) {
  EXPECT_TRUE(accepts(grammar(R"(root ::= "\t\n\"\\\x41\u00e9\U0001F35C")"), "\t\n\"\\A\xc3\xa9\xf0\x9f\x8d\x9c"));
  const auto c = grammar(R"(root ::= [\]\[a-]+ [^\n])");
  EXPECT_TRUE(accepts(c, "][-a\xc3\xa9"));
  EXPECT_TRUE(refuses(c, "]\n"));
  EXPECT_TRUE(accepts(grammar("root ::= ."), "\n"));
}

TEST(Gbnf, ReadingsThatLiveSideBySide) {
  const auto c = grammar("root ::= (a | b)\na ::= \"x\" \"y\"*\nb ::= \"x\"* \"y\"\n");
  for (const char* text : {"x", "xy", "xxy", "xyy", "y"}) EXPECT_TRUE(accepts(c, text)) << text;
  for (const char* text : {"xxyy", ""}) EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(Gbnf, ManyReadingsShareTheirStacks) {
  // each "a" may or may not want a "b" later: 2^40 stacks, kept as one set per depth
  const auto c = grammar("root ::= s\ns ::= \"a\" s \"b\" s | \"a\" s | \"\"\n");
  EXPECT_TRUE(accepts(c, std::string(40, 'a') + std::string(40, 'b')));
  EXPECT_TRUE(refuses(c, std::string(40, 'a') + std::string(41, 'b')));
}

TEST(Gbnf, TailRecursionRunsInConstantSpace) {
  const auto c = grammar("root ::= \"a\" root | \"b\"");
  lk::Matcher m = c.matcher();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(m.accept('a'));
  const std::size_t before = c.memory();
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(m.accept('a'));
  EXPECT_EQ(c.memory(), before);
}

TEST(Gbnf, TokenTerminalsReachSpecialIds) {
  const auto c = grammar("root ::= \"a\" <[302]> !<[97]> <stop> \"b\"");
  lk::Matcher m = c.matcher();
  EXPECT_TRUE(holds_here(m, "start"));
  ASSERT_TRUE(m.accept('a'));
  EXPECT_TRUE(holds_here(m, "a"));
  EXPECT_FALSE(m.accept(small_vocabulary().find("true")));  // the special token of that name is meant, not its text
  ASSERT_TRUE(m.accept(kSpecial));
  EXPECT_TRUE(holds_here(m, "special"));
  EXPECT_FALSE(m.accept('a'));
  EXPECT_FALSE(m.accept(kEnd));
  ASSERT_TRUE(m.accept(small_vocabulary().find("abc")));
  ASSERT_TRUE(m.accept(kOtherEnd));  // named by the grammar: does not terminate
  EXPECT_FALSE(m.is_terminated());
  ASSERT_TRUE(m.accept('b'));
  ASSERT_TRUE(m.accept(kOtherEnd));
  EXPECT_TRUE(m.is_terminated());
  ASSERT_TRUE(m.rollback(5));
  EXPECT_TRUE(allowed(mask_of(m), kSpecial));
}

TEST(Gbnf, ATokenTerminalMeansOneIdAlsoWhereAnotherHasItsBytes) {
  const lk::Vocabulary twins({"x", "ab", "y", "ab", "<end>"}, {.end_ids = {4}});
  const auto c = lk::compile_gbnf(twins, "root ::= <[1]> !<[3]> \"ab\"");
  const auto expect = [](lk::Matcher& m, const std::vector<lk::TokenId>& ids) {
    const Mask mask = mask_of(m);
    for (lk::TokenId id = 0; id < 5; ++id) {
      const bool wanted = std::find(ids.begin(), ids.end(), id) != ids.end();
      EXPECT_EQ(allowed(mask, id), wanted) << id;
      lk::Matcher copy = m;
      EXPECT_EQ(copy.accept(id), wanted) << id;
    }
  };
  lk::Matcher m = c.matcher();
  expect(m, {1});
  ASSERT_TRUE(m.accept(1));
  expect(m, {0, 1, 2});
  ASSERT_TRUE(m.accept(2));
  expect(m, {1, 3});  // text, so either
}

TEST(Gbnf, ErrorsNameLineAndRule) {
  const std::pair<const char*, const char*> cases[] = {
      {"start ::= \"a\"\n", "line 1: there is no rule \"root\""},
      {"root ::= \"a\"\n  | foo", "line 2: rule \"foo\" is not defined"},
      {"root ::= \"abc\n", "line 1, rule \"root\": a literal without"},
      {"\nroot ::= [a-z\n", "line 2, rule \"root\": a class without"},
      {"root ::= *\n", "nothing to repeat"},
      {"root ::= \"a\"**\n", "nothing to repeat"},
      {"root ::= \"a\"{3,1}\n", "reversed bounds"},
      {"root ::= \"a\"{5000}", "a repetition count above 2000"},
      {"root \"a\"\n", "\"::=\" is expected"},
      {"root ::= (\"a\" | \"b\"\n", "unbalanced \"(\""},
      {"root ::= \"a\")\n", "unbalanced \")\""},
      {"root ::= \"\\q\"", "unknown escape \"\\q\""},
      {"root ::= [z-a]", "a reversed range"},
      {"root ::= \"a\"\nroot ::= \"b\"", "line 2, rule \"root\": is defined twice"},
      {"root ::= <nothing-like-it>", "is not one token"},
      {"root ::= <[500]>", "outside the vocabulary"},
      {"root ::= root\n", "left recursion: root"},
      {"root ::= \"a\" b\nb ::= \"c\" b\n", "rule \"root\": no text can satisfy it"},
      {" ", "there is no rule \"root\""},
  };
  for (const auto& [text, message] : cases) EXPECT_TRUE(contains(refusal(text), message)) << text;
}

TEST(Gbnf, LeftRecursionIsRefusedNamingTheCycle) {
  EXPECT_TRUE(contains(refusal("root ::= root \"+\" num | num\nnum ::= [0-9]+"), "left recursion: root -> root"));
  EXPECT_TRUE(contains(refusal("root ::= x \"a\"\nx ::= \"b\"? root | \"b\""), "left recursion: root -> x -> root"));
}

TEST(Gbnf, TooManyReadingsAreAnErrorNotACrash) {
  std::string many = "root ::= \"w0\"";
  for (int i = 1; i < 5000; ++i) many += " | \"w" + std::to_string(i) + '"';
  EXPECT_TRUE(contains(refusal(many), "rule \"root\": more than 4096 alternatives at the beginning"));
  // later: every text so far is a reading of its own; nothing is allowed any more, and the matcher says why
  std::string later = "root ::= \"a\" (\"w0\"";
  for (int i = 1; i < 5000; ++i) later += " | \"w" + std::to_string(i) + '"';
  lk::Matcher m = grammar(later + ")").matcher();
  EXPECT_EQ(m.error(), "");
  EXPECT_FALSE(m.accept('a'));
  EXPECT_TRUE(contains(m.error(), "too ambiguous"));
  EXPECT_EQ(mask_of(m), Mask(small_vocabulary().mask_words()));
}

TEST(Gbnf, DepthIsLimitedByAnError) {
  EXPECT_TRUE(contains(refusal("root ::= " + std::string(100'000, '(')), "nested more than 250 deep"));
  std::string chain = "root ::= r0\n";
  for (int i = 0; i < 20'000; ++i) chain += "r" + std::to_string(i) + " ::= r" + std::to_string(i + 1) + "\n";
  EXPECT_TRUE(accepts(grammar(chain + "r20000 ::= \"a\"\n"), "a"));
}

}  // namespace gbnf_test
