// SPDX-License-Identifier: MIT
#include "logitkit/state/request.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"
#include "support/random_case.hpp"

namespace request_test {

namespace lk = logitkit;

TEST(Request, PositionIsPromptLengthPlusOutputLength) {
  lk::Request request({3, 1, 4}, {.seed = 42});
  EXPECT_EQ(request.position(), 3u);
  EXPECT_TRUE(request.accept(1));
  EXPECT_EQ(request.position(), 4u);
  EXPECT_EQ(request.output().size(), 1u);
  EXPECT_EQ(request.seed(), 42u);
}

TEST(Request, TakesSixtyFourBitIdsAndNamesTheOneThatDoesNotFit) {
  const std::vector<std::int64_t> good{5, -200, 7}, bad{5, std::int64_t{1} << 40};
  EXPECT_EQ(lk::Request(std::span<const std::int64_t>(good), {.seed = 1}).prompt()[1], -200);
  try {
    lk::Request request(std::span<const std::int64_t>(bad), {.seed = 1});
    FAIL();
  } catch (const lk::InvalidParameter& e) {
    EXPECT_NE(std::string(e.what()).find("position 1 is 1099511627776"), std::string::npos) << e.what();
  }
}

TEST(Request, TakesASeedOfItsOwnAndTellsIt) {
  const lk::Request a({1}), b({1});
  EXPECT_NE(a.seed(), b.seed());  // 64 random bits
  const lk::Request again({1}, {.seed = a.seed()});
  EXPECT_EQ(again.seed(), a.seed());
}

TEST(Request, RefusesToAcceptNoToken) {
  lk::Request request({1}, {.seed = 1});
  EXPECT_FALSE(request.accept(lk::kNoToken));
  lk::Pick failed;
  failed.status = lk::Status::no_candidates;
  EXPECT_FALSE(request.accept(failed));
  EXPECT_TRUE(request.output().empty());
}

TEST(Request, RollsBackOutputButNotThePrompt) {
  lk::Request request({1, 2}, {.seed = 1});
  for (const int id : {7, 8, 7}) request.accept(id);
  request.rollback(2);
  EXPECT_EQ(request.output().size(), 1u);
  EXPECT_EQ(request.output_counts().count(7), 1u);
  EXPECT_EQ(request.output_counts().count(8), 0u);
  try {
    request.rollback(2);
    FAIL();
  } catch (const lk::InvalidParameter& e) {
    EXPECT_NE(std::string(e.what()).find("n is 2, allowed is at most the output's length, 1"), std::string::npos);
  }
}

TEST(Request, IsFinishedAfterAnEndId) {
  lk::Request request({2}, {.seed = 1, .end_ids = {2, 9}});
  EXPECT_FALSE(request.is_finished());  // the prompt's 2 is not output
  request.accept(4);
  EXPECT_FALSE(request.is_finished());
  request.accept(9);
  EXPECT_TRUE(request.is_finished());
  request.rollback(1);
  EXPECT_FALSE(request.is_finished());
}

TEST(Request, ForksShareThePromptAndThenGoTheirOwnWay) {
  lk::Request request({1, 2, 3}, {.seed = 5, .stream = 1});
  request.accept(6);
  lk::Request copy = request.fork(), other = request.fork(9);
  EXPECT_EQ(copy.prompt().data(), request.prompt().data());
  EXPECT_EQ(copy.stream(), 1u);
  EXPECT_EQ(other.stream(), 9u);
  EXPECT_EQ(other.seed(), 5u);
  copy.accept(7);
  EXPECT_EQ(request.output().size(), 1u);
  EXPECT_EQ(copy.output().size(), 2u);
}

// What a chain with penalties of all scopes makes of a row depends on the history alone, not on how it came about.
TEST(Request, CountsKeptIncrementallyEqualThoseOfARebuiltHistory) {
  const lk::Chain chain = lk::RepetitionPenalty(1.3) | lk::FrequencyPenalty(0.25) |
                          lk::PresencePenalty(0.5, {.scope = lk::Scope::prompt}) |
                          lk::FrequencyPenalty(0.125, {.scope = lk::Scope::prompt_and_output, .window = 5});
  random_case::Source s(11);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t width = 2 + s.below(40);
    std::vector<float> row(width);
    for (float& x : row) x = static_cast<float>(s.between(-4, 4));
    const auto prompt = random_case::random_ids(s, width, 20);
    lk::Request kept(std::span<const lk::TokenId>(prompt), {.seed = 1});
    for (int step = 0; step < 30; ++step) {
      if (s.chance(0.3))
        kept.rollback(s.below(kept.output().size() + 1));
      else
        kept.accept(static_cast<lk::TokenId>(s.below(width)));
    }
    lk::Request rebuilt(std::span<const lk::TokenId>(prompt), {.seed = 1});
    for (const lk::TokenId id : kept.output()) rebuilt.accept(id);
    ASSERT_EQ(chain.process(row, kept), chain.process(row, rebuilt)) << "round " << round;
  }
}

TEST(Request, APromptSplitAnywhereDrawsTheSameTokens) {
  const lk::Pipeline pipeline = lk::RepetitionPenalty(1.2) | lk::Temperature(1.5) | lk::TopP(0.9) | lk::Multinomial();
  random_case::Source s(13);
  for (int round = 0; round < 500; ++round) {
    const std::size_t width = 20 + s.below(200);
    std::vector<float> row(width);
    for (float& x : row) x = static_cast<float>(s.between(-3, 3));
    lk::TokenIds all;
    for (int i = 0; i < 12; ++i) all.push_back(static_cast<lk::TokenId>(s.below(width)));
    const std::uint64_t seed = s.word();
    lk::TokenIds first;
    for (std::size_t split = 0; split <= all.size(); ++split) {
      lk::Request request(std::span<const lk::TokenId>(all).first(split), {.seed = seed});
      for (std::size_t i = split; i < all.size(); ++i) request.accept(all[i]);
      lk::TokenIds drawn;
      for (int i = 0; i < 4; ++i) {
        const lk::Pick pick = pipeline.pick(row, request);
        ASSERT_TRUE(pick);
        request.accept(pick);
        drawn.push_back(pick.token);
      }
      if (split == 0) first = drawn;
      ASSERT_EQ(drawn, first) << "round " << round << ", split at " << split;
    }
  }
}

}  // namespace request_test
