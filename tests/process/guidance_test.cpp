// SPDX-License-Identifier: MIT
#include "logitkit/process/guidance.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace guidance_test {

namespace lk = logitkit;
constexpr float kMasked = -std::numeric_limits<float>::infinity();
const lk::Request kRequest({4}, {.seed = 1});

lk::Pick pick(const std::vector<float>& row, const std::vector<float>& unconditional) {
  const lk::Pipeline pipeline = lk::TopK(3) | lk::Guidance(1.5) | lk::Greedy();
  return pipeline.pick(row, kRequest, {.unconditional = lk::LogitsView(unconditional)});
}

TEST(Guidance, PrefersWhatTheConditionMadeMoreLikely) { EXPECT_EQ(pick({1, 3, 2.9f, 0}, {0, 5, 0, 0}).token, 2); }

TEST(Guidance, KeepsRemovedTokensRemoved) {
  const lk::Chain chain = lk::TopK(2) | lk::Guidance(2);
  const std::vector<float> row = {1, 3, 2, kMasked}, unconditional = {9, 0, 0, kMasked};
  const auto out = chain.process(row, kRequest, {.unconditional = lk::LogitsView(unconditional)});
  EXPECT_EQ(out[0], kMasked);
  EXPECT_EQ(out[3], kMasked);
  EXPECT_GT(out[1], out[2]);
}

TEST(Guidance, NamesWhatIsWrongWithTheUnconditionalRow) {
  const std::vector<float> row = {1, 3, 2, 0};
  EXPECT_EQ(pick(row, {}).status, lk::Status::width_mismatch);
  EXPECT_EQ(pick(row, {1, 2}).status, lk::Status::width_mismatch);
  EXPECT_EQ(pick(row, {1, 2}).step, 1);
  const lk::Pick invalid = pick(row, {0, 0, std::numeric_limits<float>::quiet_NaN(), 0});
  EXPECT_EQ(invalid.status, lk::Status::invalid_logits);
  EXPECT_EQ(invalid.id, 2);
  const lk::Pick masked = pick(row, {0, 0, kMasked, 0});
  EXPECT_EQ(masked.status, lk::Status::overflow);
  EXPECT_EQ(masked.id, 2);
}

}  // namespace guidance_test
