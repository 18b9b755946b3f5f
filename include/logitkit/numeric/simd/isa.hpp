// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "logitkit/core/platform.hpp"

#if defined(LOGITKIT_X86) && defined(_MSC_VER)
#include <intrin.h>
#endif

LOGITKIT_NAMESPACE_BEGIN

/// Instruction sets with kernels of their own. All give the same bits; `scalar` is correct, not fast.
enum class Isa : std::uint8_t { scalar, avx2, avx512, neon };

/// As LOGITKIT_FORCE_ISA spells it.
constexpr std::string_view name(Isa isa) {
  constexpr std::string_view kNames[] = {"scalar", "avx2", "avx512", "neon"};
  return kNames[static_cast<std::size_t>(isa)];
}

namespace detail {

/// Whether this processor (and its operating system) can run the kernels of `isa`.
inline bool host_has(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return true;
    case Isa::neon:
#if defined(LOGITKIT_NEON)
      return true;
#else
      return false;
#endif
#if defined(LOGITKIT_X86) && defined(__GNUC__)
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2");
    case Isa::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
    default:
      return false;
  }
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
