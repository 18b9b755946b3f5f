// SPDX-License-Identifier: MIT
#include "logitkit/process/dynamic_temperature.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "logitkit/logitkit.hpp"

namespace dynamic_temperature_test {

namespace lk = logitkit;
using Row = std::vector<float>;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

Row run(const lk::DynamicTemperature& step, const Row& row) {
  return (lk::Chain{} | step).process(row, lk::Request({1}, {.seed = 1}));
}

TEST(DynamicTemperature, IsTPlusRangeWhereAllIsOpen) {
  EXPECT_EQ(run(lk::DynamicTemperature(1, 0.5), {2, 2, 2}), Row(3, 2.0f / 1.5f));
}

TEST(DynamicTemperature, IsTMinusRangeWhereOneIsSure) {
  EXPECT_EQ(run(lk::DynamicTemperature(1, 0.5), {0, 90, 3}), (Row{0, 180, 6}));
}

TEST(DynamicTemperature, FollowsTheShareOfTheEntropy) {
  // 1/2, 1/4, 1/4: 1.5 of log2(3) bits, 0.946395; T = 0.5 + 0.946395, or 0.5 + 0.946395^2
  const Row row = {std::log(0.25f), std::log(0.5f), std::log(0.25f)};
  const Row linear = run(lk::DynamicTemperature(1, 0.5), row), squared = run(lk::DynamicTemperature(1, 0.5, 2), row);
  EXPECT_NEAR(linear[1] - linear[2], 0.6931472 / 1.4463946, 1e-6);
  EXPECT_NEAR(squared[1] - squared[2], 0.6931472 / 1.3956628, 1e-6);
}

TEST(DynamicTemperature, CountsOnlyWhatIsLeft) {
  EXPECT_EQ(run(lk::DynamicTemperature(1, 0.5), {kMasked, 2, 2}), (Row{kMasked, 2.0f / 1.5f, 2.0f / 1.5f}));
  EXPECT_EQ(run(lk::DynamicTemperature(1, 0.5), {kMasked, 3, kMasked}), (Row{kMasked, 3, kMasked}));
}

TEST(DynamicTemperature, KeepsTheBestWhereTheTemperatureVanishes) {
  // T - range is 0 and the entropy about 1e-84.
  EXPECT_EQ(run(lk::DynamicTemperature(1, 1), {0, 200, 1}), (Row{kMasked, 200, kMasked}));
}

TEST(DynamicTemperature, WithoutARangeIsAPlainTemperature) {
  EXPECT_EQ(run(lk::DynamicTemperature(0.5, 0), {1, 3, 2}), (Row{2, 6, 4}));
  EXPECT_TRUE(lk::DynamicTemperature(1, 0).is_neutral());
  EXPECT_THROW(lk::DynamicTemperature(0, 0.5), lk::InvalidParameter);
  EXPECT_THROW(lk::DynamicTemperature(1, -0.5), lk::InvalidParameter);
}

}  // namespace dynamic_temperature_test
