// SPDX-License-Identifier: MIT
#pragma once
// The 16 virtual lanes on NEON: four registers. NEON is baseline on aarch64, so nothing is dispatched there.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "logitkit/numeric/simd/kernels.hpp"

#if defined(LOGITKIT_NEON) && defined(__GNUC__)
#include <arm_neon.h>

LOGITKIT_SIMD_BEGIN
LOGITKIT_REGION_BEGIN
namespace neon {

constexpr Isa kIsa = Isa::neon;
struct F {
  float32x4_t part[4];
};
struct M {
  uint32x4_t part[4];
};

template <class Op>
LOGITKIT_INLINE F each(Op op) {
  return {{op(0), op(1), op(2), op(3)}};
}
template <class Op>
LOGITKIT_INLINE M each_mask(Op op) {
  return {{op(0), op(1), op(2), op(3)}};
}

LOGITKIT_INLINE F set1(float x) {
  return each([&](int) { return vdupq_n_f32(x); });
}
LOGITKIT_INLINE F load(const float* p) {
  return each([&](int i) { return vld1q_f32(p + 4 * i); });
}
LOGITKIT_INLINE void prefetch(const float* p) { __builtin_prefetch(p); }
LOGITKIT_INLINE F load_once(const float* p) { return load(p); }
LOGITKIT_INLINE F load(const float* p, std::size_t n, float rest) {
  float all[16];
  for (std::size_t i = 0; i < 16; ++i) all[i] = i < n ? p[i] : rest;
  return load(all);
}
LOGITKIT_INLINE void store(float* p, F x) {
  for (int i = 0; i < 4; ++i) vst1q_f32(p + 4 * i, x.part[i]);
}
LOGITKIT_INLINE void store(float* p, F x, std::size_t n) {
  float all[16];
  store(all, x);
  for (std::size_t i = 0; i < n; ++i) p[i] = all[i];
}
LOGITKIT_INLINE F load_half(const float16* p) {
  return each([&](int i) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(p) + 4 * i)));
  });
}
LOGITKIT_INLINE F load_half(const bfloat16* p) {
  return each([&](int i) {
    const uint16x4_t half = vld1_u16(reinterpret_cast<const std::uint16_t*>(p) + 4 * i);
    return vreinterpretq_f32_u32(vshlq_n_u32(vmovl_u16(half), 16));
  });
}
/// n <= 16 counts below 2^31 as floats, the rest 0.
LOGITKIT_INLINE F load_counts(const std::uint32_t* p, std::size_t n) {
  std::uint32_t all[16] = {};
  for (std::size_t i = 0; i < n; ++i) all[i] = p[i];
  return each([&](int i) { return vcvtq_f32_u32(vld1q_u32(all + 4 * i)); });
}
LOGITKIT_INLINE F add(F a, F b) {
  return each([&](int i) { return vaddq_f32(a.part[i], b.part[i]); });
}
LOGITKIT_INLINE F sub(F a, F b) {
  return each([&](int i) { return vsubq_f32(a.part[i], b.part[i]); });
}
LOGITKIT_INLINE F mul(F a, F b) {
  return each([&](int i) { return vmulq_f32(a.part[i], b.part[i]); });
}
LOGITKIT_INLINE F div(F a, F b) {
  return each([&](int i) { return vdivq_f32(a.part[i], b.part[i]); });
}
LOGITKIT_INLINE F fma(F a, F b, F c) {
  return each([&](int i) { return vfmaq_f32(c.part[i], a.part[i], b.part[i]); });
}
LOGITKIT_INLINE M ge(F a, F b) {
  return each_mask([&](int i) { return vcgeq_f32(a.part[i], b.part[i]); });
}
LOGITKIT_INLINE M gt(F a, F b) {
  return each_mask([&](int i) { return vcgtq_f32(a.part[i], b.part[i]); });
}
LOGITKIT_INLINE M both(M a, M b) {
  return each_mask([&](int i) { return vandq_u32(a.part[i], b.part[i]); });
}
/// `also`, where neither is NaN.
LOGITKIT_INLINE M ordered(M also, F a, F b) {
  return both(also, each_mask([&](int i) {
                return vandq_u32(vceqq_f32(a.part[i], a.part[i]), vceqq_f32(b.part[i], b.part[i]));
              }));
}
LOGITKIT_INLINE std::uint32_t bits(M m) {
  const std::uint32_t weight[4] = {1, 2, 4, 8};
  const uint32x4_t w = vld1q_u32(weight);
  std::uint32_t all = 0;
  for (int i = 0; i < 4; ++i) all |= vaddvq_u32(vandq_u32(m.part[i], w)) << (4 * i);
  return all;
}
LOGITKIT_INLINE M mask_of(std::uint32_t m) {
  const std::uint32_t weight[4] = {1, 2, 4, 8};
  const uint32x4_t w = vld1q_u32(weight);
  return each_mask([&](int i) { return vtstq_u32(vdupq_n_u32(m >> (4 * i)), w); });
}
LOGITKIT_INLINE F select(M m, F a, F b) {
  return each([&](int i) { return vbslq_f32(m.part[i], a.part[i], b.part[i]); });
}
/// Like the x86 instructions: the second operand where either is NaN, so that one rule holds on every ISA.
LOGITKIT_INLINE F max(F a, F b) { return select(gt(a, b), a, b); }
LOGITKIT_INLINE F min(F a, F b) { return select(gt(b, a), a, b); }
/// 16 maxima of two values kApart lanes from each other: those of `a` in order, then those of `b`.
template <int kApart>
LOGITKIT_INLINE F fold_max(F a, F b) {
  const auto most = [](float32x4_t x, float32x4_t y) { return vbslq_f32(vcgtq_f32(x, y), x, y); };
  const auto fold = [&](const float32x4_t& x, const float32x4_t& y) {
    if constexpr (kApart == 2)
      return most(vcombine_f32(vget_low_f32(x), vget_low_f32(y)), vcombine_f32(vget_high_f32(x), vget_high_f32(y)));
    else if constexpr (kApart == 1)
      return most(vuzp1q_f32(x, y), vuzp2q_f32(x, y));
    else
      return most(x, y);
  };
  constexpr int kNext = kApart == 8 ? 2 : 1, kStep = kApart == 8 ? 1 : 2;
  return {{fold(a.part[0], a.part[kNext]), fold(a.part[kStep], a.part[kStep + kNext]), fold(b.part[0], b.part[kNext]),
           fold(b.part[kStep], b.part[kStep + kNext])}};
}
LOGITKIT_INLINE F times_power_of_two(F p, F n_in_low_bits) {
  return each([&](int i) {
    const uint32x4_t shifted = vshlq_n_u32(vreinterpretq_u32_f32(n_in_low_bits.part[i]), 23);
    return vreinterpretq_f32_u32(vaddq_u32(vreinterpretq_u32_f32(p.part[i]), shifted));
  });
}
LOGITKIT_INLINE F minus_in_double(F x, double c) {
  const float64x2_t wide = vdupq_n_f64(c);
  return each([&](int i) {
    const float64x2_t low = vsubq_f64(vcvt_f64_f32(vget_low_f32(x.part[i])), wide);
    const float64x2_t high = vsubq_f64(vcvt_high_f64_f32(x.part[i]), wide);
    return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
  });
}
LOGITKIT_INLINE float tree_sum(F x) {
  const float32x4_t a = vaddq_f32(vaddq_f32(x.part[0], x.part[2]), vaddq_f32(x.part[1], x.part[3]));
  const float32x2_t b = vadd_f32(vget_low_f32(a), vget_high_f32(a));
  return vget_lane_f32(b, 0) + vget_lane_f32(b, 1);
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

}  // namespace neon
LOGITKIT_REGION_END
LOGITKIT_SIMD_END

#endif
