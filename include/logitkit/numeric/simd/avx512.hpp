// SPDX-License-Identifier: MIT
#pragma once
// The 16 virtual lanes on AVX-512: one register.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "logitkit/numeric/simd/kernels.hpp"

#if defined(LOGITKIT_X86) && defined(__GNUC__)
#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC's own headers start from an undefined register
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
LOGITKIT_SIMD_BEGIN
LOGITKIT_TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c,bmi,bmi2,popcnt")
namespace avx512 {

constexpr Isa kIsa = Isa::avx512;
using F = __m512;
using M = __mmask16;

LOGITKIT_INLINE M first(std::size_t n) { return static_cast<M>((1u << n) - 1u); }
LOGITKIT_INLINE F set1(float x) { return _mm512_set1_ps(x); }
LOGITKIT_INLINE F load(const float* p) { return _mm512_loadu_ps(p); }
LOGITKIT_INLINE void prefetch(const float* p) { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }
LOGITKIT_INLINE F load_once(const float* p) {
  F v = load(p);
  asm("" : "+v"(v));
  return v;
}
LOGITKIT_INLINE F load(const float* p, std::size_t n, float rest) {
  return _mm512_mask_loadu_ps(set1(rest), first(n), p);
}
LOGITKIT_INLINE void store(float* p, F x) { _mm512_storeu_ps(p, x); }
LOGITKIT_INLINE void store(float* p, F x, std::size_t n) { _mm512_mask_storeu_ps(p, first(n), x); }
LOGITKIT_INLINE F load_half(const float16* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
LOGITKIT_INLINE F load_half(const bfloat16* p) {
  const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
/// n <= 16 counts below 2^31 as floats, the rest 0.
LOGITKIT_INLINE F load_counts(const std::uint32_t* p, std::size_t n) {
  return _mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(first(n), p));
}
LOGITKIT_INLINE F add(F a, F b) { return _mm512_add_ps(a, b); }
LOGITKIT_INLINE F sub(F a, F b) { return _mm512_sub_ps(a, b); }
LOGITKIT_INLINE F mul(F a, F b) { return _mm512_mul_ps(a, b); }
LOGITKIT_INLINE F div(F a, F b) { return _mm512_div_ps(a, b); }
LOGITKIT_INLINE F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
LOGITKIT_INLINE F max(F a, F b) { return _mm512_max_ps(a, b); }
LOGITKIT_INLINE F min(F a, F b) { return _mm512_min_ps(a, b); }
/// 16 maxima of two values kApart lanes from each other: those of `a` in order, then those of `b`.
template <int kApart>
LOGITKIT_INLINE F fold_max(F a, F b) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i even_pairs = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  if constexpr (kApart == 8) {
    return max(_mm512_mask_blend_ps(0xff00, a, b), _mm512_shuffle_f32x4(a, b, 0x4e));
  } else if constexpr (kApart == 4) {
    return max(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
  } else if constexpr (kApart == 2) {
    const __m512d x = _mm512_castps_pd(a), y = _mm512_castps_pd(b);
    const __m512i odd_pairs = _mm512_add_epi64(even_pairs, _mm512_set1_epi64(1));
    return max(_mm512_castpd_ps(_mm512_permutex2var_pd(x, even_pairs, y)),
               _mm512_castpd_ps(_mm512_permutex2var_pd(x, odd_pairs, y)));
  } else {
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    return max(_mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b));
  }
}
LOGITKIT_INLINE M ge(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
LOGITKIT_INLINE M gt(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
/// `also`, where neither is NaN.
LOGITKIT_INLINE M ordered(M also, F a, F b) { return _mm512_mask_cmp_ps_mask(also, a, b, _CMP_ORD_Q); }
LOGITKIT_INLINE M both(M a, M b) { return static_cast<M>(a & b); }
LOGITKIT_INLINE std::uint32_t bits(M m) { return m; }
LOGITKIT_INLINE M mask_of(std::uint32_t m) { return static_cast<M>(m); }
LOGITKIT_INLINE F select(M m, F a, F b) { return _mm512_mask_blend_ps(m, b, a); }
LOGITKIT_INLINE F times_power_of_two(F p, F n_in_low_bits) {
  const __m512i shifted = _mm512_slli_epi32(_mm512_castps_si512(n_in_low_bits), 23);
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p), shifted));
}
LOGITKIT_INLINE F minus_in_double(F x, double c) {
  const __m512d wide = _mm512_set1_pd(c);
  const __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(x));
  const __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
  const __m256 a = _mm512_cvtpd_ps(_mm512_sub_pd(low, wide));
  const __m256 b = _mm512_cvtpd_ps(_mm512_sub_pd(high, wide));
  return _mm512_insertf32x8(_mm512_castps256_ps512(a), b, 1);
}
LOGITKIT_INLINE float tree_sum(F x) {
  const __m256 a = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
  const __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 c = _mm_add_ps(b, _mm_movehl_ps(b, b));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_shuffle_ps(c, c, 1)));
}
/// Writes the lanes of `m`, packed; writes 16 floats. In a register first: the memory form is slow on Zen 4.
LOGITKIT_INLINE void pack(float* to, F x, M m) { _mm512_storeu_ps(to, _mm512_maskz_compress_ps(m, x)); }
LOGITKIT_INLINE void pack_ids(std::uint32_t* to, std::uint32_t m, std::uint32_t first_id) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i id = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first_id)));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask_of(m), id));
}
/// Spreads packed floats to the lanes of `m`, 0 elsewhere; reads 16 floats.
LOGITKIT_INLINE F unpack(const float* from, std::uint32_t m) {
  return _mm512_maskz_expand_ps(mask_of(m), _mm512_loadu_ps(from));
}

#include "logitkit/numeric/simd/kernels.inl"

}  // namespace avx512
LOGITKIT_TARGET_END
LOGITKIT_SIMD_END
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
