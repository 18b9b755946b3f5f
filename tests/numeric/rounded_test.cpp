// SPDX-License-Identifier: MIT
#include "logitkit/numeric/rounded.hpp"

#include <gtest/gtest.h>

#include "logitkit/numeric/simd/isa.hpp"

namespace lk = logitkit;

namespace rounded_test {

// Compiled for a processor with FMA, and optimized enough to fuse.
#if defined(LOGITKIT_X86) && defined(__clang__)
#define FUSING __attribute__((target("fma"), noinline))
#elif defined(LOGITKIT_X86) && defined(__GNUC__)
#define FUSING __attribute__((target("fma"), optimize("O2"), noinline))
#else
#define FUSING
#endif
FUSING double multiply_add(double a, double b, double c) { return lk::detail::rounded(a * b) + c; }
FUSING float multiply_add(float a, float b, float c) { return lk::detail::rounded(a * b) + c; }

TEST(Rounded, KeepsAProductFromBeingFusedWithAnAddition) {
#if defined(LOGITKIT_X86)
  if (!lk::detail::host_has(lk::Isa::avx2)) GTEST_SKIP() << "1 test needs a processor with FMA";
#endif
  // (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60; the last term is lost by rounding, a fused addition would keep it
  const volatile double a = 1 + 0x1p-30;  // volatile: to be computed when it runs
  EXPECT_EQ(multiply_add(a, a, -(1 + 0x1p-29)), 0);
  // (1 + 2^-13)^2 = 1 + 2^-12 + 2^-26
  const volatile float b = 1 + 0x1p-13f;
  EXPECT_EQ(multiply_add(b, b, -(1 + 0x1p-12f)), 0);
}

#undef FUSING

}  // namespace rounded_test
