// SPDX-License-Identifier: MIT
// Walks over every float of the exp kernel's range, on every instruction set: the error that its comment states, and
// the same bits everywhere. The exact value is our double exp, whose own error (0.62 ulp of a double) does not count
// here.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>

#include "isas.hpp"
#include "logitkit/numeric/scalar_math.hpp"

namespace lk = logitkit;

namespace exp_slow_test {

constexpr std::uint64_t kMinusZero = 0x80000000;
constexpr std::size_t kBlock = lk::detail::kBlock;

struct Findings {
  double worst = 0;  // in ulp
  bool same_bits = true;
};

// Blocks number `start`, start + 2, ... of the floats from -0 down to -87.
Findings walk(std::size_t start) {
  Findings found;
  const auto isas = host_isas();
  const std::uint64_t end = std::bit_cast<std::uint32_t>(-87.0f);
  std::array<float, kBlock> x, first, other;
  for (std::uint64_t bits = kMinusZero + start * kBlock; bits <= end; bits += 2 * kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits + i));
    lk::detail::simd::kernels_of(isas[0]).exp(x.data(), first.data(), kBlock, 0.0f);
    for (std::size_t k = 1; k < isas.size(); ++k) {
      lk::detail::simd::kernels_of(isas[k]).exp(x.data(), other.data(), kBlock, 0.0f);
      found.same_bits = found.same_bits && std::memcmp(first.data(), other.data(), sizeof(first)) == 0;
    }
    for (std::size_t i = 0; i < kBlock && bits + i <= end; ++i) {
      const double exact = lk::detail::math::exp(static_cast<double>(x[i]));
      const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(exact) >> 52) - 1023;
      const double ulp = lk::detail::math::power_of_two(exponent - 23);
      found.worst = std::max(found.worst, std::fabs(static_cast<double>(first[i]) - exact) / ulp);
    }
  }
  return found;
}

TEST(ExpKernelSlow, IsWithinItsBoundAndTheSameOnEveryIsaForEveryFloat) {
  std::array<Findings, 2> found;
  std::thread half([&] { found[1] = walk(1); });
  found[0] = walk(0);
  half.join();
  EXPECT_LT(std::max(found[0].worst, found[1].worst), 0.9);
  EXPECT_TRUE(found[0].same_bits && found[1].same_bits);
}

TEST(ExpKernelSlow, IsZeroForEveryFloatBelow) {
  for (const lk::Isa isa : host_isas()) {
    const std::uint32_t last = std::bit_cast<std::uint32_t>(-std::numeric_limits<float>::infinity());
    for (std::uint32_t bits = std::bit_cast<std::uint32_t>(-87.0f) + 1; bits <= last - 4096; bits += 4093) {
      const float x = std::bit_cast<float>(bits);
      float e = 1;
      lk::detail::simd::kernels_of(isa).exp(&x, &e, 1, 0.0f);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(e), 0u) << x;
    }
  }
}

}  // namespace exp_slow_test
