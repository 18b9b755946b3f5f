// SPDX-License-Identifier: MIT
#pragma once
// What the compiler is and what it must not do. Included by every other header.
#include <cfloat>

#include "logitkit/version.hpp"

#if defined(__FAST_MATH__)
#error "logitkit: -ffast-math reorders sums and drops NaN and infinity tests; masks and determinism would break"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "logitkit: -ffinite-math-only assumes that -inf never occurs, but -inf is how a token is masked"
#endif
#if FLT_EVAL_METHOD != 0
#error \
    "logitkit: x87 arithmetic keeps excess precision, so results would depend on register allocation; use -mfpmath=sse"
#endif

#if defined(__x86_64__) || defined(_M_X64)
#define LOGITKIT_X86 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define LOGITKIT_NEON 1
#endif

#if defined(__GNUC__)
#define LOGITKIT_COLD __attribute__((cold, noinline))
#define LOGITKIT_NOINLINE __attribute__((noinline))
#define LOGITKIT_INLINE inline __attribute__((always_inline))
#define LOGITKIT_INLINE_BODY __attribute__((always_inline))  // behind a lambda's parameters
#else
#define LOGITKIT_COLD
#define LOGITKIT_NOINLINE
#define LOGITKIT_INLINE inline
#define LOGITKIT_INLINE_BODY
#endif

#if defined(__cpp_exceptions)
#define LOGITKIT_EXCEPTIONS 1
#endif
