// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "reference.hpp"
#include "support/random_case.hpp"

namespace greedy_skips_test {

namespace lk = logitkit;

// Asking for the log-probability makes everything run; the choice must be the same without.
TEST(Greedy, SkipsOnlyWhatCannotChangeItsChoice) {
  int skipped = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    random_case::Source s(seed);
    auto c = random_case::random_case(s, random_case::random_size(s, 2000));
    c.steps.push_back(lk::TopK(1 + static_cast<std::int64_t>(s.below(40))));
    if (s.chance(0.5)) c.steps.push_back(lk::TopP(0.8));
    if (s.chance(0.3)) c.steps.push_back(lk::MinP(0.1));
    c.selector = lk::Greedy();
    const lk::Pipeline pipeline = c.pipeline();
    const lk::Pick quick = pipeline.pick(c.view(), c.request),
                   full = pipeline.pick(c.view(), c.request, {.logprob = true});
    ASSERT_EQ(quick.token, full.token) << "seed " << seed << ", " << c.text();
    ASSERT_EQ(quick.status, full.status) << "seed " << seed;
    ASSERT_EQ(quick.step, full.step) << "seed " << seed;
    skipped += quick.status == lk::Status::ok && quick.survivors == 0 ? 1 : 0;
  }
  EXPECT_GT(skipped, 1000);
}

TEST(Greedy, TakesTheLowestOfEqualLogitsAlsoOfThoseADivisionMadeEqual) {
  float low = 3.0f;  // the first pair of neighbours from 3 on that a division by 1.5 makes equal
  while (low / 1.5f != std::nextafter(low, 4.0f) / 1.5f) low = std::nextafter(low, 4.0f);
  const float high = std::nextafter(low, 4.0f);
  const lk::Request request({1}, {.seed = 1});
  EXPECT_EQ((lk::Temperature(1.5) | lk::Greedy()).pick(std::vector<float>{0, low, high, 1}, request).token, 1);
  EXPECT_EQ(lk::Pipeline(lk::Greedy()).pick(std::vector<float>{0, low, high, 1}, request).token, 2);
}

}  // namespace greedy_skips_test
