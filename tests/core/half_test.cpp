// SPDX-License-Identifier: MIT
#include "logitkit/core/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace lk = logitkit;

namespace half_test {

struct Format {
  int exponent_bits, fraction_bits;
};
constexpr Format kFloat16{5, 10};
constexpr Format kBfloat16{8, 7};

// The value of `bits` by the definition of an IEEE 754 format.
double value(Format f, int bits) {
  const int fraction = bits & ((1 << f.fraction_bits) - 1);
  const int exponent = bits >> f.fraction_bits & ((1 << f.exponent_bits) - 1);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const double sign = bits >> 15 ? -1.0 : 1.0;
  if (exponent == (1 << f.exponent_bits) - 1) return fraction ? NAN : sign * INFINITY;
  const double significand = std::ldexp(fraction, -f.fraction_bits) + (exponent ? 1 : 0);
  return sign * std::ldexp(significand, (exponent ? exponent : 1) - bias);
}

// The slow reference: halves the interval of candidates, then compares the distances to the two neighbours.
// Infinity stands where the next finite value would be.
int nearest(Format f, float x) {
  const int infinity = ((1 << f.exponent_bits) - 1) << f.fraction_bits;
  const auto spaced = [&](int bits) {
    return bits < infinity ? value(f, bits) : 2 * value(f, infinity - 1) - value(f, infinity - 2);
  };
  const double magnitude = std::fabs(static_cast<double>(x));
  int below = 0, above = infinity;
  while (above - below > 1) {
    const int middle = (below + above) / 2;
    (spaced(middle) <= magnitude ? below : above) = middle;
  }
  const double down = magnitude - spaced(below), up = spaced(above) - magnitude;
  const int chosen = down < up ? below : down > up ? above : below % 2 ? above : below;
  return chosen | (std::signbit(x) ? 0x8000 : 0);
}

// Every value of the format, the floats in the middle of two neighbours, and the floats beside each of these.
std::vector<float> critical_floats(Format f) {
  std::vector<float> floats = {65519.996f, 65520.0f, std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::infinity()};
  const int infinity = ((1 << f.exponent_bits) - 1) << f.fraction_bits;
  for (int bits = 0; bits < infinity; ++bits) {
    const double here = value(f, bits);
    const double next = bits + 1 < infinity ? value(f, bits + 1) : 2 * here - value(f, bits - 1);
    for (const double x : {here, (here + next) / 2}) {
      const float centre = static_cast<float>(x);
      floats.insert(floats.end(), {std::nextafter(centre, 0.0f), centre, std::nextafter(centre, INFINITY)});
    }
  }
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(x)) floats.push_back(x);
  }
  return floats;
}

template <class Half>
void expect_every_value_is_exact(Format f) {
  for (int bits = 0; bits < 65536; ++bits) {
    const Half half = Half::from_bits(static_cast<std::uint16_t>(bits));
    const double expected = value(f, bits);
    const float x = half;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(x)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(Half(x)))) << bits;
    } else {
      ASSERT_EQ(x, expected) << bits;
      ASSERT_EQ(std::signbit(x), std::signbit(expected)) << bits;
      ASSERT_EQ(Half(x).bits, bits);  // there and back
    }
  }
}

template <class Half>
void expect_nearest_even(Format f) {
  for (const float x : critical_floats(f)) {
    ASSERT_EQ(Half(x).bits, nearest(f, x)) << x;
    ASSERT_EQ(Half(-x).bits, nearest(f, -x)) << -x;
  }
}

template <class Half>
void expect_every_nan_survives() {
  for (const std::uint32_t payload : {1u, 0x1fffu, 0x2000u, 0xffffu, 0x10000u, 0x400000u, 0x7fffffu}) {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      const Half half(std::bit_cast<float>(sign | 0x7f800000 | payload));
      EXPECT_TRUE(std::isnan(static_cast<float>(half))) << payload;
      EXPECT_EQ(half.bits >> 15, sign >> 31);
    }
  }
}

TEST(Float16, ConvertsEveryValueExactly) { expect_every_value_is_exact<lk::float16>(kFloat16); }
TEST(Float16, RoundsToNearestEven) { expect_nearest_even<lk::float16>(kFloat16); }
TEST(Float16, KeepsNaN) { expect_every_nan_survives<lk::float16>(); }

TEST(Float16, OverflowsFromHalfAStepPastTheLargest) {
  static_assert(lk::float16(65504.0f).bits == 0x7bff);
  static_assert(lk::float16(65519.996f).bits == 0x7bff);
  static_assert(lk::float16(65520.0f).bits == 0x7c00);
  static_assert(lk::float16(0x1p-25f).bits == 0);  // half the smallest: the tie goes to even
  static_assert(lk::float16(0x1.000002p-25f).bits == 1);
}

TEST(Bfloat16, ConvertsEveryValueExactly) { expect_every_value_is_exact<lk::bfloat16>(kBfloat16); }
TEST(Bfloat16, RoundsToNearestEven) { expect_nearest_even<lk::bfloat16>(kBfloat16); }
TEST(Bfloat16, KeepsNaN) { expect_every_nan_survives<lk::bfloat16>(); }

TEST(Half, IsTwoBytesThatCanBeCopiedAsBytes) {
  static_assert(sizeof(lk::float16) == 2 && std::is_trivially_copyable_v<lk::float16>);
  static_assert(sizeof(lk::bfloat16) == 2 && std::is_trivially_copyable_v<lk::bfloat16>);
}

TEST(Half, IsNotMadeFromAnInteger) {
  static_assert(std::is_constructible_v<lk::float16, float> && !std::is_convertible_v<float, lk::float16>);
  static_assert(!std::is_constructible_v<lk::float16, int> && !std::is_constructible_v<lk::bfloat16, std::uint16_t>);
}

}  // namespace half_test
