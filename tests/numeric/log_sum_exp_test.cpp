// SPDX-License-Identifier: MIT
#include "logitkit/numeric/log_sum_exp.hpp"

#include <gtest/gtest.h>

#include "isas.hpp"
#include "rows.hpp"

namespace lk = logitkit;

namespace log_sum_exp_test {

class LogSumExp : public EveryIsa {};
LOGITKIT_FOR_EVERY_ISA(LogSumExp);

TEST_P(LogSumExp, IsWithinAMillionthForAnyLength) {
  std::uint64_t seed = 100;
  for (const std::size_t n : rows::lengths())
    for (const double scale : {0.2, 4.0, 30.0})
      for (const unsigned masked_of_8 : {0u, 6u}) {
        const auto row = rows::noise(++seed, n, scale, masked_of_8);
        ASSERT_NEAR(lk::log_sum_exp(row), static_cast<double>(rows::log_sum_exp(row)), 1e-6) << n;
      }
}

TEST_P(LogSumExp, IsWithinAMillionthForAWholeVocabulary) {
  for (const auto& profile : synthetic::kProfiles) {
    const auto row = synthetic::row(profile, 4, 151936);
    EXPECT_NEAR(lk::log_sum_exp(row), static_cast<double>(rows::log_sum_exp(row)), 1e-6) << profile.name;
  }
  const std::vector<float> equal(151936, 3.0f);  // a sequential float sum would be off by 1e-4
  EXPECT_NEAR(lk::log_sum_exp(equal), 3 + std::log(151936.0), 1e-9);
}

TEST_P(LogSumExp, HandlesTheEnds) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(lk::log_sum_exp(std::vector<float>{}), -kInf);
  EXPECT_EQ(lk::log_sum_exp(std::vector<float>(1100, rows::kMasked)), -kInf);
  EXPECT_EQ(lk::log_sum_exp(std::vector<float>{rows::kMasked, -7, rows::kMasked}), -7);
  EXPECT_TRUE(std::isnan(lk::log_sum_exp(std::vector<float>{1, rows::kNaN, 2})));
  EXPECT_TRUE(std::isnan(lk::log_sum_exp(std::vector<float>{1, rows::kInf, 2})));
  const float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(lk::log_sum_exp(std::vector<float>{-largest, largest, -largest}), largest);
}

TEST_P(LogSumExp, GivesTheBitsOfTheScalarPathForAllRowTypes) {
  for (const std::size_t n : rows::lengths()) {
    const auto row = rows::noise(n, n, 5, 1);
    const auto half = rows::narrowed<lk::float16>(row);
    const auto brain = rows::narrowed<lk::bfloat16>(row);
    const double here[] = {lk::log_sum_exp(row), lk::log_sum_exp(half), lk::log_sum_exp(brain)};
    const lk::ScopedIsa scoped(lk::Isa::scalar);
    ASSERT_EQ(here[0], lk::log_sum_exp(row)) << n;
    ASSERT_EQ(here[1], lk::log_sum_exp(rows::widened(half))) << n;
    ASSERT_EQ(here[2], lk::log_sum_exp(rows::widened(brain))) << n;
  }
}

// The order of the sum is part of the contract: lane id mod 16 and block floor(id / 1024), float within a block and
// lane in id order, halving tree 8-4-2-1, blocks added in double. Only the exps come from the kernel, one at a time.
TEST_P(LogSumExp, AddsInTheOrderOfTheContract) {
  const auto& kernels = lk::detail::kernels();
  for (const std::size_t n : rows::lengths()) {
    const auto row = rows::noise(n + 9, n, 3, 2);
    const float max = *std::max_element(row.begin(), row.end());
    double expected = 0;
    for (std::size_t block = 0; block < n; block += 1024) {
      float lanes[16] = {};
      for (std::size_t i = block; i < std::min(n, block + 1024); ++i) {
        float e = 0;
        kernels.exp(&row[i], &e, 1, max);
        lanes[i % 16] += e;
      }
      for (int half = 8; half >= 1; half /= 2)
        for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
      expected += static_cast<double>(lanes[0]);
    }
    ASSERT_EQ(lk::detail::sum_of_exps(kernels, row, 1.0f, max), expected) << n;
  }
}

}  // namespace log_sum_exp_test
