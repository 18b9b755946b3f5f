// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/scalar_math.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail::math {

/// e^x of a float, rounded to float as good C libraries do: correctly but for one value in a few million. Computed in
/// double without FMA, so that it is quick on every processor; 0 below -104.
inline float exp_float(float x) {
  if (!(x >= -104.0f)) return 0;
  if (x > 89.0f) return std::numeric_limits<float>::infinity();
  constexpr double kToInteger = 0x1.8p52;
  const auto wide = static_cast<double>(x);
  const double n = (rounded(wide * 0x1.71547652b82fep0) + kToInteger) - kToInteger;
  const double r = (wide - n * kLn2High) - rounded(n * kLn2Low);  // the first product is exact
  constexpr double kInverseFactorials[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                           1.0 / 5040,     1.0 / 720,     1.0 / 120,    1.0 / 24,
                                           1.0 / 6,        1.0 / 2,       1.0,          1.0};
  double series = 0;
  for (const double coefficient : kInverseFactorials) series = rounded(series * r) + coefficient;
  return static_cast<float>(series * power_of_two(static_cast<int>(n)));
}

}  // namespace detail::math
LOGITKIT_NAMESPACE_END
