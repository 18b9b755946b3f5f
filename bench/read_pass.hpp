// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/// The yardstick of all figures, the "read pass": the largest of a row, as fast as the memory gives it. It belongs to
/// the benchmarks and uses nothing of the library, whose own maximum also looks for NaN.
namespace read_pass {

#if defined(__x86_64__) && defined(__GNUC__)
/// AVX2 reads as fast as AVX-512: the cache is the limit. Four maxima at once hide the latency of one.
__attribute__((target("avx2"))) inline float largest_avx2(const float* row, std::size_t size) {
  __m256 a = _mm256_set1_ps(row[0]), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + 32 <= size; i += 32) {
    a = _mm256_max_ps(a, _mm256_loadu_ps(row + i));
    b = _mm256_max_ps(b, _mm256_loadu_ps(row + i + 8));
    c = _mm256_max_ps(c, _mm256_loadu_ps(row + i + 16));
    d = _mm256_max_ps(d, _mm256_loadu_ps(row + i + 24));
  }
  alignas(32) float lanes[8];
  _mm256_store_ps(lanes, _mm256_max_ps(_mm256_max_ps(a, b), _mm256_max_ps(c, d)));
  float best = *std::max_element(lanes, lanes + 8);
  for (; i < size; ++i) best = std::max(best, row[i]);
  return best;
}
/// The same for processors without AVX2.
inline float largest_sse(const float* row, std::size_t size) {
  __m128 a = _mm_set1_ps(row[0]), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    a = _mm_max_ps(a, _mm_loadu_ps(row + i));
    b = _mm_max_ps(b, _mm_loadu_ps(row + i + 4));
    c = _mm_max_ps(c, _mm_loadu_ps(row + i + 8));
    d = _mm_max_ps(d, _mm_loadu_ps(row + i + 12));
  }
  alignas(16) float lanes[4];
  _mm_store_ps(lanes, _mm_max_ps(_mm_max_ps(a, b), _mm_max_ps(c, d)));
  float best = *std::max_element(lanes, lanes + 4);
  for (; i < size; ++i) best = std::max(best, row[i]);
  return best;
}
#elif defined(__aarch64__)
inline float largest_neon(const float* row, std::size_t size) {
  float32x4_t a = vdupq_n_f32(row[0]), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    a = vmaxq_f32(a, vld1q_f32(row + i));
    b = vmaxq_f32(b, vld1q_f32(row + i + 4));
    c = vmaxq_f32(c, vld1q_f32(row + i + 8));
    d = vmaxq_f32(d, vld1q_f32(row + i + 12));
  }
  float best = vmaxvq_f32(vmaxq_f32(vmaxq_f32(a, b), vmaxq_f32(c, d)));
  for (; i < size; ++i) best = std::max(best, row[i]);
  return best;
}
#endif

/// The largest of a row that is not empty and holds no NaN.
inline float largest(std::span<const float> row) {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx2") ? largest_avx2(row.data(), row.size()) : largest_sse(row.data(), row.size());
#elif defined(__aarch64__)
  return largest_neon(row.data(), row.size());
#else
  return *std::max_element(row.begin(), row.end());
#endif
}

}  // namespace read_pass
