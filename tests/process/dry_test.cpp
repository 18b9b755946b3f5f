// SPDX-License-Identifier: MIT
#include "logitkit/process/dry.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace dry_test {

namespace lk = logitkit;

std::vector<float> run(const lk::Dry& dry, const lk::TokenIds& history) {
  const lk::Request request(std::span<const lk::TokenId>(history), {.seed = 1});
  return (lk::Chain{} | dry).process(std::vector<float>(8, 0.0f), request);
}

TEST(Dry, PenalisesWhatWouldContinueTheLongestRepetition) {
  // 1 2 3 was followed by 4, and 2 3 once by 5: 4 continues three tokens, 5 two.
  const auto out = run(lk::Dry(1, {.base = 2, .allowed_length = 2}), {1, 2, 3, 4, 2, 3, 5, 1, 2, 3});
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 0, -2, -1, 0, 0}));
}

TEST(Dry, ARepetitionMayOverlapItself) {
  // 6 6 6 6: the last three repeat one place earlier; 2^(3 - 2)
  EXPECT_EQ(run(lk::Dry(1, {.base = 2}), {6, 6, 6, 6})[6], -2);
}

TEST(Dry, ABreakerBoundsTheRepetitionAndIsNotPenalised) {
  const lk::TokenIds history = {1, 2, 3, 4, 1, 2, 3};
  EXPECT_EQ(run(lk::Dry(1, {.allowed_length = 1}), history)[4], -1.75f * 1.75f);
  EXPECT_EQ(run(lk::Dry(1, {.allowed_length = 1, .breakers = {{2}}}), history)[4], -1) << "only the 3 counts";
  EXPECT_EQ(run(lk::Dry(1, {.allowed_length = 1, .breakers = {{1, 2}}}), history)[4], -1) << "a breaker of two";
  EXPECT_EQ(run(lk::Dry(1, {.allowed_length = 1, .breakers = {{4}}}), history)[4], 0);
}

TEST(Dry, OfBreakersAtOnePlaceTheLongerWins) {
  const lk::TokenIds history = {1, 2, 3, 5, 1, 2, 3};
  // {1} leaves two tokens after it, {1, 2} one
  EXPECT_EQ(run(lk::Dry(1, {.base = 2, .allowed_length = 1, .breakers = {{1}}}), history)[5], -2);
  EXPECT_EQ(run(lk::Dry(1, {.base = 2, .allowed_length = 1, .breakers = {{1}, {1, 2}}}), history)[5], -1);
}

TEST(Dry, IsLinearInTheHistoryEvenWhereEverythingRepeats) {
  // Quadratic work on a history of 400,000 equal tokens would take minutes.
  const auto out = run(lk::Dry(1, {.base = 1}), lk::TokenIds(400000, 5));
  EXPECT_EQ(out[5], -1);
}

TEST(Dry, RefusesParametersOutsideTheirRange) {
  EXPECT_THROW(lk::Dry(-1), lk::InvalidParameter);
  EXPECT_THROW(lk::Dry(1, {.base = 0.5}), lk::InvalidParameter);
  EXPECT_THROW(lk::Dry(1, {.breakers = {{}}}), lk::InvalidParameter);
}

}  // namespace dry_test
