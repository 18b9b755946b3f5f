// SPDX-License-Identifier: MIT
#pragma once
// Pragmas that open and close a region of code for one instruction set, without the user's flags.
// Inside a region nothing is fused behind our back: explicit FMA is the semantics (see kernels.inl).
#include "logitkit/core/platform.hpp"

#define LOGITKIT_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
#define LOGITKIT_REGION_BEGIN LOGITKIT_PRAGMA(STDC FP_CONTRACT OFF)
#define LOGITKIT_REGION_END LOGITKIT_PRAGMA(STDC FP_CONTRACT DEFAULT)
#define LOGITKIT_TARGET_BEGIN(isa)                                                         \
  LOGITKIT_PRAGMA(clang attribute push(__attribute__((target(isa))), apply_to = function)) \
  LOGITKIT_REGION_BEGIN
#define LOGITKIT_TARGET_END LOGITKIT_REGION_END LOGITKIT_PRAGMA(clang attribute pop)
#elif defined(__GNUC__)
// Below -O2 GCC would leave the upper halves of registers as they are when a kernel ends, and then the caller's own
// code takes up to 40 times as long on Intel's processors: expensive-optimizations is what clears them.
#define LOGITKIT_REGION_BEGIN       \
  LOGITKIT_PRAGMA(GCC push_options) \
  LOGITKIT_PRAGMA(GCC optimize("fp-contract=off", "expensive-optimizations"))
#define LOGITKIT_REGION_END LOGITKIT_PRAGMA(GCC pop_options)
// GCC 12 warns of its own AVX-512 intrinsics, which start from an undefined register on purpose (GCC bug 105593).
#define LOGITKIT_TARGET_BEGIN(isa)                          \
  LOGITKIT_REGION_BEGIN                                     \
  LOGITKIT_PRAGMA(GCC target(isa))                          \
  LOGITKIT_PRAGMA(GCC diagnostic push)                      \
  LOGITKIT_PRAGMA(GCC diagnostic ignored "-Wuninitialized") \
  LOGITKIT_PRAGMA(GCC diagnostic ignored "-Wmaybe-uninitialized")
#define LOGITKIT_TARGET_END LOGITKIT_PRAGMA(GCC diagnostic pop) LOGITKIT_REGION_END
#else
#define LOGITKIT_REGION_BEGIN
#define LOGITKIT_REGION_END
#define LOGITKIT_TARGET_BEGIN(isa)
#define LOGITKIT_TARGET_END
#endif

// The kernels of two translation units with different -march must not be merged by the linker.
#if defined(__AVX512F__)
#define LOGITKIT_SIMD_ABI built_with_avx512
#elif defined(__AVX2__)
#define LOGITKIT_SIMD_ABI built_with_avx2
#else
#define LOGITKIT_SIMD_ABI built_for_baseline
#endif
#define LOGITKIT_SIMD_BEGIN \
  LOGITKIT_NAMESPACE_BEGIN  \
  namespace detail {        \
  namespace simd {          \
  inline namespace LOGITKIT_SIMD_ABI {
#define LOGITKIT_SIMD_END \
  }                       \
  }                       \
  }                       \
  LOGITKIT_NAMESPACE_END
