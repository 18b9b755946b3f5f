// SPDX-License-Identifier: MIT
#pragma once
// The 16 virtual lanes in plain C++: the fallback, and the reference the others are compared with. Correct, not fast.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "logitkit/numeric/simd/kernels.hpp"

LOGITKIT_SIMD_BEGIN
LOGITKIT_REGION_BEGIN
namespace scalar {

constexpr Isa kIsa = Isa::scalar;
struct F {
  float lane[16];
};
using M = std::uint32_t;

template <class Op>
LOGITKIT_INLINE F each(Op op) {
  F out;
  for (int i = 0; i < 16; ++i) out.lane[i] = op(i);
  return out;
}
template <class Op>
LOGITKIT_INLINE M each_mask(Op op) {
  M out = 0;
  for (int i = 0; i < 16; ++i) out |= static_cast<M>(op(i)) << i;
  return out;
}

LOGITKIT_INLINE F set1(float x) {
  return each([&](int) { return x; });
}
LOGITKIT_INLINE F load(const float* p) {
  return each([&](int i) { return p[i]; });
}
LOGITKIT_INLINE void prefetch(const float*) {}
LOGITKIT_INLINE F load_once(const float* p) { return load(p); }
LOGITKIT_INLINE F load(const float* p, std::size_t n, float rest) {
  return each([&](int i) { return static_cast<std::size_t>(i) < n ? p[i] : rest; });
}
LOGITKIT_INLINE void store(float* p, F x) {
  for (int i = 0; i < 16; ++i) p[i] = x.lane[i];
}
LOGITKIT_INLINE void store(float* p, F x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) p[i] = x.lane[i];
}
template <class Half>
LOGITKIT_INLINE F load_half(const Half* p) {
  return each([&](int i) { return static_cast<float>(p[i]); });
}
/// n <= 16 counts below 2^31 as floats, the rest 0.
LOGITKIT_INLINE F load_counts(const std::uint32_t* p, std::size_t n) {
  return each([&](int i) { return static_cast<std::size_t>(i) < n ? static_cast<float>(p[i]) : 0.0f; });
}
LOGITKIT_INLINE F add(F a, F b) {
  return each([&](int i) { return a.lane[i] + b.lane[i]; });
}
LOGITKIT_INLINE F sub(F a, F b) {
  return each([&](int i) { return a.lane[i] - b.lane[i]; });
}
LOGITKIT_INLINE F mul(F a, F b) {
  return each([&](int i) { return a.lane[i] * b.lane[i]; });
}
LOGITKIT_INLINE F div(F a, F b) {
  return each([&](int i) { return a.lane[i] / b.lane[i]; });
}
LOGITKIT_INLINE F fma(F a, F b, F c) {
  return each([&](int i) { return std::fma(a.lane[i], b.lane[i], c.lane[i]); });
}
/// Like the x86 instructions: the second operand where they are equal or either is NaN.
LOGITKIT_INLINE F max(F a, F b) {
  return each([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
}
LOGITKIT_INLINE F min(F a, F b) {
  return each([&](int i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
}
/// 16 maxima of two values kApart lanes from each other: those of `a` in order, then those of `b`.
template <int kApart>
LOGITKIT_INLINE F fold_max(F a, F b) {
  return each([&](int i) {
    const F& from = i < 8 ? a : b;
    const int first = i % 8 / kApart * 2 * kApart + i % kApart;
    return from.lane[first] > from.lane[first + kApart] ? from.lane[first] : from.lane[first + kApart];
  });
}
LOGITKIT_INLINE M ge(F a, F b) {
  return each_mask([&](int i) { return a.lane[i] >= b.lane[i]; });
}
LOGITKIT_INLINE M gt(F a, F b) {
  return each_mask([&](int i) { return a.lane[i] > b.lane[i]; });
}
LOGITKIT_INLINE M both(M a, M b) { return a & b; }
/// `also`, where neither is NaN.
LOGITKIT_INLINE M ordered(M also, F a, F b) {
  return both(also, each_mask([&](int i) {
                const auto is_nan = [](float x) {
                  return (std::bit_cast<std::uint32_t>(x) & 0x7fffffffu) > 0x7f800000u;
                };
                return !is_nan(a.lane[i]) && !is_nan(b.lane[i]);
              }));
}
LOGITKIT_INLINE std::uint32_t bits(M m) { return m; }
LOGITKIT_INLINE M mask_of(std::uint32_t m) { return m; }
LOGITKIT_INLINE F select(M m, F a, F b) {
  return each([&](int i) { return (m >> i & 1u) != 0 ? a.lane[i] : b.lane[i]; });
}
LOGITKIT_INLINE F times_power_of_two(F p, F n_in_low_bits) {
  return each([&](int i) {
    const std::uint32_t shifted = std::bit_cast<std::uint32_t>(n_in_low_bits.lane[i]) << 23;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p.lane[i]) + shifted);
  });
}
LOGITKIT_INLINE F minus_in_double(F x, double c) {
  return each([&](int i) { return static_cast<float>(static_cast<double>(x.lane[i]) - c); });
}
LOGITKIT_INLINE float tree_sum(F x) {
  for (int half = 8; half >= 1; half /= 2)
    for (int i = 0; i < half; ++i) x.lane[i] = x.lane[i] + x.lane[i + half];
  return x.lane[0];
}
/// Writes the lanes of `m`, packed; may write 16 floats.
LOGITKIT_INLINE void pack(float* to, F x, M m) {
  float all[16];
  store(all, x);
  for (std::uint32_t rest = bits(m); rest != 0; rest &= rest - 1) *to++ = all[std::countr_zero(rest)];
}
LOGITKIT_INLINE void pack_ids(std::uint32_t* to, std::uint32_t m, std::uint32_t first_id) {
  for (std::uint32_t rest = m; rest != 0; rest &= rest - 1)
    *to++ = first_id + static_cast<std::uint32_t>(std::countr_zero(rest));
}
/// Spreads packed floats to the lanes of `m`, 0 elsewhere.
LOGITKIT_INLINE F unpack(const float* from, std::uint32_t m) {
  float all[16] = {};
  for (std::uint32_t rest = m; rest != 0; rest &= rest - 1) all[std::countr_zero(rest)] = *from++;
  return load(all);
}

#include "logitkit/numeric/simd/kernels.inl"

}  // namespace scalar
LOGITKIT_REGION_END
LOGITKIT_SIMD_END
