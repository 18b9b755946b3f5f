// SPDX-License-Identifier: MIT
#include "logitkit/random/philox.hpp"

#include <gtest/gtest.h>

namespace lk = logitkit;

namespace philox_test {

using Words = std::array<std::uint32_t, 4>;

// The three `philox4x32 10` lines of Random123's tests/kat_vectors: counter, key, expected.
TEST(Philox, GivesThePublishedVectors) {
  EXPECT_EQ(lk::philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(lk::philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // counter and key are the digits of pi
  EXPECT_EQ(lk::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, RunsAtCompileTime) {
  constexpr Words words = lk::philox4x32({0, 0, 0, 0}, {0, 0});
  static_assert(words[0] == 0x6627e8d5 && words[3] == 0x9b00dbd8);
}

}  // namespace philox_test
