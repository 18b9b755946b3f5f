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
}

}  // namespace tags_test
