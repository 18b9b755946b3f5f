// SPDX-License-Identifier: MIT
#include "logitkit/constrain/matcher.hpp"

#include <gtest/gtest.h>

#include "logitkit/constrain/choices.hpp"
#include "walks.hpp"

namespace matcher_test {

using namespace constrain_test;

const lk::Constraint& labels() {
  static const auto c = lk::compile_choices(small_vocabulary(), {"positive", "negative", "mixed"});
  return c;
}
lk::TokenId id_of(const char* text) { return small_vocabulary().find(text); }

TEST(Matcher, ADefaultOneRestrictsNothing) {
  lk::Matcher m;
  std::vector<std::int32_t> mask(3, 5);
  EXPECT_FALSE(m.fill(mask));
  EXPECT_EQ(mask, (std::vector<std::int32_t>{-1, -1, -1}));
  EXPECT_TRUE(m.accept(17));
  EXPECT_TRUE(m.is_complete());
  EXPECT_EQ(m.width(), 0u);
}

TEST(Matcher, AFailedAcceptChangesNothing) {
  lk::Matcher m = labels().matcher();
  ASSERT_TRUE(m.accept(id_of("pos")));
  const Mask before = mask_of(m);
  for (lk::TokenId bad : {-1, 500, 100'000, kEnd, kSpecial, 495, static_cast<lk::TokenId>('z'), id_of("pos")})
    EXPECT_FALSE(m.accept(bad)) << bad;
  EXPECT_EQ(mask_of(m), before);
  EXPECT_EQ(m.size(), 1u);
}

TEST(Matcher, AnEndIdTerminatesAndOnlyEndIdsStayAllowed) {
  lk::Matcher m = labels().matcher();
  ASSERT_TRUE(m.accept(id_of("mixed")));
  EXPECT_TRUE(m.is_complete());
  EXPECT_FALSE(m.is_terminated());
  ASSERT_TRUE(m.accept(kOtherEnd));
  EXPECT_TRUE(m.is_terminated());
  EXPECT_FALSE(m.accept(kEnd));
  const Mask mask = mask_of(m);
  for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(kWidth); ++id)
    EXPECT_EQ(allowed(mask, id), id == kEnd || id == kOtherEnd);
}

TEST(Matcher, RollbackCountsTokensEndIdsIncluded) {
  lk::Matcher m = labels().matcher();
  const Mask first = mask_of(m);
  ASSERT_TRUE(m.accept(id_of("pos")));
  const Mask second = mask_of(m);
  for (char c : std::string("itive")) ASSERT_TRUE(m.accept(c));
  ASSERT_TRUE(m.accept(kEnd));
  EXPECT_FALSE(m.rollback(8));
  EXPECT_TRUE(m.is_terminated());
  ASSERT_TRUE(m.rollback(6));
  EXPECT_FALSE(m.is_terminated());
  EXPECT_EQ(mask_of(m), second);
  ASSERT_TRUE(m.rollback(1));
  EXPECT_EQ(mask_of(m), first);
  EXPECT_FALSE(m.rollback(1));
}

TEST(Matcher, ACopyGoesItsOwnWay) {
  lk::Matcher a = labels().matcher();
  ASSERT_TRUE(a.accept('p'));
  lk::Matcher b = a;
  ASSERT_TRUE(b.rollback(1));
  ASSERT_TRUE(b.accept('n'));
  EXPECT_EQ(a.forced_bytes(), "ositive");
  EXPECT_EQ(b.forced_bytes(), "egative");
}

TEST(Matcher, ForcedBytesStopWhereTheTextMayEnd) {
  const auto c = lk::compile_choices(small_vocabulary(), {"ab", "abcd"});
  lk::Matcher m = c.matcher();
  EXPECT_EQ(m.forced_bytes(), "ab");
  EXPECT_EQ(m.forced_bytes(1), "a");
  ASSERT_TRUE(m.accept(id_of("ab")));
  EXPECT_EQ(m.forced_bytes(), "");  // the end is a second way on
  ASSERT_TRUE(m.accept('c'));
  EXPECT_EQ(m.forced_bytes(), "d");
}

TEST(Matcher, SpansOfAnotherLengthAreFilledAsFarAsTheyGo) {
  lk::Matcher m = labels().matcher();
  const Mask whole = mask_of(m);
  Mask longer(20, -1), shorter(4, -1);
  EXPECT_TRUE(m.fill(longer));
  EXPECT_TRUE(m.fill(shorter));
  EXPECT_TRUE(std::equal(whole.begin(), whole.end(), longer.begin()));
  for (std::size_t i = whole.size(); i < longer.size(); ++i) EXPECT_EQ(longer[i], 0);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), whole.begin()));
}

TEST(Matcher, SeveralIdsOfOneTextAreAllAllowed) {
  const auto c = lk::compile_choices(small_vocabulary(), {"abz"});
  lk::Matcher m = c.matcher();
  const Mask mask = mask_of(m);
  int found = 0;
  for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(kWidth); ++id) {
    const bool same = small_vocabulary().bytes(id) == "ab";
    found += same;
    if (same) {
      EXPECT_TRUE(allowed(mask, id)) << id;
    }
  }
  EXPECT_EQ(found, 2);
}

}  // namespace matcher_test
