// SPDX-License-Identifier: MIT
// A queue of divisions and subtractions: each rounds once, in order, and order questions are answered in row values.
#include "logitkit/candidates/pointwise.hpp"

#include <gtest/gtest.h>

#include "numeric/isas.hpp"
#include "numeric/rows.hpp"

namespace lk = logitkit;

namespace pointwise_test {

struct Case {
  lk::detail::Pointwise queue;
  std::vector<std::pair<bool, double>> operations;
};
Case random_case(std::uint64_t seed) {
  Case c;
  for (std::uint64_t i = 0; i < seed % 5; ++i) {
    const bool is_division = synthetic::hash64(seed, i) % 2 == 0;
    const double x = 0.05 + static_cast<double>(synthetic::hash64(seed, 20 + i) % 4000) / 1000;
    const double operand = is_division ? static_cast<double>(static_cast<float>(x)) : 3 * x - 4;
    is_division ? c.queue.divide(static_cast<float>(operand)) : c.queue.subtract(operand);
    c.operations.emplace_back(is_division, operand);
  }
  return c;
}
float plain(const Case& c, float x) {
  for (const auto& [is_division, operand] : c.operations)
    x = is_division ? x / static_cast<float>(operand) : static_cast<float>(static_cast<double>(x) - operand);
  return x;
}

class Pointwise : public EveryIsa {};
LOGITKIT_FOR_EVERY_ISA(Pointwise);

TEST_P(Pointwise, DoesWhatOneOperationAfterTheOtherDoes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case c = random_case(seed);
    const auto row = rows::noise(seed, 1 + seed % 67, 3.0, 1);
    std::vector<float> expected, got = row;
    for (const float x : row) expected.push_back(plain(c, x));
    c.queue.apply(lk::detail::kernels(), row.data(), got.data(), row.size());
    ASSERT_EQ(rows::bits(got), rows::bits(expected)) << "seed " << seed;
    for (std::size_t i = 0; i < row.size(); ++i) ASSERT_EQ(c.queue(row[i]), expected[i]) << "seed " << seed;
    ASSERT_EQ(c.queue.empty(), c.operations.empty());
    ASSERT_EQ(c.queue.full(), c.operations.size() == lk::detail::Pointwise::kMost);
  }
}

TEST_P(Pointwise, LowestIsTheSmallestFloatWhoseImageReaches) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Case c = random_case(seed);
    const auto known = static_cast<float>(4 + 3 * synthetic::noise(seed, 1));
    const float y = plain(c, known - static_cast<float>(synthetic::hash64(seed, 2) % 1000) / 300);
    const float lowest = c.queue.lowest(y, known);
    ASSERT_GE(plain(c, lowest), y) << "seed " << seed;
    ASSERT_LT(plain(c, std::nextafter(lowest, -rows::kInf)), y) << "seed " << seed;
  }
}

TEST(PointwiseQueue, OneDivisionIsLeftToTheKernels) {
  lk::detail::Pointwise queue;
  EXPECT_TRUE(queue.is_one_division());
  EXPECT_EQ(queue.divisor(), 1.0f);
  queue.divide(0.7f);
  EXPECT_TRUE(queue.is_one_division());
  EXPECT_EQ(queue.divisor(), 0.7f);
  queue.subtract(2.5);
  EXPECT_FALSE(queue.is_one_division());
}

}  // namespace pointwise_test
