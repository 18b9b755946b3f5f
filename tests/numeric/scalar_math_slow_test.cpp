// SPDX-License-Identifier: MIT
// Walks over every float as argument of the double functions: the bounds in the comments hold for all of them.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "logitkit/numeric/scalar_math.hpp"
#include "ulp.hpp"

namespace math = logitkit::detail::math;

namespace scalar_math_slow_test {

// The largest error over all floats whose bits lie in [first, last], by two threads.
template <class Function, class Reference>
double largest_error(Function function, Reference reference, float first, float last) {
  std::array<double, 2> largest{};
  std::array<std::thread, 2> threads;
  for (std::uint32_t t = 0; t < 2; ++t) {
    threads[t] = std::thread([&, t] {
      const std::uint64_t end = std::bit_cast<std::uint32_t>(last);
      double worst = 0;
      for (std::uint64_t bits = std::bit_cast<std::uint32_t>(first) + t; bits <= end; bits += 2) {
        const double x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        worst = std::max(worst, ulp_error(function(x), reference(static_cast<long double>(x))));
      }
      largest[t] = worst;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::max(largest[0], largest[1]);
}

double our_exp(double x) { return math::exp(x); }
double our_log(double x) { return math::log(x); }
long double exact_exp(long double x) { return std::exp(x); }
long double exact_log(long double x) { return std::log(x); }

// Below 2^-30 in magnitude exp is 1 + x within a thousandth of an ulp, and nothing new can happen.
TEST(ScalarExpSlow, IsWithinItsBoundForEveryFloat) {
  EXPECT_LT(largest_error(our_exp, exact_exp, 0x1p-30f, 709.78f), 0.62);
  EXPECT_LT(largest_error(our_exp, exact_exp, -0x1p-30f, -708.39f), 0.62);
  EXPECT_LT(largest_error(our_exp, exact_exp, -708.4f, -746.0f), 0.82);
}

TEST(ScalarLogSlow, IsWithinItsBoundForEveryPositiveFloat) {
  EXPECT_LT(
      largest_error(our_log, exact_log, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()),
      0.51);
}

}  // namespace scalar_math_slow_test
