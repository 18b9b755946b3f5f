// SPDX-License-Identifier: MIT
#pragma once
// The 16 virtual lanes on AVX2 with FMA3: two registers.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "logitkit/numeric/simd/kernels.hpp"

#if defined(LOGITKIT_X86) && defined(__GNUC__)
#include <immintrin.h>

LOGITKIT_SIMD_BEGIN
LOGITKIT_TARGET_BEGIN("avx2,fma,f16c,bmi,bmi2,popcnt")
namespace avx2 {

constexpr Isa kIsa = Isa::avx2;
struct F {
  __m256 low, high;
};
using M = F;

LOGITKIT_INLINE F set1(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
LOGITKIT_INLINE F load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
LOGITKIT_INLINE void prefetch(const float* p) { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }
/// Used twice, but read once: g++ takes the memory for a free operand, which it is not where rows are unaligned.
LOGITKIT_INLINE F load_once(const float* p) {
  F v = load(p);
  asm("" : "+x"(v.low), "+x"(v.high));
  return v;
}
LOGITKIT_INLINE F load(const float* p, std::size_t n, float rest) {
  float all[16];
  for (std::size_t i = 0; i < 16; ++i) all[i] = i < n ? p[i] : rest;
  return load(all);
}
LOGITKIT_INLINE void store(float* p, F x) {
  _mm256_storeu_ps(p, x.low);
  _mm256_storeu_ps(p + 8, x.high);
}
LOGITKIT_INLINE void store(float* p, F x, std::size_t n) {
  float all[16];
  store(all, x);
  for (std::size_t i = 0; i < n; ++i) p[i] = all[i];
}
LOGITKIT_INLINE F load_half(const float16* p) {
  const auto* q = reinterpret_cast<const __m128i*>(p);
  return {_mm256_cvtph_ps(_mm_loadu_si128(q)), _mm256_cvtph_ps(_mm_loadu_si128(q + 1))};
}
LOGITKIT_INLINE __m256 widen(__m128i x) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16)); }
LOGITKIT_INLINE F load_half(const bfloat16* p) {
  const auto* q = reinterpret_cast<const __m128i*>(p);
  return {widen(_mm_loadu_si128(q)), widen(_mm_loadu_si128(q + 1))};
}
/// n <= 16 counts below 2^31 as floats, the rest 0.
LOGITKIT_INLINE F load_counts(const std::uint32_t* p, std::size_t n) {
  std::uint32_t all[16] = {};
  if (n < 16) {
    for (std::size_t i = 0; i < n; ++i) all[i] = p[i];
    p = all;
  }
  const auto* q = reinterpret_cast<const __m256i*>(p);
  return {_mm256_cvtepi32_ps(_mm256_loadu_si256(q)), _mm256_cvtepi32_ps(_mm256_loadu_si256(q + 1))};
}
LOGITKIT_INLINE F add(F a, F b) { return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)}; }
LOGITKIT_INLINE F sub(F a, F b) { return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)}; }
LOGITKIT_INLINE F mul(F a, F b) { return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)}; }
LOGITKIT_INLINE F div(F a, F b) { return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)}; }
LOGITKIT_INLINE F fma(F a, F b, F c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
LOGITKIT_INLINE F max(F a, F b) { return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)}; }
LOGITKIT_INLINE F min(F a, F b) { return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)}; }
/// 8 maxima of two values kApart lanes from each other, in order.
template <int kApart>
LOGITKIT_INLINE __m256 fold_max(__m256 low, __m256 high) {
  constexpr int kInOrder = 0xd8;
  if constexpr (kApart == 8) {
    return _mm256_max_ps(low, high);
  } else if constexpr (kApart == 4) {
    return _mm256_max_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
  } else {
    const __m256 most = kApart == 2
                            ? _mm256_max_ps(_mm256_shuffle_ps(low, high, 0x44), _mm256_shuffle_ps(low, high, 0xee))
                            : _mm256_max_ps(_mm256_shuffle_ps(low, high, 0x88), _mm256_shuffle_ps(low, high, 0xdd));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(most), kInOrder));
  }
}
/// 16 maxima of two values kApart lanes from each other: those of `a` in order, then those of `b`.
template <int kApart>
LOGITKIT_INLINE F fold_max(F a, F b) {
  return {fold_max<kApart>(a.low, a.high), fold_max<kApart>(b.low, b.high)};
}
LOGITKIT_INLINE M ge(F a, F b) {
  return {_mm256_cmp_ps(a.low, b.low, _CMP_GE_OQ), _mm256_cmp_ps(a.high, b.high, _CMP_GE_OQ)};
}
LOGITKIT_INLINE M gt(F a, F b) {
  return {_mm256_cmp_ps(a.low, b.low, _CMP_GT_OQ), _mm256_cmp_ps(a.high, b.high, _CMP_GT_OQ)};
}
LOGITKIT_INLINE M both(M a, M b) { return {_mm256_and_ps(a.low, b.low), _mm256_and_ps(a.high, b.high)}; }
/// `also`, where neither is NaN.
LOGITKIT_INLINE M ordered(M also, F a, F b) {
  return both(also, {_mm256_cmp_ps(a.low, b.low, _CMP_ORD_Q), _mm256_cmp_ps(a.high, b.high, _CMP_ORD_Q)});
}
LOGITKIT_INLINE std::uint32_t bits(M m) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(m.low)) | static_cast<std::uint32_t>(_mm256_movemask_ps(m.high))
                                                                     << 8;
}
LOGITKIT_INLINE __m256 spread(std::uint32_t m) {
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i all = _mm256_set1_epi32(static_cast<int>(m));
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit));
}
LOGITKIT_INLINE M mask_of(std::uint32_t m) { return {spread(m & 255u), spread(m >> 8)}; }
LOGITKIT_INLINE F select(M m, F a, F b) {
  return {_mm256_blendv_ps(b.low, a.low, m.low), _mm256_blendv_ps(b.high, a.high, m.high)};
}
LOGITKIT_INLINE __m256 shift_exponent(__m256 p, __m256 n) {
  const __m256i shifted = _mm256_slli_epi32(_mm256_castps_si256(n), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), shifted));
}
LOGITKIT_INLINE F times_power_of_two(F p, F n_in_low_bits) {
  return {shift_exponent(p.low, n_in_low_bits.low), shift_exponent(p.high, n_in_low_bits.high)};
}
LOGITKIT_INLINE __m256 minus_in_double(__m256 x, __m256d c) {
  const __m256d low = _mm256_sub_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(x)), c);
  const __m256d high = _mm256_sub_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)), c);
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
}
LOGITKIT_INLINE F minus_in_double(F x, double c) {
  const __m256d wide = _mm256_set1_pd(c);
  return {minus_in_double(x.low, wide), minus_in_double(x.high, wide)};
}
LOGITKIT_INLINE float tree_sum(F x) {
  const __m256 a = _mm256_add_ps(x.low, x.high);
  const __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 c = _mm_add_ps(b, _mm_movehl_ps(b, b));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_shuffle_ps(c, c, 1)));
}
/// Which lanes the set bits of 8 come from, as a permutation: the numbers of the set bits, then zeros.
LOGITKIT_INLINE __m256i set_lanes(std::uint32_t m) {
  const std::uint64_t bytes = _pdep_u64(m, 0x0101010101010101u) * 0xffu;
  const std::uint64_t order = _pext_u64(0x0706050403020100u, bytes);
  return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(order)));
}
/// For every set bit of 8 its rank among them.
LOGITKIT_INLINE __m256i ranks(std::uint32_t m) {
  const std::uint64_t bytes = _pdep_u64(m, 0x0101010101010101u) * 0xffu;
  return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(_pdep_u64(0x0706050403020100u, bytes))));
}
/// Writes the lanes of `m`, packed; writes 16 floats.
LOGITKIT_INLINE void pack(float* to, F x, M m) {
  const std::uint32_t all = bits(m);
  _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(x.low, set_lanes(all & 255u)));
  _mm256_storeu_ps(to + std::popcount(all & 255u), _mm256_permutevar8x32_ps(x.high, set_lanes(all >> 8)));
}
LOGITKIT_INLINE void pack_ids(std::uint32_t* to, std::uint32_t m, std::uint32_t first_id) {
  const __m256i low = _mm256_add_epi32(set_lanes(m & 255u), _mm256_set1_epi32(static_cast<int>(first_id)));
  const __m256i high = _mm256_add_epi32(set_lanes(m >> 8), _mm256_set1_epi32(static_cast<int>(first_id + 8)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + std::popcount(m & 255u)), high);
}
/// Spreads packed floats to the lanes of `m`, 0 elsewhere; reads 16 floats.
LOGITKIT_INLINE F unpack(const float* from, std::uint32_t m) {
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(from), ranks(m & 255u));
  const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(from + std::popcount(m & 255u)), ranks(m >> 8));
  return select(mask_of(m), {low, high}, set1(0.0f));
}

#include "logitkit/numeric/simd/kernels.inl"

}  // namespace avx2
LOGITKIT_TARGET_END
LOGITKIT_SIMD_END

#endif
