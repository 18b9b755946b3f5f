// SPDX-License-Identifier: MIT
#include "logitkit/numeric/argmax.hpp"

#include <gtest/gtest.h>

#include "isas.hpp"
#include "rows.hpp"

namespace lk = logitkit;

namespace argmax_test {

std::size_t first_largest(const std::vector<float>& row) {
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

class Argmax : public EveryIsa {};
LOGITKIT_FOR_EVERY_ISA(Argmax);

TEST_P(Argmax, FindsTheLargestForAnyLengthAndRowType) {
  for (const std::size_t n : rows::lengths()) {
    const auto row = rows::noise(n, n, 3, 3);
    const auto half = rows::narrowed<lk::float16>(row);
    const auto brain = rows::narrowed<lk::bfloat16>(row);
    ASSERT_EQ(lk::argmax(row), first_largest(row)) << n;
    ASSERT_EQ(lk::argmax(half), first_largest(rows::widened(half))) << n;
    ASSERT_EQ(lk::argmax(brain), first_largest(rows::widened(brain))) << n;
  }
}

TEST_P(Argmax, TakesTheLowestIndexOnTies) {
  for (const std::size_t n : rows::lengths())
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto row = rows::ties(seed, n, 2 + seed * n);
      ASSERT_EQ(lk::argmax(row), first_largest(row)) << n;
    }
  std::vector<float> far(20000, -1.0f);  // ties in different blocks, and zeros of both signs
  far[9000] = -0.0f;
  far[17000] = 0.0f;
  EXPECT_EQ(lk::argmax(far), 9000u);
}

TEST_P(Argmax, FindsTheLargestAtEveryPlace) {
  std::vector<float> row(5000, rows::kMasked);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = -3;
    ASSERT_EQ(lk::argmax(row), i);
    row[i] = rows::kMasked;
  }
}

TEST_P(Argmax, NeverMakesAnIndexUp) {
  EXPECT_EQ(lk::argmax(std::vector<float>{}), lk::kNoIndex);
  EXPECT_EQ(lk::argmax(std::vector<float>(3000, rows::kMasked)), lk::kNoIndex);
  for (const float bad : {rows::kNaN, -rows::kNaN, rows::kInf})
    for (std::size_t n = 1; n < 6000; n = n * 2 + 3) {
      auto row = rows::noise(n, n, 3, 3);
      row[n * 3 / 4] = bad;
      ASSERT_EQ(lk::argmax(row), lk::kNoIndex) << n;
    }
}

TEST_P(Argmax, TellsSubnormalsApart) { EXPECT_EQ(lk::argmax(std::vector<float>{0.0f, 1e-45f, 3e-45f, 1e-45f}), 2u); }

}  // namespace argmax_test
