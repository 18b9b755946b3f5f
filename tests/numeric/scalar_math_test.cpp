// SPDX-License-Identifier: MIT
// Accuracy is measured against long double, whose error (2^-63 or less) is below 0.001 ulp of a double.
#include "logitkit/numeric/scalar_math.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ulp.hpp"

namespace math = logitkit::detail::math;

namespace scalar_math_test {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();

// std:: distributions differ between libraries, so we draw by hand.
struct Random {
  std::mt19937_64 engine{7};
  double uniform(double low, double high) {
    return std::fma(high - low, static_cast<double>(engine() >> 11) * 0x1p-53, low);
  }
  double positive() { return std::bit_cast<double>(engine() % 0x7ff0000000000000); }  // any exponent, subnormals too
};

void expect_pow(double x, double y, double expected) {
  const double result = math::pow(x, y);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(result)) << x << " ^ " << y;
  } else {
    EXPECT_EQ(result, expected) << x << " ^ " << y;
    EXPECT_EQ(std::signbit(result), std::signbit(expected)) << x << " ^ " << y;
  }
}

TEST(ScalarExp, IsWithinItsErrorBound) {
  Random random;
  for (int i = 0; i < 300000; ++i) {
    const double x = i % 2 ? random.uniform(-708.39, 709.78) : random.uniform(-1, 1);
    ASSERT_LT(ulp_error(math::exp(x), std::exp(static_cast<long double>(x))), 0.62) << x;
  }
  for (int i = 0; i < 100000; ++i) {  // subnormal results
    const double x = random.uniform(-745.2, -708.4);
    ASSERT_LT(ulp_error(math::exp(x), std::exp(static_cast<long double>(x))), 0.82) << x;
  }
}

TEST(ScalarExp, HandlesTheEnds) {
  EXPECT_EQ(math::exp(0.0), 1);
  EXPECT_EQ(math::exp(-0.0), 1);
  EXPECT_EQ(math::exp(kSmallest), 1);
  EXPECT_EQ(math::exp(-kInf), 0);
  EXPECT_EQ(math::exp(kInf), kInf);
  EXPECT_TRUE(std::isnan(math::exp(kNaN)));
  EXPECT_EQ(math::exp(kLargest), kInf);
  EXPECT_EQ(math::exp(-kLargest), 0);
  // ln(DBL_MAX) = 709.78271289338397..., between these two neighbours
  EXPECT_LT(math::exp(0x1.62e42fefa39efp9), kInf);
  EXPECT_EQ(math::exp(0x1.62e42fefa39f0p9), kInf);
  // ln(2^-1075) = -745.13321910194122...: half the smallest subnormal
  EXPECT_EQ(math::exp(-745.1332191019411), kSmallest);
  EXPECT_EQ(math::exp(-745.1332191019413), 0);
}

TEST(ScalarLog, IsWithinItsErrorBound) {
  Random random;
  for (int i = 0; i < 400000; ++i) {
    const double x = i % 2 ? random.positive() : random.uniform(0.4, 2.5);
    ASSERT_LT(ulp_error(math::log(x), std::log(static_cast<long double>(x))), 0.51) << x;
  }
}

TEST(ScalarLog, HandlesTheEnds) {
  EXPECT_EQ(math::log(1.0), 0);
  EXPECT_FALSE(std::signbit(math::log(1.0)));
  EXPECT_EQ(math::log(0.0), -kInf);
  EXPECT_EQ(math::log(-0.0), -kInf);
  EXPECT_EQ(math::log(kInf), kInf);
  EXPECT_TRUE(std::isnan(math::log(-1.0)));
  EXPECT_TRUE(std::isnan(math::log(-kInf)));
  EXPECT_TRUE(std::isnan(math::log(kNaN)));
  EXPECT_EQ(math::log(kSmallest), -0x1.74385446d71c3p9);  // -1074 ln 2
  EXPECT_EQ(math::log(kLargest), 0x1.62e42fefa39efp9);    // 1024 ln 2
}

