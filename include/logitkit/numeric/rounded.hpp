// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// `x`, rounded to its type. Wrap every product that feeds an addition (and is not an explicit std::fma): GCC fuses
/// a * b + c across statements and inlined calls wherever the target has FMA, Clang within an expression, so the same
/// source would give other bits under -march=native. The barrier hides from the optimizer that `x` is a product; it
/// costs no instruction, but stops auto-vectorization.
template <class Float>
LOGITKIT_INLINE Float rounded(Float x) {
#if defined(__GNUC__) && defined(LOGITKIT_X86)
  asm("" : "+x"(x));
  return x;
#elif defined(__GNUC__) && defined(LOGITKIT_NEON)
  asm("" : "+w"(x));
  return x;
#else
  volatile Float stored = x;
  return stored;
#endif
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
