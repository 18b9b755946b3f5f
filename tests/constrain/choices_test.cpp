// SPDX-License-Identifier: MIT
#include "logitkit/constrain/choices.hpp"

#include <gtest/gtest.h>

#include "walks.hpp"

namespace choices_test {

using namespace constrain_test;

TEST(Choices, AllowsTheChoicesAndNothingElse) {
  const auto c = lk::compile_choices(small_vocabulary(), {"positive", "negative", "mixed"});
  for (const char* text : {"positive", "negative", "mixed"}) EXPECT_TRUE(accepts(c, text)) << text;
  for (const char* text : {"", "pos", "positively", "Mixed", "none"}) EXPECT_TRUE(refuses(c, text)) << text;
}

TEST(Choices, OffersEveryTokenThatBeginsAChoice) {
  const auto c = lk::compile_choices(small_vocabulary(), {"positive", "poem"});
  lk::Matcher m = c.matcher();
  const Mask mask = mask_of(m);
  std::vector<std::string> offered;
  for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(kWidth); ++id)
    if (allowed(mask, id)) offered.emplace_back(small_vocabulary().bytes(id));
  EXPECT_EQ(offered, (std::vector<std::string>{"p", "positive", "pos"}));
}

TEST(Choices, AChoiceThatBeginsAnotherOneStaysSelectable) {
  const auto c = lk::compile_choices(small_vocabulary(), {"a", "ab", "a"});
  EXPECT_TRUE(accepts(c, "a"));
  EXPECT_TRUE(accepts(c, "ab"));
  EXPECT_TRUE(refuses(c, "b"));
  lk::Matcher m = c.matcher();
  ASSERT_TRUE(m.accept('a'));
  const Mask mask = mask_of(m);
  EXPECT_TRUE(allowed(mask, kEnd));
  EXPECT_TRUE(allowed(mask, 'b'));
}

TEST(Choices, AnEmptyChoiceMayEndAtOnce) {
  const auto c = lk::compile_choices(small_vocabulary(), {"", "yes"});
  EXPECT_TRUE(c.matcher().is_complete());
  EXPECT_TRUE(accepts(c, "yes"));
}

TEST(Choices, AnEmptyListIsAnError) {
  EXPECT_TRUE(contains(error_of([] { lk::compile_choices(small_vocabulary(), {}); }), "the list is empty"));
}

TEST(Choices, AChoiceWithBytesThatNoTokenHasIsDropped) {
  const lk::Vocabulary letters(std::vector<std::string>{"z", "a", "b", "end", "q"}, {.end_ids = {3}});
  EXPECT_EQ(letters.missing_bytes().size(), 252u);
  const auto c = lk::compile_choices(letters, {"ab", "ac"});
  lk::Matcher m = c.matcher();
  ASSERT_TRUE(m.accept(1));
  EXPECT_EQ(m.forced_bytes(), "b");
  EXPECT_TRUE(contains(error_of([&] { lk::compile_choices(letters, {"ac"}); }), "no token of the vocabulary contains"));
}

TEST(Choices, ThreeHundredThousandBytesAreNoDepth) {
  const std::string longest(300'000, 'a');
  const auto c = lk::compile_choices(small_vocabulary(), {longest, longest + "b"});
  EXPECT_EQ(c.matcher().forced_bytes(1000), std::string(1000, 'a'));
}

}  // namespace choices_test
