// SPDX-License-Identifier: MIT
#pragma once
// exp, log and pow of our own, because those of libm differ in the last bit from one C library to the next. Only
// correctly rounded operations (+ - * / and std::fma) and series whose coefficients explain themselves; no product
// feeds an addition outside std::fma, so that no compiler flag changes a bit. Error bounds hold in round-to-nearest.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "logitkit/numeric/rounded.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail::math {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// ln 2 in two parts; the first has 42 bits, so that its products with exponents are exact
inline constexpr double kLn2High = 0x1.62e42fefa38p-1;
inline constexpr double kLn2Low = 0x1.ef35793c7673p-45;

/// The unevaluated sum high + low, |low| <= ulp(high) / 2: about 106 bits.
struct Wide {
  double high, low;
};

/// large + small, for |large.high| >= |small.high| or large.high = 0.
inline Wide add(Wide large, Wide small) {
  const double high = large.high + small.high;
  const double low = ((large.high - high) + small.high) + (large.low + small.low);
  const double sum = high + low;
  return {sum, (high - sum) + low};
}

inline Wide multiply(Wide a, Wide b) {
  const double high = rounded(a.high * b.high);
  return {high, std::fma(a.high, b.low, std::fma(a.low, b.high, std::fma(a.high, b.high, -high)))};
}

/// 2^n for -1022 <= n <= 1023.
inline double power_of_two(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

/// e^(x.high + x.low). Error below 0.62 ulp, below 0.82 ulp (2^-1074) where the result is subnormal.
inline double exp(Wide x) {
  if (std::isnan(x.high)) return kNaN;
  if (x.high >= 710) return kInfinity;
  if (x.high <= -746) return 0;
  // x = n ln 2 + r + tail, |r| <= ln 2 / 2
  constexpr double kToInteger = 0x1.8p52;
  const double n = std::fma(x.high, 0x1.71547652b82fep0, kToInteger) - kToInteger;
  const double reduced = std::fma(-n, kLn2High, x.high);  // exact
  const double r = std::fma(-n, kLn2Low, reduced);
  const double tail = std::fma(-n, kLn2Low, reduced - r) + x.low;
  // Taylor: 1 + r + r^2 (1/2! + r/3! + ... + r^11/13!); what is left out is below 2^-57
  constexpr double kInverseFactorials[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                           1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                           1.0 / 120,        1.0 / 24,        1.0 / 6,        1.0 / 2};
  double series = 0;
  for (const double coefficient : kInverseFactorials) series = std::fma(series, r, coefficient);
  const double rest = std::fma(r * r, series, std::fma(std::fma(r * r, series, r), tail, tail));
  const double sum = 1 + r;
  const double result = sum + (((1 - sum) + r) + rest);
  const int half = static_cast<int>(n) / 2;  // 2^n in two factors: it may be outside the range where the result is not
  return rounded(result * power_of_two(half) * power_of_two(static_cast<int>(n) - half));
}

/// ln x for 0 < x < infinity, to about 2^-64 of its value.
inline Wide log_wide(double x) {
  int scale = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal
    x *= 0x1p54;
    scale = -54;
  }
  // x = 2^power m, sqrt(1/2) <= m < sqrt(2)
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::int64_t exponent = static_cast<std::int64_t>(bits - 0x3fe6a09e667f3bcd) >> 52;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  const double power = static_cast<double>(scale + exponent);
  // ln m = 2 atanh(s) = 2s + c (1 + 3/5 z + 3/7 z^2 + ... + 3/23 z^10), s = (m - 1) / (m + 1), z = s^2, c = 2/3 s^3
  const double f = m - 1;
  const double sum = 2 + f;
  const double quotient = f / sum;
  const Wide s = {quotient, std::fma(-quotient, f - (sum - 2), std::fma(-quotient, sum, f)) / sum};
  const Wide z = multiply(s, s);
  constexpr Wide kTwoThirds = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
  const Wide c = multiply(multiply(s, z), kTwoThirds);
  double series = 0;
  for (int odd = 23; odd >= 5; odd -= 2) series = std::fma(series, z.high, 3.0 / odd);
  const Wide ln_m = add({2 * s.high, 2 * s.low}, {c.high, std::fma(c.high * z.high, series, c.low)});
  return add({power * kLn2High, rounded(power * kLn2Low)}, ln_m);  // the first product is exact
}

/// e^x. exp(-inf) = 0, overflow gives infinity; error as above.
inline double exp(double x) { return exp(Wide{x, 0}); }

/// Natural logarithm. log(+-0) = -inf, NaN below 0; error below 0.51 ulp.
inline double log(double x) {
  if (x == 0) return -kInfinity;
  if (!(x > 0)) return kNaN;
  return x == kInfinity ? x : log_wide(x).high;
}

/// x^y with every special case of IEEE 754: x^0 = 1^y = 1 also for NaN; a negative x needs an integer y, else NaN.
/// Error below 1.3 ulp, below 0.65 ulp where |y ln x| <= 64; below 1.5 ulp (2^-1074) where the result is subnormal.
inline double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y)) return kNaN;
  const double base = std::fabs(x);
  const bool is_integer = std::fabs(y) >= 0x1p53 || static_cast<double>(static_cast<std::int64_t>(y)) == y;
  const bool is_odd = std::fabs(y) < 0x1p53 && is_integer && static_cast<std::int64_t>(y) % 2 != 0;
  double power;
  if (base == 0 || base == kInfinity) {
    power = (base == 0) == (y > 0) ? 0 : kInfinity;
  } else if (base == 1) {
    power = 1;
  } else if (std::fabs(y) == kInfinity) {
    power = (base > 1) == (y > 0) ? kInfinity : 0;
  } else {
    if (x < 0 && !is_integer) return kNaN;
    power = exp(multiply({y, 0}, log_wide(base)));
  }
  return std::signbit(x) && is_odd ? -power : power;
}

}  // namespace detail::math
LOGITKIT_NAMESPACE_END
