// SPDX-License-Identifier: MIT
#include "logitkit/constrain/tags.hpp"

#include <gtest/gtest.h>

#include "logitkit/constrain/choices.hpp"
#include "logitkit/constrain/json_text.hpp"
#include "walks.hpp"

namespace tags_test {

using namespace constrain_test;

lk::Constraint two_tags() {
  return lk::compile_tags(small_vocabulary(),
                          {{"<call>", lk::compile_json(small_vocabulary()), "</call>"},
                           {"<pick>", lk::compile_choices(small_vocabulary(), {"yes", "no"}), "</pick>"},
                           {"<pick>", lk::compile_choices(small_vocabulary(), {"maybe"}), "!"}});
}

TEST(Tags, FreeTextSwitchesIntoAConstraintAndBack) {
  const auto c = two_tags();
  for (const char* text : {"", "free < text\xff", "a<call>{\"a\":1}</call> b <pick>yes</pick>", "<<call>[]</call>",
                           "<pick>maybe!", "<ca<pick>no</pick>"})
    EXPECT_TRUE(accepts(c, text)) << text;
  for (const char* text : {"<call>", "<call>x", "<call>{}", "<pick>yes!", "<pick>maybe</pick>", "<call>{}</pick>"})
    EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(Tags, EveryBeginningIsFoundWhereverItBegins) {
  // Beginnings that start alike, and inside each other's first parts; a text is complete iff the last one found by
  // looking at every position has ended.
  const std::vector<std::string> begins = {"aab", "aba<", "bb", "<a<a<b"};
  std::vector<lk::Tag> tags;
  for (const std::string& begin : begins)
    tags.push_back({begin, lk::compile_choices(small_vocabulary(), {begin + "!"}), "."});
  const auto c = lk::compile_tags(small_vocabulary(), tags);
  int found = 0;
  for (std::uint32_t n = 0; n < 6561; ++n) {  // 3^8 texts of a, b and <
    std::string text, free;
    for (std::uint32_t i = 0, rest = n; i < 8; ++i, rest /= 3) {
      const char letter = "ab<"[rest % 3];
      text += letter;
      free += letter;
      for (const std::string& begin : begins)
        if (free.ends_with(begin)) text += begin + "!.", free.clear(), ++found;
    }
    ASSERT_EQ(walk(c, text, false), Fate::complete) << text;
  }
  EXPECT_GT(found, 5000);
}

TEST(Tags, ATokenMaySpanTheBorder) {
  std::vector<std::string> tokens = small_tokens();
  tokens[280] = "x<c>{\"";
  tokens[281] = "x<c>ab";
  const lk::Vocabulary vocabulary(tokens, {.size = kWidth, .special_ids = {kSpecial}, .end_ids = {kEnd}});
  const auto c = lk::compile_tags(vocabulary, {{"<c>", lk::compile_json(vocabulary), "<"}});
  lk::Matcher m = c.matcher();
  EXPECT_FALSE(m.accept(281));
  EXPECT_TRUE(m.accept(280));
  EXPECT_FALSE(m.is_complete());
}

TEST(Tags, ASpecialTokenOfTheNameCountsAsTheBeginning) {
  const auto c = lk::compile_tags(small_vocabulary(), {{"true", lk::compile_choices(small_vocabulary(), {"ab"}), "."}});
  lk::Matcher m = c.matcher();
  EXPECT_TRUE(holds_here(m, ""));
  ASSERT_TRUE(m.accept(kSpecial));
  EXPECT_EQ(m.forced_bytes(), "ab.");
  ASSERT_TRUE(m.rollback(1));
  ASSERT_TRUE(m.accept(small_vocabulary().find("true")));
  EXPECT_EQ(m.forced_bytes(), "ab.");
}

TEST(Tags, BeginningsMustBeAbleToComplete) {
  const auto inner = lk::compile_json(small_vocabulary());
  EXPECT_TRUE(contains(error_of([&] { lk::compile_tags(small_vocabulary(), {}); }), "empty"));
  EXPECT_TRUE(contains(error_of([&] {
                         lk::compile_tags(small_vocabulary(), {{"", inner, ""}});
                       }),
                       "without a beginning"));
  EXPECT_TRUE(contains(error_of([&] {
                         lk::compile_tags(small_vocabulary(), {{"<ab>", inner, ""}, {"<a", inner, ""}});
                       }),
                       "\"<a\" is contained"));
  const std::string longest(1000, 'a');
  EXPECT_TRUE(refuses(lk::compile_tags(small_vocabulary(), {{longest, inner, ""}}), longest));
  EXPECT_TRUE(contains(error_of([&] {
                         lk::compile_tags(small_vocabulary(), {{longest + "a", inner, ""}});
                       }),
                       "more than 1000 bytes"));
}

}  // namespace tags_test
