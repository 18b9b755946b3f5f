// SPDX-License-Identifier: MIT
// Candidates::restore: the set that a chain leaves, with the logits of the row again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random_case.hpp"

namespace restore_test {

namespace lk = logitkit;

TEST(Restore, KeepsTheSetAndGivesTheRowsLogitsBack) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    random_case::Source s(seed);
    random_case::Case c = random_case::random_case(s, random_case::random_size(s, 20000));
    if (s.chance(0.2))
      c.steps.insert(c.steps.begin() + static_cast<std::ptrdiff_t>(s.below(c.steps.size() + 1)),
                     lk::Step([](lk::Candidates& candidates, const lk::StepView&) {
                       for (float& x : candidates.materialize()) x = x < 0 ? lk::detail::kMasked : x + 1;
                     }));
    lk::Candidates candidates;
    lk::Workspace workspace;
    lk::RunningValues running;
    const auto end = lk::detail::run(c.steps, candidates, c.view(), c.request, 0, {}, workspace, running);
    if (end.status != lk::Status::ok) continue;
    if (std::any_of(c.row.begin(), c.row.end(), [](float x) { return std::isnan(x); }))
      continue;  // RemoveInvalid took it
    std::vector<float> before(c.row.size()), after(c.row.size());
    candidates.write_to(before);
    candidates.restore(c.view());
    candidates.write_to(after);
    for (std::size_t id = 0; id < c.row.size(); ++id) {
      const float want = before[id] == lk::detail::kMasked ? lk::detail::kMasked : c.row[id];
      ASSERT_EQ(after[id], want) << "seed " << seed << ", id " << id << ", " << c.text();
    }
    const auto best = std::max_element(after.begin(), after.end());
    ASSERT_EQ(candidates.max(), *best) << "seed " << seed << ", " << c.text();
    ++compared;
    if (*best == lk::detail::kMasked) continue;  // a step had forced what the row masks
    ASSERT_EQ(candidates.best(), best - after.begin()) << "seed " << seed << ", " << c.text();
  }
  EXPECT_GT(compared, 3000);
}

}  // namespace restore_test
