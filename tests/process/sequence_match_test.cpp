// SPDX-License-Identifier: MIT
// BanSequences, SequenceBias and NoRepeatNgram: what looks at the end of the history.
#include "logitkit/process/sequence_match.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace sequence_match_test {

namespace lk = logitkit;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

std::vector<float> run(const lk::Step& step, const lk::TokenIds& prompt, const lk::TokenIds& output = {}) {
  lk::Request request(std::span<const lk::TokenId>(prompt), {.seed = 1});
  for (const lk::TokenId id : output) request.accept(id);
  return (lk::Chain{} | step).process(std::vector<float>(8, 1.0f), request);
}
lk::TokenIds removed(const std::vector<float>& row) {
  lk::TokenIds ids;
  for (std::size_t id = 0; id < row.size(); ++id)
    if (row[id] == kMasked) ids.push_back(static_cast<lk::TokenId>(id));
  return ids;
}

TEST(BanSequences, RemovesTheLastTokenWhereTheOthersEndTheHistory) {
  const lk::BanSequences ban({{6}, {1, 2, 3}, {2, 4}, {2, 2, 5}});
  EXPECT_EQ(removed(run(ban, {1, 2})), (lk::TokenIds{3, 4, 6}));
  EXPECT_EQ(removed(run(ban, {1}, {2})), (lk::TokenIds{3, 4, 6})) << "across the border of prompt and output";
  EXPECT_EQ(removed(run(ban, {2, 1})), (lk::TokenIds{6}));
}

TEST(BanSequences, WithScopeOutputDoesNotLookAtThePrompt) {
  const lk::BanSequences ban({{1, 2, 3}}, {.scope = lk::Scope::output});
  EXPECT_EQ(removed(run(ban, {1}, {2})), (lk::TokenIds{}));
  EXPECT_EQ(removed(run(ban, {7}, {1, 2})), (lk::TokenIds{3}));
}

TEST(BanSequences, InTheWayOfHuggingFaceNeedsAsManyTokensAsTheSequenceHas) {
  const lk::TokenSequences sequences = {{1, 2, 3}};
  EXPECT_EQ(removed(run(lk::BanSequences(sequences), {1, 2})), (lk::TokenIds{3}));
  const lk::BanSequences hf(sequences, {.short_history = lk::ShortHistory::hf});
  EXPECT_EQ(removed(run(hf, {1, 2})), (lk::TokenIds{}));
  EXPECT_EQ(removed(run(hf, {7, 1, 2})), (lk::TokenIds{3}));
}

TEST(BanSequences, RefusesAnEmptySequence) {
  EXPECT_THROW(lk::BanSequences(lk::TokenSequences{{3}, {}}), lk::InvalidParameter);
}

TEST(SequenceBias, AddsUpWhatMatches) {
  const auto out = run(lk::SequenceBias({{{2, 3}, 0.5}, {{3}, 2}, {{1, 2, 3}, 4}, {{4, 3}, 100}}), {1, 2});
  EXPECT_EQ(out, (std::vector<float>{1, 1, 1, 7.5, 1, 1, 1, 1}));  // 1 + 2 + 0.5 + 4
}

TEST(NoRepeatNgram, RemovesWhatFollowedTheSameTokens) {
  const lk::TokenIds history = {1, 2, 3, 5, 1, 2, 4, 1, 2};
  EXPECT_EQ(removed(run(lk::NoRepeatNgram(3), history)), (lk::TokenIds{3, 4}));
  EXPECT_EQ(removed(run(lk::NoRepeatNgram(4), history)), (lk::TokenIds{}));
  EXPECT_EQ(removed(run(lk::NoRepeatNgram(1), history)), (lk::TokenIds{1, 2, 3, 4, 5}));
  EXPECT_EQ(removed(run(lk::NoRepeatNgram(0), history)), (lk::TokenIds{}));
}

TEST(NoRepeatNgram, CountsTheHistorysEndAsTheFirstOccurrenceOnly) {
  EXPECT_EQ(removed(run(lk::NoRepeatNgram(2), {6, 3})), (lk::TokenIds{}));
  EXPECT_EQ(removed(run(lk::NoRepeatNgram(2), {3, 3})), (lk::TokenIds{3}));
}

TEST(NoRepeatNgram, ForgetsWhatWasRolledBack) {
  lk::Request request({4}, {.seed = 1});
  request.accept(6);
  request.rollback(1);
  const lk::Chain chain = lk::Chain{} | lk::NoRepeatNgram(1);
  EXPECT_EQ(removed(chain.process(std::vector<float>(8, 1.0f), request)), (lk::TokenIds{4}));
}

}  // namespace sequence_match_test
