// SPDX-License-Identifier: MIT
#pragma once
#include <limits>

#include "logitkit/numeric/blocks.hpp"
#include "logitkit/numeric/float_environment.hpp"
#include "logitkit/numeric/scalar_math.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// What log-sum-exp of an unusable row is: NaN for NaN or +inf in it, -inf where everything is masked.
inline double unusable(const Scan& scan) {
  return scan.invalid ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity();
}

/// The normaliser relative to `max`: float by lanes within a block, double across blocks.
inline double sum_of_exps(const Kernels& k, LogitsView row, float divisor, float max) {
  float buffer[kBlock];
  double sum = 0;
  for_blocks(row.size(), [&](std::size_t first, std::size_t n) {
    sum += static_cast<double>(k.exp_sum(read_block(k, row, first, n, buffer), n, divisor, max, kMasked).total);
  });
  return sum;
}

}  // namespace detail

/// ln of the sum of exp over the row.
///   in      float32, float16 or bfloat16, any length; -inf counts nothing
///   returns double, absolute error < 1e-6; -inf for an empty or all-masked row; NaN if a NaN or +inf is in the row
///   cost    two readings, one exp per logit; same bits on every instruction set
inline double log_sum_exp(LogitsView in) {
  const detail::FloatEnvironment plain;
  const detail::Kernels& k = detail::kernels();
  const detail::Scan scan = detail::scan(k, in);
  if (detail::is_unusable(scan)) return detail::unusable(scan);
  return static_cast<double>(scan.max) + detail::math::log(detail::sum_of_exps(k, in, 1.0f, scan.max));
}

LOGITKIT_NAMESPACE_END
