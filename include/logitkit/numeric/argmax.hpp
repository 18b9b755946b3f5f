// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/blocks.hpp"
#include "logitkit/numeric/float_environment.hpp"
#include "logitkit/numeric/order.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// "No index": the row is empty, all masked or invalid.
inline constexpr std::size_t kNoIndex = ~std::size_t{0};

/// Index of the largest logit, the lowest one on ties.
///   in     float32, float16 or bfloat16, any length
///   edge   kNoIndex if the row is empty, all -inf, or holds a NaN or +inf
///   cost   one reading, and again up to the first maximum within one block
inline std::size_t argmax(LogitsView in) {
  using namespace detail;
  const FloatEnvironment plain;
  const Kernels& k = kernels();
  constexpr std::size_t kSpan = 4 * kBlock;  // short, since it is looked at twice; long enough to keep the pass fast
  const std::size_t width = in.dtype() == Dtype::float32 ? sizeof(float) : sizeof(float16);
  float most = kMasked;
  std::size_t first_of_most = kNoIndex;
  for (std::size_t first = 0; first < in.size(); first += kSpan) {
    const auto* data = static_cast<const std::byte*>(in.data()) + first * width;
    const Scan scanned = detail::scan(k, {data, std::min(kSpan, in.size() - first), in.dtype()});
    if (scanned.invalid) return kNoIndex;
    if (scanned.max > most) {
      most = scanned.max;
      first_of_most = first;
    }
  }
  if (first_of_most == kNoIndex) return kNoIndex;
  float buffer[kBlock], values[kBlock + kLanes];
  std::uint32_t ids[kBlock + kLanes];
  for (std::size_t first = first_of_most;; first += kBlock) {
    const std::size_t n = std::min(kBlock, in.size() - first);
    const float* x = read_block(k, in, first, n, buffer);
    if (k.collect(x, n, most, static_cast<std::uint32_t>(first), values, ids) != 0) return ids[0];
  }
}

LOGITKIT_NAMESPACE_END
