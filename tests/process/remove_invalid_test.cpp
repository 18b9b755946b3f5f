// SPDX-License-Identifier: MIT
#include "logitkit/process/remove_invalid.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace remove_invalid_test {

namespace lk = logitkit;
constexpr float kInf = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kMost = std::numeric_limits<float>::max();

const std::vector<float> kRow = {1, kNaN, 3, kInf, 2, -kInf, 0};
const lk::Request kRequest({4}, {.seed = 1});

TEST(RemoveInvalid, TakesNaNAndInfinityOutOrReplacesThem) {
  EXPECT_EQ((lk::Chain{} | lk::RemoveInvalid()).process(kRow, kRequest),
            (std::vector<float>{1, -kInf, 3, -kInf, 2, -kInf, 0}));
  EXPECT_EQ((lk::Chain{} | lk::RemoveInvalid(lk::InvalidMode::hf)).process(kRow, kRequest),
            (std::vector<float>{1, 0, 3, kMost, 2, -kMost, 0}));
}

TEST(RemoveInvalid, StepsOnSingleIdsMayComeBeforeIt) {
  const lk::Chain chain = lk::LogitBias({{1, 5.0}, {2, 1.0}}) | lk::BanTokens({3}) | lk::RepetitionPenalty(2.0) |
                          lk::RemoveInvalid(lk::InvalidMode::hf);
  // NaN + 5 is NaN, so 0; the banned infinity is masked, so the smallest; 2 / 2 by the penalty
  EXPECT_EQ(chain.process(kRow, kRequest), (std::vector<float>{1, 0, 4, -kMost, 1, -kMost, 0}));
}

// HF adds |x| * (factor^n - 1) to an end token: inf - inf is NaN, so 0; inf + inf stays.
TEST(RemoveInvalid, AnInfiniteEndTokenThatDecaysIsNaN) {
  lk::Request request({4}, {.seed = 1});
  for (int i = 0; i < 3; ++i) request.accept(2);
  const auto of_end = [&](double factor, lk::InvalidMode mode) {
    const lk::Chain chain =
        lk::ExponentialDecayLengthPenalty(1, factor, {.end_ids = lk::TokenIds{3}}) | lk::RemoveInvalid(mode);
    return chain.process(kRow, request)[3];
  };
  EXPECT_EQ(of_end(0.9, lk::InvalidMode::hf), 0.0f);
  EXPECT_EQ(of_end(1.1, lk::InvalidMode::hf), kMost);
  EXPECT_EQ(of_end(0.9, lk::InvalidMode::mask), -kInf);
}

TEST(RemoveInvalid, StepsThatRankOrSumMayNot) {
  for (const lk::Step& first :
       {lk::Step(lk::TopK(3)), lk::Step(lk::LogSoftmax()), lk::Step(lk::TypicalP(0.5)),
        lk::Step(lk::DynamicTemperature(1, 0.5)), lk::Step([](lk::Candidates&, const lk::StepView&) {})}) {
    const lk::Pipeline pipeline = first | lk::RemoveInvalid() | lk::Greedy();
    const lk::Pick pick = pipeline.pick(kRow, kRequest);
    EXPECT_EQ(pick.status, lk::Status::invalid_logits) << first.type();
    EXPECT_EQ(pick.id, 1);
  }
}

TEST(RemoveInvalid, NothingLeftIsNoToken) {
  const lk::Pipeline pipeline = lk::RemoveInvalid() | lk::Greedy();
  const lk::Pick pick = pipeline.pick(std::vector<float>{kNaN, -kInf, kInf}, kRequest);
  EXPECT_EQ(pick.status, lk::Status::no_candidates);
  EXPECT_EQ(pick.step, 0);
}

TEST(RemoveInvalid, LeavesTheCallersRowAlone) {
  std::vector<float> row = {1, kNaN, 3, 2};
  const lk::Pipeline pipeline = lk::RemoveInvalid() | lk::Greedy();
  EXPECT_EQ(pipeline.pick(row, kRequest).token, 2);
  EXPECT_TRUE(std::isnan(row[1]));
}

}  // namespace remove_invalid_test
