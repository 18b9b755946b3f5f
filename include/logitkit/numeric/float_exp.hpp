// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <iterator>

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
  const double r2 = rounded(r * r);
  constexpr double kInverseFactorials[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                           1.0 / 5040,     1.0 / 720,     1.0 / 120,    1.0 / 24,
                                           1.0 / 6,        1.0 / 2,       1.0,          1.0};
  double odd = 0, even = 0;  // powers apart: two chains instead of a long one
  for (std::size_t i = 0; i < std::size(kInverseFactorials); i += 2) {
    odd = rounded(odd * r2) + kInverseFactorials[i];
    even = rounded(even * r2) + kInverseFactorials[i + 1];
  }
  return static_cast<float>((rounded(odd * r) + even) * power_of_two(static_cast<int>(n)));
}

}  // namespace detail::math
LOGITKIT_NAMESPACE_END
