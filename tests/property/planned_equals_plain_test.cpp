// SPDX-License-Identifier: MIT
#include "property/planned_equals_plain.hpp"

#include <gtest/gtest.h>

#include "support/slow_build.hpp"

namespace planned_equals_plain_test {

void expect_equal_cases(std::uint64_t first_seed, std::size_t cases, std::size_t most_ids, bool fixed_size) {
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    random_case::Source source(seed);
    const auto c = random_case::random_case(source, fixed_size ? most_ids : random_case::random_size(source, most_ids));
    const auto difference = planned_differs_from_plain(c);
    ASSERT_FALSE(difference) << "seed " << seed << ", " << c.text() << "\n" << *difference;
  }
}

constexpr std::size_t kSmall = kSlowBuild ? 2000 : 100000, kLarge = kSlowBuild ? 10 : 500;

TEST(PlannedEqualsPlain, OnRandomChains) { expect_equal_cases(1, kSmall, 4096, false); }
TEST(PlannedEqualsPlain, OnRandomChainsOverALargeVocabulary) { expect_equal_cases(1000001, kLarge, 151936, true); }

}  // namespace planned_equals_plain_test
