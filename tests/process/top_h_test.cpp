// SPDX-License-Identifier: MIT
#include "logitkit/process/top_h.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "logitkit/logitkit.hpp"

namespace top_h_test {

namespace lk = logitkit;
using Ids = std::vector<int>;

Ids left(double h, const std::vector<float>& row) {
  const std::vector<float> out = (lk::Chain{} | lk::TopH(h)).process(row, lk::Request({1}, {.seed = 1}));
  Ids ids;
  for (std::size_t id = 0; id < out.size(); ++id)
    if (std::isfinite(out[id])) ids.push_back(static_cast<int>(id));
  return ids;
}
/// Probabilities 1/8, 1/2, 1/4, 1/8: in rank order -q log2 q is 0.5, 0.5, 0.375, 0.375, in all 1.75 bits.
const std::vector<float> kRow = {std::log(0.125f), std::log(0.5f), std::log(0.25f), std::log(0.125f)};

TEST(TopH, KeepsTheBestThatHoldNoMoreThanAShareOfTheEntropy) {
  EXPECT_EQ(left(0.6, kRow), (Ids{1, 2}));     // 1.0 <= 1.05, 1.375 is not
  EXPECT_EQ(left(0.56, kRow), Ids{1});         // 1.0 > 0.98
  EXPECT_EQ(left(0.8, kRow), (Ids{0, 1, 2}));  // 1.375 <= 1.4; the lower of two equal ids
}

TEST(TopH, AlwaysKeepsTheBest) { EXPECT_EQ(left(0.01, kRow), Ids{1}); }

TEST(TopH, LooksAtTheHundredBestOnly) {
  std::vector<float> row(150, 1.0f);
  for (std::size_t id = 20; id < 60; ++id) row[id] = 2;
  const Ids ids = left(1, row);
  ASSERT_EQ(ids.size(), 100u);
  EXPECT_EQ(ids.back(), 99) << "the 40 best, then lower ids";
}

TEST(TopH, RefusesParametersOutsideTheirRange) {
  EXPECT_THROW(lk::TopH(0), lk::InvalidParameter);
  EXPECT_THROW(lk::TopH(1.1), lk::InvalidParameter);
}

}  // namespace top_h_test
