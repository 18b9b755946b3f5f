// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <limits>
#include <random>

#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// A std::mt19937 told by (seed, words consumed), kept alive so that going on costs nothing. Asking for the words after
/// a position does not move it, so the same question twice has the same answer.
class MersenneTwister {
 public:
  /// A generator whose next word is number `words` of the seed. Cost: one copy (2.5 KB); O(words) where the kept one is
  /// of another seed or further on.
  std::mt19937 at(std::uint32_t seed, std::uint64_t words) {
    if (!is_seeded_ || seed != seed_ || words < words_) {
      generator_.seed(seed);
      seed_ = seed;
      words_ = 0;
      is_seeded_ = true;
    }
    generator_.discard(words - words_);
    words_ = words;
    return generator_;
  }

 private:
  std::mt19937 generator_;
  std::uint64_t words_ = 0;
  std::uint32_t seed_ = 0;
  bool is_seeded_ = false;
};

/// A uniform of two words in [0, 1), as libstdc++'s generate_canonical<double, 53> makes it of an mt19937.
inline double canonical(std::mt19937& generator) {
  const auto low = static_cast<double>(generator());
  const double sum = low + static_cast<double>(generator()) * 0x1p32;  // the product is exact
  const double u = sum * 0x1p-64;
  return u < 1 ? u : 1 - 0x1p-53;
}

/// A uniform of one word in [0, 1), as generate_canonical<float, 24> makes it.
inline float canonical_float(std::mt19937& generator) {
  const float u = static_cast<float>(generator()) * 0x1p-32f;
  return u < 1 ? u : 1 - 0x1p-24f;
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
