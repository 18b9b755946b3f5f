// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

/// |got - exact| in units in the last place of Float at `exact`; 2^-1074 (2^-149) is the smallest unit.
template <class Float>
double ulp_error(Float got, long double exact) {
  using Limits = std::numeric_limits<Float>;
  if (static_cast<Float>(exact) == got) {
    if (std::isinf(got) || got == 0) return 0;
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int unit = std::max(exponent - Limits::digits, Limits::min_exponent - Limits::digits);
  return static_cast<double>(std::fabs(std::ldexp(static_cast<long double>(got) - exact, -unit)));
}
