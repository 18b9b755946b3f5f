// SPDX-License-Identifier: MIT
// The search for the place among exps where their mass reaches a target, against sums in long double.
#include "logitkit/candidates/mass_search.hpp"

#include <gtest/gtest.h>

#include "numeric/isas.hpp"
#include "numeric/rows.hpp"

namespace lk = logitkit;

namespace mass_search_test {

using lk::detail::ExpInterval;

class MassSearch : public EveryIsa {};
LOGITKIT_FOR_EVERY_ISA(MassSearch);

std::vector<float> random_exps(std::uint64_t seed) {
  std::vector<float> e = rows::noise(seed, 30 + synthetic::hash64(seed, 1) % 4000, seed % 2 ? 0.1 : 2.0);
  const float max = *std::max_element(e.begin(), e.end());
  for (float& x : e) x = std::exp(x - max);
  return e;
}

TEST_P(MassSearch, PopulationCountsTheBitsOf16) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits)
    ASSERT_EQ(lk::detail::population(bits), static_cast<std::uint32_t>(std::popcount(bits)));
}

TEST_P(MassSearch, SplitPacksWhatIsInsideAndSumsWhatIsAbove) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto exps = random_exps(seed);
    const float a = exps[synthetic::hash64(seed, 2) % exps.size()], b = exps[synthetic::hash64(seed, 3) % exps.size()];
    const ExpInterval interval{std::min(a, b), std::max(a, b)};
    std::vector<float> inside, expected;
    std::vector<std::uint32_t> positions, expected_positions;
    long double above = 0;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < exps.size(); ++i) {
      if (exps[i] >= interval.high) {
        above += static_cast<long double>(exps[i]);
        ++count;
      } else if (exps[i] >= interval.low) {
        expected.push_back(exps[i]);
        expected_positions.push_back(i);
      }
    }
    const auto split = lk::detail::split(lk::detail::kernels(), exps, interval, inside, &positions);
    inside.resize(split.inside);
    positions.resize(split.inside);
    ASSERT_EQ(inside, expected) << "seed " << seed;
    ASSERT_EQ(positions, expected_positions) << "seed " << seed;
    ASSERT_EQ(split.count, count);
    std::vector<float> values_only;
    ASSERT_EQ(lk::detail::split(lk::detail::kernels(), exps, interval, values_only).inside, split.inside);
    values_only.resize(split.inside);
    ASSERT_EQ(values_only, expected);
    // 2^-36 * (16 + sum) for each of at most four blocks, as the kernel promises
    ASSERT_NEAR(split.above, static_cast<double>(above), 0x1p-36 * (4 * 16 + split.above)) << "seed " << seed;
  }
}

TEST_P(MassSearch, WhereMassReachesIsAtMostAnEighthTooLow) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto exps = random_exps(seed);
    const auto above = [&](float t) {
      long double sum = 0;
      for (const float e : exps) sum += e >= t ? static_cast<long double>(e) : 0;
      return static_cast<double>(sum);
    };
    const double target = above(0) * (0.02 + 0.96 * static_cast<double>(seed) / 300);
    const float found = lk::detail::where_mass_reaches(target, above);
    ASSERT_GE(above(found), target) << "seed " << seed;
    ASSERT_LT(above(found * 1.125f), target) << "seed " << seed;  // 2^20 units of the last place are an eighth at most
  }
  EXPECT_LE(lk::detail::where_mass_reaches(1.0, [](float) { return 0.5; }), lk::detail::kSmallestTold);  // never
}

// Wherever it is told to look first: at the place, above it, below it.
TEST_P(MassSearch, NarrowKeepsThePlaceWhereTheMassReachesTheTarget) {
  std::vector<float> memory, spare;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto exps = random_exps(seed);
    long double sum = 0, mass = 0;
    for (const float e : exps) sum += static_cast<long double>(e);
    const double target = static_cast<double>(sum) * (0.02 + 0.96 * static_cast<double>(seed) / 300);
    const auto unsorted = exps;
    std::sort(exps.begin(), exps.end(), std::greater<>());
    std::size_t at = 0;
    while ((mass += static_cast<long double>(exps[at])) < static_cast<long double>(target)) ++at;
    const std::size_t guessed = seed % 3 == 0 ? at : seed % 3 == 1 ? at / 2 : std::min(at + 40, exps.size() - 1);
    const ExpInterval guess{exps[guessed] * 0.98f, exps[guessed] * 1.02f};
    const ExpInterval found = lk::detail::narrow(
        lk::detail::kernels(), unsorted, {0x1p-126f, lk::detail::next_above(1.0f)}, guess, target, memory, spare);
    // Float sums guide it: it may be off by what they are, so a neighbour counts as found.
    const float next_larger = exps[at == 0 ? 0 : at - 1], next_smaller = exps[std::min(at + 1, exps.size() - 1)];
    ASSERT_LE(found.low, next_larger) << "seed " << seed;
    ASSERT_GE(found.high, next_smaller) << "seed " << seed;
    const auto inside =
        std::count_if(exps.begin(), exps.end(), [&](float e) { return e >= found.low && e < found.high; });
    ASSERT_LE(inside, 64) << "seed " << seed;
  }
}

}  // namespace mass_search_test
