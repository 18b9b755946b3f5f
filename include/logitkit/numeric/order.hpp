// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "logitkit/numeric/simd/kernels.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// An unsigned integer that orders floats as `<` does: neighbours differ by 1, -0 and +0 are one. Not for NaN.
inline std::uint32_t order_key(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x80000000u) != 0 ? 0x80000000u - (bits & 0x7fffffffu) : 0x80000000u + bits;
}
inline float from_order_key(std::uint32_t key) {
  return std::bit_cast<float>(key >= 0x80000000u ? key - 0x80000000u : 0x80000000u | (0x80000000u - key));
}

/// The total order as one integer: logit descending, then id ascending; the larger key ranks first.
inline std::uint64_t rank_key(float x, std::uint32_t id) {
  return static_cast<std::uint64_t>(order_key(x)) << 32 | static_cast<std::uint32_t>(~id);
}
inline std::uint32_t id_of(std::uint64_t key) { return ~static_cast<std::uint32_t>(key); }
/// The key's logit (a zero has lost its sign).
inline float logit_of(std::uint64_t key) { return from_order_key(static_cast<std::uint32_t>(key >> 32)); }

/// An id with its value as one integer: ids ascend.
inline std::uint64_t listed_key(std::uint32_t id, float value) {
  return static_cast<std::uint64_t>(id) << 32 | std::bit_cast<std::uint32_t>(value);
}
inline std::uint32_t listed_id(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
inline float listed_value(std::uint64_t key) { return std::bit_cast<float>(static_cast<std::uint32_t>(key)); }

/// The next float above x, which is below +inf.
inline float next_above(float x) { return from_order_key(order_key(x) + 1); }
/// The next float below x, which is above -inf.
inline float next_below(float x) { return from_order_key(order_key(x) - 1); }

/// The smallest float t such that reaches(t), for a monotone predicate that holds at `known`; looked for around
/// `guess`. -inf if all finite floats reach.
template <class Reaches>
float lowest_float(float known, float guess, Reaches reaches) {
  const std::uint32_t bottom = order_key(kLowest);
  std::uint32_t high = order_key(known);  // reaches
  std::uint32_t step = 1;
  std::uint32_t low = order_key(guess);
  if (!(low >= bottom && low < high)) low = high;
  if (reaches(from_order_key(low))) high = low;
  while (true) {  // gallop down from the lowest that is known to reach
    if (high <= bottom) return reaches(from_order_key(bottom)) ? kMasked : from_order_key(bottom);
    low = high - bottom > step ? high - step : bottom;
    if (!reaches(from_order_key(low))) break;
    high = low;
    step = step < (1u << 30) ? step * 2 : step;
    if (low == bottom) return kMasked;
  }
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (reaches(from_order_key(middle)) ? high : low) = middle;
  }
  return from_order_key(high);
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
