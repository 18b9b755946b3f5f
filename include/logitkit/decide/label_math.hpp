// SPDX-License-Identifier: MIT
#pragma once
// Softmax and what is read from it for a handful of labels, in double. Rows of a whole vocabulary: numeric/softmax.hpp.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "logitkit/core/error.hpp"
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/field.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Index of the largest; the first of equal ones.
inline std::size_t first_largest(std::span<const double> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// ln of the sum of exp; -inf if every value is, or there is none.
inline double log_sum_exp_of(std::span<const double> values) {
  const double max = values.empty() ? -math::kInfinity : values[first_largest(values)];
  if (max == -math::kInfinity) return max;
  double sum = 0;
  for (const double x : values) sum += math::exp(x - max);
  return max + math::log(sum);
}

/// exp(score / T) / sum into `out`, as many doubles. At least one score is finite; -inf gives exactly 0.
inline void softmax_of(std::span<const double> scores, double temperature, std::span<double> out) {
  const double max = scores[first_largest(scores)];
  double sum = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) sum += out[j] = math::exp((scores[j] - max) / temperature);
  for (double& p : out) p /= sum;
}

/// -sum of p ln p, in nats: 0 for a certain row, ln k for an even one.
inline double entropy_of(std::span<const double> probabilities) {
  double entropy = 0;
  for (const double p : probabilities)
    if (p > 0) entropy = std::fma(-p, math::log(p), entropy);
  return entropy;
}

/// The largest probability minus the second largest, 0 if they are equal.
inline double margin_of(std::span<const double> probabilities) {
  double first = 0, second = 0;
  for (const double p : probabilities) {
    second = std::max(second, std::min(first, p));
    first = std::max(first, p);
  }
  return first - second;
}

inline constexpr Range kLabelTemperatures = within(1e-30, 3e38);

inline void require_temperature(std::string_view function, double temperature) {
  if (!kLabelTemperatures.contains(temperature))
    fail(InvalidParameter(std::string(function) + ": " + out_of_range("temperature", temperature, kLabelTemperatures)));
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
