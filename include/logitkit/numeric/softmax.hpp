// SPDX-License-Identifier: MIT
#pragma once
#include <cstring>
#include <span>
#include <string>

#include "logitkit/numeric/log_sum_exp.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

inline void check_same_size(const char* function, LogitsView in, std::span<float> out) {
  if (in.size() != out.size())
    fail(InvalidParameter(std::string(function) + ": out has " + std::to_string(out.size()) +
                          " elements, allowed are " + std::to_string(in.size()) + ", as many as in"));
}

inline float checked_divisor(const char* function, double temperature) {
  if (!(temperature >= 1e-30 && temperature <= 3e38))
    fail(InvalidParameter(std::string(function) + ": temperature is " + std::to_string(temperature) +
                          ", allowed is 1e-30 to 3e38"));
  return static_cast<float>(temperature);
}

/// All of `out` becomes `value` (NaN for an invalid row, 0 or -inf for an all-masked one).
inline void fill(std::span<float> out, float value) {
  for (float& x : out) x = value;
}

}  // namespace detail

/// Probabilities exp(x / T) / sum.
///   in       float32, float16 or bfloat16, any length; x / T is a true float32 division
///   out      as many floats; may be the memory of a float32 `in`
///   returns  the log-sum-exp of x / T
///   edge     -inf gives exactly 0, so does everything 87 or more below the maximum; all -inf: zeros and -inf;
///            NaN or +inf in the row: all NaN
///   error    relative < 6e-8 * |x - max| + 5e-7
///   throws   InvalidParameter if the sizes differ or T is not in [1e-30, 3e38]
///   cost     two readings and one writing, in and out of cache once more for the scale
inline double softmax(LogitsView in, std::span<float> out, double temperature = 1) {
  using namespace detail;
  check_same_size("softmax", in, out);
  const float divisor = checked_divisor("softmax", temperature);
  const FloatEnvironment plain;
  const Kernels& k = kernels();
  const Scan scanned = detail::scan(k, in);
  const float max = scanned.max / divisor;
  if (is_unusable(scanned) || max > std::numeric_limits<float>::max()) {
    fill(out, scanned.max == kMasked && !scanned.invalid ? 0.0f : std::numeric_limits<float>::quiet_NaN());
    return max > std::numeric_limits<float>::max() ? std::numeric_limits<double>::quiet_NaN() : unusable(scanned);
  }
  double sum = 0;
  for_blocks(in.size(), [&](std::size_t first, std::size_t n) {
    float* y = out.data() + first;
    const float* x = read_block(k, in, first, n, y);
    if (divisor != 1.0f) {
      k.divide(x, y, n, divisor);
      x = y;
    }
    sum += static_cast<double>(k.exp(x, y, n, max));
  });
  const auto inverse = static_cast<float>(1.0 / sum);
  constexpr std::size_t kStretch = 16 * kBlock;
  for (std::size_t end = out.size(); end > 0;) {  // from the back: what was written last is still in cache
    const std::size_t first = (end - 1) / kStretch * kStretch;
    k.multiply(out.data() + first, out.data() + first, end - first, inverse);
    end = first;
  }
  return static_cast<double>(max) + math::log(sum);
}

/// Log-probabilities x - log_sum_exp(row), in double, rounded once to float.
///   out     as many floats; may be the memory of a float32 `in`
///   returns the log-sum-exp
///   edge    -inf stays -inf; NaN or +inf in the row: all NaN
///   throws  InvalidParameter if the sizes differ
///   cost    three readings, one writing
inline double log_softmax(LogitsView in, std::span<float> out) {
  using namespace detail;
  check_same_size("log_softmax", in, out);
  const double total = log_sum_exp(in);
  const FloatEnvironment plain;
  const Kernels& k = kernels();
  if (!(total > -std::numeric_limits<double>::infinity())) {
    fill(out, static_cast<float>(total));
    return total;
  }
  for_blocks(in.size(), [&](std::size_t first, std::size_t n) {
    float* y = out.data() + first;
    k.subtract(read_block(k, in, first, n, y), y, n, total);
  });
  return total;
}

LOGITKIT_NAMESPACE_END