TEST(ScalarPow, IsWithinItsErrorBound) {
  Random random;
  for (int i = 0; i < 300000; ++i) {
    const double x = i % 2 ? random.uniform(0.4, 3) : random.positive();
    const double exponent = i % 3 ? random.uniform(-64, 64) : random.uniform(-708, 709);
    const double y = exponent / std::log(x);
    const double result = math::pow(x, y);
    const bool is_subnormal = result < std::numeric_limits<double>::min();
    const double bound = is_subnormal ? 1.5 : std::fabs(exponent) <= 64 ? 0.65 : 1.3;
    ASSERT_LT(ulp_error(result, std::pow(static_cast<long double>(x), static_cast<long double>(y))), bound)
        << x << " ^ " << y;
  }
}

TEST(ScalarPow, RaisesToWholePowers) {
  EXPECT_EQ(math::pow(2, 10), 1024);
  EXPECT_EQ(math::pow(2, -1074), kSmallest);
  EXPECT_EQ(math::pow(2, 1024), kInf);
  EXPECT_EQ(math::pow(-3, 3), -27);
  EXPECT_EQ(math::pow(-3, 4), 81);
  EXPECT_EQ(math::pow(1.75, 5), 16.4130859375);  // 7^5 / 4^5 = 16807 / 1024
  EXPECT_EQ(math::pow(10, 22), 1e22);
  EXPECT_EQ(math::pow(9, 0.5), 3);
}

TEST(ScalarPow, FollowsIeee754InTheSpecialCases) {
  expect_pow(kNaN, 0, 1);
  expect_pow(1, kNaN, 1);
  expect_pow(kNaN, 2, kNaN);
  expect_pow(2, kNaN, kNaN);
  expect_pow(0, 3, 0);
  expect_pow(-0.0, 3, -0.0);
  expect_pow(-0.0, 2, 0);
  expect_pow(-0.0, 2.5, 0);
  expect_pow(0, -3, kInf);
  expect_pow(-0.0, -3, -kInf);
  expect_pow(-0.0, -2, kInf);
  expect_pow(-1, kInf, 1);
  expect_pow(-1, -kInf, 1);
  expect_pow(0.5, kInf, 0);
  expect_pow(0.5, -kInf, kInf);
  expect_pow(-2, kInf, kInf);
  expect_pow(2, -kInf, 0);
  expect_pow(kInf, -2, 0);
  expect_pow(kInf, 0.5, kInf);
  expect_pow(-kInf, 3, -kInf);
  expect_pow(-kInf, 2.5, kInf);
  expect_pow(-kInf, -3, -0.0);
  expect_pow(0, kInf, 0);
  expect_pow(0, -kInf, kInf);
  expect_pow(-2, 0.5, kNaN);
  expect_pow(-1, 0x1p60, 1);               // every double from 2^53 on is even
  expect_pow(-1, 9007199254740991.0, -1);  // 2^53 - 1 is odd
  expect_pow(2, 1e300, kInf);              // y ln x overflows
  expect_pow(0.5, 1e300, 0);
  expect_pow(kLargest, kLargest, kInf);
  expect_pow(3, kSmallest, 1);
}

// One number that all compilers, flags and machines must agree on: FNV-1a over the results of 10,000 seeded arguments.
// It changes only when the functions are changed on purpose; then every seeded result may change with them.
TEST(ScalarMath, GivesTheSameBitsEverywhere) {
  Random random;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < 10000; ++i) {
    const double x = random.positive();
    const double base = random.uniform(0.1, 8), exponent = random.uniform(-300, 300);
    for (const double result : {math::log(x), math::exp(random.uniform(-750, 715)), math::pow(base, exponent)}) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(result)) * 0x100000001b3;
    }
  }
  EXPECT_EQ(hash, 0x5f872b74a394336au);
}

}  // namespace scalar_math_test
