// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "logitkit/core/logits.hpp"
#include "support/synthetic_rows.hpp"

/// Rows for the tests of numeric/, and what they are compared with.
namespace rows {

inline constexpr float kMasked = -std::numeric_limits<float>::infinity();
inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Lengths around every border: the lanes (16), the scan's strips (32), 16 of which share a vector (512), the blocks
/// (1,024).
inline std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all;
  for (std::size_t n = 1; n <= 70; ++n) all.push_back(n);
  for (const std::size_t border : {512u, 1024u, 1536u, 2048u, 5120u})
    for (std::size_t n = border - 17; n <= border + 17; n += n + 1 < border || n > border + 1 ? 4 : 1) all.push_back(n);
  return all;
}

/// Bell-shaped noise with deviation 2.3 * scale, of which about masked_of_8 / 8 are -inf (but never the middle one).
inline std::vector<float> noise(std::uint64_t seed, std::size_t size, double scale, unsigned masked_of_8 = 0) {
  std::vector<float> row(size);
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_masked = synthetic::hash64(seed + 1, i) % 8 < masked_of_8 && i != size / 2;
    row[i] = is_masked ? kMasked : static_cast<float>(scale * synthetic::noise(seed, i));
  }
  return row;
}

/// Whole numbers from few values, so that most are tied.
inline std::vector<float> ties(std::uint64_t seed, std::size_t size, std::uint64_t values = 4) {
  std::vector<float> row(size);
  for (std::size_t i = 0; i < size; ++i) row[i] = static_cast<float>(synthetic::hash64(seed, i) % values) - 2;
  return row;
}

template <class Half>
std::vector<Half> narrowed(const std::vector<float>& row) {
  std::vector<Half> halves;
  for (const float x : row) halves.push_back(Half(x));
  return halves;
}

inline std::vector<float> widened(logitkit::LogitsView row) {
  std::vector<float> wide(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) wide[i] = row[i];
  return wide;
}

/// Bit patterns, to compare results that must be equal to the last bit (and NaN to NaN).
inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> patterns;
  for (const float x : values) patterns.push_back(std::bit_cast<std::uint32_t>(x));
  return patterns;
}

/// ln sum exp(x) in long double, one value after the other.
inline long double log_sum_exp(const std::vector<float>& row) {
  const long double max = *std::max_element(row.begin(), row.end());
  long double sum = 0;
  for (const float x : row) sum += std::exp(static_cast<long double>(x) - max);
  return max + std::log(sum);
}

}  // namespace rows
