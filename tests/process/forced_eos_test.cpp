// SPDX-License-Identifier: MIT
// Steps that look at the length: forced, minimum lengths, suppression at the begin, the growing reward of the end.
#include "logitkit/process/forced_eos.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace forced_eos_test {

namespace lk = logitkit;
constexpr float kMasked = -std::numeric_limits<float>::infinity();
using Row = std::vector<float>;

/// `prompt` and `output` are lengths; the request's end id is 3.
Row run(const lk::Step& step, int prompt, int output, Row row = {1, 2, -4, 4, 5}) {
  lk::Request request(std::span<const lk::TokenId>(lk::TokenIds(static_cast<std::size_t>(prompt), 1)),
                      {.seed = 1, .end_ids = {3}});
  for (int i = 0; i < output; ++i) request.accept(1);
  return (lk::Chain{} | step).process(row, request);
}
const Row kSame = {1, 2, -4, 4, 5};

TEST(ForcedBos, ForcesItsTokenAfterAPromptOfOne) {
  EXPECT_EQ(run(lk::ForcedBos(2), 1, 0), (Row{kMasked, kMasked, 0, kMasked, kMasked}));
  EXPECT_EQ(run(lk::ForcedBos(2), 2, 0), kSame);
  EXPECT_EQ(run(lk::ForcedBos(2), 1, 1), kSame);
}

TEST(ForcedEos, ForcesTheEndAtTheLastPosition) {
  const Row forced = {kMasked, kMasked, kMasked, 0, kMasked};
  EXPECT_EQ(run(lk::ForcedEos({.max_length = 5}), 2, 2), forced);
  EXPECT_EQ(run(lk::ForcedEos({.max_length = 5}), 2, 1), kSame);
  EXPECT_EQ(run(lk::ForcedEos({.max_new_tokens = 3}), 2, 2), forced);
  EXPECT_EQ(run(lk::ForcedEos({.max_new_tokens = 1, .end_ids = lk::TokenIds{1, 2}}), 9, 0),
            (Row{kMasked, 0, 0, kMasked, kMasked}));
}

TEST(ForcedEos, RevivesAMaskedEnd) {
  EXPECT_EQ(run(lk::ForcedEos({.max_new_tokens = 1}), 1, 0, {1, 2, 3, kMasked, 5})[3], 0);
}

TEST(ForcedEos, ActsAtTheRequestsLimitWithoutOneOfItsOwn) {
  const lk::Pipeline pipeline = lk::ForcedEos(lk::ForcedEosOptions{}) | lk::Greedy();
  lk::Request request({9, 9}, {.seed = 1, .end_ids = {3}, .max_new_tokens = 2});
  EXPECT_EQ(pipeline.pick(kSame, request).token, 4);
  request.accept(1);
  EXPECT_EQ(pipeline.pick(kSame, request).token, 3);
  const lk::Pick lost = pipeline.pick(kSame, lk::Request({9}, {.seed = 1, .end_ids = {3}}));
  EXPECT_EQ(lost.status, lk::Status::unsupported);
  EXPECT_EQ(lost.step, 0);
}

TEST(ForcedEos, NeedsOneLimitAndAnEnd) {
  EXPECT_THROW(lk::ForcedEos({.max_length = 5, .max_new_tokens = 2}), lk::InvalidParameter);
  const lk::Pipeline pipeline = lk::ForcedEos({.max_new_tokens = 1}) | lk::Greedy();
  EXPECT_EQ(pipeline.pick(kSame, lk::Request({1}, {.seed = 1})).status, lk::Status::no_candidates);
}

TEST(MinNewTokens, DoesNotCountThePrompt) {
  const Row masked = {1, 2, -4, kMasked, 5};
  EXPECT_EQ(run(lk::MinNewTokens(3), 9, 2), masked);
  EXPECT_EQ(run(lk::MinNewTokens(3), 0, 3), kSame);
  EXPECT_EQ(run(lk::MinNewTokens(3, {.end_ids = lk::TokenIds{1}}), 0, 0), (Row{1, kMasked, -4, 4, 5}));
}

TEST(MinLength, CountsThePrompt) {
  EXPECT_EQ(run(lk::MinLength(4), 2, 1)[3], kMasked);
  EXPECT_EQ(run(lk::MinLength(4), 2, 2), kSame);
}

TEST(SuppressAtBegin, ActsAtOnePositionOnly) {
  EXPECT_EQ(run(lk::SuppressAtBegin({1}), 3, 0)[1], kMasked);
  EXPECT_EQ(run(lk::SuppressAtBegin({1}), 3, 1), kSame);
  EXPECT_EQ(run(lk::SuppressAtBegin({1}, {.begin_index = 4}), 3, 1)[1], kMasked);
}

TEST(ExponentialDecayLengthPenalty, GrowsFromItsStart) {
  const lk::ExponentialDecayLengthPenalty decay(2, 1.5, {.end_ids = lk::TokenIds{2, 3}});
  EXPECT_EQ(run(decay, 4, 2), kSame);
  EXPECT_EQ(run(decay, 4, 3), (Row{1, 2, -2, 6, 5}));  // |x| * (1.5 - 1)
  EXPECT_EQ(run(decay, 4, 4), (Row{1, 2, 1, 9, 5}));   // |x| * (2.25 - 1)
  EXPECT_EQ(run(decay, 4, 4, {1, 2, kMasked, 4, 5})[2], kMasked);
}

TEST(PrefixForce, LeavesOneTokenAtATime) {
  const lk::PrefixForce prefix({4, 1});
  EXPECT_EQ(run(prefix, 3, 0), (Row{kMasked, kMasked, kMasked, kMasked, 5}));
  EXPECT_EQ(run(prefix, 3, 1), (Row{kMasked, 2, kMasked, kMasked, kMasked}));
  EXPECT_EQ(run(prefix, 3, 2), kSame);
}

}  // namespace forced_eos_test
