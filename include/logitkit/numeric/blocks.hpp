// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "logitkit/core/logits.hpp"
#include "logitkit/numeric/simd/dispatch.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// One reading of the row: maximum, validity, and the maxima of the strips if `strip_max` is not null.
inline Scan scan(const Kernels& k, LogitsView row, float* strip_max = nullptr) {
  switch (row.dtype()) {
    case Dtype::float16:
      return k.scan_f16(row.as<float16>(), row.size(), strip_max);
    case Dtype::bfloat16:
      return k.scan_bf16(row.as<bfloat16>(), row.size(), strip_max);
    default:
      return k.scan(row.as<float>(), row.size(), strip_max);
  }
}

/// The logits [first, first + n) as float32: the row's own memory where it is float32, else widened into `buffer`.
inline const float* read_block(const Kernels& k, LogitsView row, std::size_t first, std::size_t n, float* buffer) {
  switch (row.dtype()) {
    case Dtype::float16:
      k.widen_f16(row.as<float16>() + first, buffer, n);
      return buffer;
    case Dtype::bfloat16:
      k.widen_bf16(row.as<bfloat16>() + first, buffer, n);
      return buffer;
    default:
      return row.as<float>() + first;
  }
}

/// Calls body(first, n) for every block of 1,024 ids.
template <class Body>
void for_blocks(std::size_t size, Body body) {
  for (std::size_t first = 0; first < size; first += kBlock) body(first, std::min(kBlock, size - first));
}

/// Nothing can be computed from the row: it is empty, all masked, or holds a NaN or +inf.
inline bool is_unusable(const Scan& scan) { return scan.invalid || scan.max == kMasked; }

/// NaN or +inf: no logit.
inline bool is_invalid(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7fffffffu) >= 0x7f800000u && bits != 0xff800000u;
}
/// The lowest id with such a value, for a row that has one.
inline std::size_t first_invalid(LogitsView row) {
  std::size_t id = 0;
  while (!is_invalid(row[id])) ++id;
  return id;
}

inline std::size_t strip_count(std::size_t size) { return (size + kStrip - 1) / kStrip; }

}  // namespace detail
LOGITKIT_NAMESPACE_END
