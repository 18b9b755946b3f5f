// SPDX-License-Identifier: MIT
#include "logitkit/process/typical_p.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "logitkit/logitkit.hpp"

namespace typical_p_test {

namespace lk = logitkit;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Ids left of a row with the probabilities 1/8, 1/2, 1/4, 1/8. Its entropy is 1.75 bits; the surprises 3, 1, 2 and 3
/// bits are 1.25, 0.75, 0.25 and 1.25 away from it: the typical order is 2, 1, 0, 3.
std::vector<int> left(const lk::Step& step, float more = kMasked) {
  const std::vector<float> row = {std::log(0.125f), std::log(0.5f), std::log(0.25f), std::log(0.125f), more};
  const std::vector<float> out = (lk::Chain{} | step).process(row, lk::Request({1}, {.seed = 1}));
  std::vector<int> ids;
  for (std::size_t id = 0; id < out.size(); ++id)
    if (std::isfinite(out[id])) {
      EXPECT_EQ(out[id], row[id]) << "values stay";
      ids.push_back(static_cast<int>(id));
    }
  return ids;
}
using Ids = std::vector<int>;

TEST(TypicalP, MayDropTheMostLikelyToken) { EXPECT_EQ(left(lk::TypicalP(0.2)), Ids{2}); }

TEST(TypicalP, KeepsTheTokenThatCrossesP) {
  EXPECT_EQ(left(lk::TypicalP(0.3)), (Ids{1, 2}));     // mass 0.25 before the second
  EXPECT_EQ(left(lk::TypicalP(0.7)), (Ids{1, 2}));     // 0.75 with it
  EXPECT_EQ(left(lk::TypicalP(0.8)), (Ids{0, 1, 2}));  // of the two at one distance the lower id
}

TEST(TypicalP, KeepsAllAtTheLastDistanceIfTiesAreKept) {
  EXPECT_EQ(left(lk::TypicalP(0.8, {.ties = lk::Ties::keep})), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(left(lk::TypicalP(0.7, {.ties = lk::Ties::keep})), (Ids{1, 2}));
}

TEST(TypicalP, KeepsAtLeastMinKeepInTypicalOrder) {
  EXPECT_EQ(left(lk::TypicalP(0.2, {.min_keep = 2})), (Ids{1, 2}));
  EXPECT_EQ(left(lk::TypicalP(0.2, {.min_keep = 9})), (Ids{0, 1, 2, 3}));
}

TEST(TypicalP, CountsMaskedTokensAsNoMass) {
  // After a step that removes in place the entropy is that of the rest; llama.cpp computes NaN here.
  EXPECT_EQ(left(lk::TypicalP(0.3)), (Ids{1, 2}));
  EXPECT_EQ(left(lk::TypicalP(1)), (Ids{0, 1, 2, 3})) << "1 is off";
}

TEST(TypicalP, RefusesParametersOutsideTheirRange) {
  EXPECT_THROW(lk::TypicalP(0), lk::InvalidParameter);
  EXPECT_THROW(lk::TypicalP(1.5), lk::InvalidParameter);
  EXPECT_THROW(lk::TypicalP(0.5, {.min_keep = 0}), lk::InvalidParameter);
}

}  // namespace typical_p_test
