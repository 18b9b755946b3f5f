// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <concepts>
#include <cstdint>

#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// value / 2^shift, rounded to nearest, ties to even; 1 <= shift <= 24. A carry moves into the exponent, as it should.
constexpr std::uint32_t shift_to_nearest_even(std::uint32_t value, int shift) {
  const std::uint32_t odd = value >> shift & 1;
  return (value + (std::uint32_t{1} << (shift - 1)) - 1 + odd) >> shift;
}

constexpr std::uint16_t float16_bits(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  const auto with_sign = [sign](std::uint32_t rest) { return static_cast<std::uint16_t>(sign | rest); };
  if (magnitude > 0x7f800000) return with_sign(0x7e00 | (magnitude >> 13 & 0x1ff));                  // NaN, made quiet
  if (magnitude >= 0x47800000) return with_sign(0x7c00);                                             // >= 65536
  if (magnitude >= 0x38800000) return with_sign(shift_to_nearest_even(magnitude - 0x38000000, 13));  // >= 2^-14
  const int shift = 126 - static_cast<int>(magnitude >> 23);  // subnormal: the significand in units of 2^-24
  return with_sign(shift > 24 ? 0 : shift_to_nearest_even((magnitude & 0x7fffff) | 0x800000, shift));
}

constexpr float float16_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & std::uint32_t{0x8000}) << 16;
  const std::uint32_t magnitude = bits & 0x7fff;
  if (magnitude > 0x7c00) return std::bit_cast<float>(sign | 0x7fc00000 | magnitude << 13);
  if (magnitude == 0x7c00) return std::bit_cast<float>(sign | 0x7f800000);
  if (magnitude >= 0x400) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;  // exact
  return sign ? -subnormal : subnormal;
}

constexpr std::uint16_t bfloat16_bits(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);  // NaN, made quiet
  return static_cast<std::uint16_t>(shift_to_nearest_even(bits, 16));
}

}  // namespace detail

/// IEEE 754 binary16, a storage type for rows of logits: 1 sign, 5 exponent, 10 fraction bits; largest finite 65504.
///   from float  nearest, ties to even, in every rounding mode; |x| >= 65520 gives infinity; NaN stays NaN
///   to float    exact, same bits as F16C and NEON give
struct float16 {
  std::uint16_t bits = 0;

  float16() = default;
  explicit constexpr float16(float x) : bits(detail::float16_bits(x)) {}
  float16(std::integral auto) = delete;  ///< value or bits? Say which: float16(1.0f), float16::from_bits(0x3c00)
  static constexpr float16 from_bits(std::uint16_t bits) {
    float16 result;
    result.bits = bits;
    return result;
  }
  constexpr operator float() const { return detail::float16_value(bits); }
};

/// The upper half of a float (1 sign, 8 exponent, 7 fraction bits), a storage type for rows of logits.
///   from float  nearest, ties to even, in every rounding mode; beyond the largest finite: infinity; NaN stays NaN
///   to float    exact
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  explicit constexpr bfloat16(float x) : bits(detail::bfloat16_bits(x)) {}
  bfloat16(std::integral auto) = delete;  ///< value or bits? Say which: bfloat16(1.0f), bfloat16::from_bits(0x3f80)
  static constexpr bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 result;
    result.bits = bits;
    return result;
  }
  constexpr operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

LOGITKIT_NAMESPACE_END
