// SPDX-License-Identifier: MIT
#include "logitkit/numeric/float_exp.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace float_exp_test {

using logitkit::detail::math::exp_float;

TEST(ExpFloat, IsCorrectlyRoundedButForOneInAMillion) {
  int wrong = 0, all = 0;
  for (float x = -104.5f; x < 88.7f; x += 0.00013f, ++all) {
    const auto exact = static_cast<float>(std::exp(static_cast<long double>(x)));
    wrong += exp_float(x) == exact ? 0 : 1;
    ASSERT_NEAR(exp_float(x), exact, exact * 1.2e-7f + 1.5e-45f) << x;
  }
  EXPECT_LE(wrong, all / 1000000 + 1);
}

TEST(ExpFloat, EndsInZeroAndInfinity) {
  EXPECT_EQ(exp_float(0), 1);
  EXPECT_EQ(exp_float(-200), 0);
  EXPECT_EQ(exp_float(-std::numeric_limits<float>::infinity()), 0);
  EXPECT_EQ(exp_float(100), std::numeric_limits<float>::infinity());
  EXPECT_EQ(exp_float(-103.2f), 0x1p-149f) << "the smallest float";
}

}  // namespace float_exp_test
