// SPDX-License-Identifier: MIT
#include "logitkit/random/mersenne_twister.hpp"

#include <gtest/gtest.h>

namespace mersenne_twister_test {

using logitkit::detail::MersenneTwister;

TEST(MersenneTwister, FindsAnyWordInAnyOrder) {
  MersenneTwister kept;
  for (const std::uint64_t words : {0u, 0u, 2u, 2u, 700u, 5u, 5u, 1300u, 1299u}) {
    for (const std::uint32_t seed : {42u, 42u, 7u}) {
      std::mt19937 fresh(seed);
      fresh.discard(words);
      std::mt19937 found = kept.at(seed, words);
      EXPECT_EQ(found(), fresh()) << seed << " " << words;
    }
  }
}

TEST(MersenneTwister, MakesTheUniformsOfLibstdcxx) {
  // First two uniforms by seed, recorded from llama.cpp's build.
  struct Known {
    std::uint32_t seed;
    double first, second;
  };
  for (const Known& known :
       {Known{0, 0.5928446165166826, 0.8442657442565983}, Known{1, 0.9971848082302656, 0.9325573613681655},
        Known{42, 0.796542984287846, 0.18343478789336848}}) {
    std::mt19937 generator(known.seed);
    EXPECT_EQ(logitkit::detail::canonical(generator), known.first);
    EXPECT_EQ(logitkit::detail::canonical(generator), known.second);
  }
}

}  // namespace mersenne_twister_test
