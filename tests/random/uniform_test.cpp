// SPDX-License-Identifier: MIT
// The frozen values are a promise: a seeded request gives the same tokens in every later version. They may only change
// together with the rule that they freeze, and come from a ten-line Python program of that rule:
//   w = philox4x32-10(counter = [draw, position, stream low, stream high], key = [seed low, seed high])
//   u = ((w[0] >> 5) * 2**26 + (w[1] >> 6)) * 2.0**-53
#include "logitkit/random/uniform.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lk = logitkit;

TEST(Uniform, IsFrozen) {
  EXPECT_EQ(lk::uniform(0, 0, 0, 0), 0x1.989fa370b4e2cp-2);
  EXPECT_EQ(lk::uniform(42, 0, 0, 0), 0x1.39d5e09dfd524p-1);
  EXPECT_EQ(lk::uniform(42, 0, 7, lk::draws::kSelector), 0x1.8b20c119f9f6ap-1);
  EXPECT_EQ(lk::uniform(42, 0, 7, lk::draws::kXtc), 0x1.4cf4a5b21e640p-7);
  EXPECT_EQ(lk::uniform(42, 0, 7, lk::draws::kXtc + 1), 0x1.6c6642cf86856p-1);
  EXPECT_EQ(lk::uniform(42, 0, 7, lk::draws::kDraftAccept), 0x1.320d152126753p-1);
  EXPECT_EQ(lk::uniform(42, 0, 7, lk::draws::kDraftResidual), 0x1.656fc0b02a640p-5);
  EXPECT_EQ(lk::uniform(42, 0, 7, lk::draws::kBeam + 3), 0x1.899cf3528e815p-1);
}

TEST(Uniform, UsesEveryBitOfSeedAndStream) {
  EXPECT_EQ(lk::uniform(42, 1, 7, 0), 0x1.056cf650d3124p-2);
  EXPECT_EQ(lk::uniform(42, std::uint64_t{1} << 32, 7, 0), 0x1.98e79a428bca2p-1);
  EXPECT_EQ(lk::uniform(std::uint64_t{42} << 32, 0, 7, 0), 0x1.570666ef6aa0ap-1);
  EXPECT_EQ(lk::uniform(~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint32_t{0}, ~std::uint32_t{0}),
            0x1.023c9da0e41d8p-2);
}

TEST(Uniform, HasFiftyThreeBitsAndStaysBelowOne) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(lk::detail::unit_interval(kOnes, kOnes), 1.0 - 0x1p-53);
  EXPECT_EQ(lk::detail::unit_interval(0, 64), 0x1p-53);  // the lowest bit that counts
  EXPECT_EQ(lk::detail::unit_interval(31, 63), 0.0);     // 5 and 6 bits are dropped
  EXPECT_EQ(lk::detail::unit_interval(0x80000000, 0), 0.5);
}

TEST(Uniform, HasTheMomentsOfAUniform) {
  constexpr int kDraws = 100000;
  double sum = 0, squares = 0;
  for (std::uint32_t position = 0; position < kDraws; ++position) {
    const double u = lk::uniform(1, 2, position, 0);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  // five standard deviations: sqrt(1/12 / n) = 9.1e-4 for the mean, sqrt(4/45 / n) = 9.4e-4 for the square
  EXPECT_NEAR(sum / kDraws, 1.0 / 2, 4.6e-3);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 4.7e-3);
}

TEST(RaceUniforms, AreTheTwoWordPairsOfOneDraw) {
  const auto first = lk::race_uniforms(42, 0, 7, 0);  // ids 0 and 1
  EXPECT_EQ(first[0], 0x1.3611908887b22p-1);
  EXPECT_EQ(first[1], 0x1.70f6f782e923fp-1);
  const auto last = lk::race_uniforms(42, 0, 7, 75967);  // ids 151934 and 151935
  EXPECT_EQ(last[0], 0x1.28b334d6cc5bcp-2);
  EXPECT_EQ(last[1], 0x1.355480e34fd1ep-2);
  EXPECT_EQ(first[0], lk::uniform(42, 0, 7, lk::draws::kRace));
}
