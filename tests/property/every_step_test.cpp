// SPDX-License-Identifier: MIT
// What holds for every step alone, whatever its parameters.
#include <gtest/gtest.h>

#include <cstring>

#include "support/random_case.hpp"

namespace every_step_test {

namespace lk = logitkit;
using Row = std::vector<float>;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

bool same_bits(const Row& a, const Row& b) { return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0; }
bool is_forcing(const lk::Step& step) {
  return step.type() == "forced_bos" || step.type() == "forced_eos" || step.type() == "remove_invalid";
}
/// A row without NaN and +inf, one step, a history.
struct One {
  random_case::Case c;
  lk::Step step;
  Row out;
  lk::Status status;
};
One one(std::uint64_t seed) {
  random_case::Source s(seed);
  random_case::Case c = random_case::random_case(s, random_case::random_size(s, 600));
  const lk::Step step = random_case::random_step(s, c.row.size());
  for (float& x : c.row)
    if (std::isnan(x) || x > 1e30f) x = 2;
  c.unconditional.assign(c.row.size(), 0.5f);
  One result{std::move(c), step, Row(), lk::Status::ok};
  result.out.resize(result.c.row.size());
  result.status = (lk::Chain{} | step)
                      .process(result.c.row, result.c.request, result.out,
                               {.unconditional = lk::LogitsView(result.c.unconditional)});
  return result;
}

TEST(EveryStep, LeavesMaskedTokensMasked) {
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    const One r = one(seed);
    if (r.status != lk::Status::ok || is_forcing(r.step)) continue;
    for (std::size_t id = 0; id < r.out.size(); ++id)
      if (r.c.row[id] == kMasked) {
        ASSERT_EQ(r.out[id], kMasked) << r.step.type() << ", seed " << seed << ", id " << id;
      }
  }
}

TEST(EveryStep, ThatTruncatesKeepsACandidateAndTheBitsOfWhatItKeeps) {
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    const One r = one(seed);
    const lk::StepTraits traits = r.step.traits();
    const bool is_empty = std::all_of(r.c.row.begin(), r.c.row.end(), [](float x) { return x == kMasked; });
    if (is_empty || r.c.request.vocabulary_size() != 0 || is_forcing(r.step)) continue;
    if (traits.truncates) {
      ASSERT_EQ(r.status, lk::Status::ok) << r.step.type() << ", seed " << seed;
    }
    if (r.status != lk::Status::ok || traits.changes_odds || r.step.type() == "log_softmax") continue;
    for (std::size_t id = 0; id < r.out.size(); ++id)
      if (r.out[id] != kMasked) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(r.out[id]), std::bit_cast<std::uint32_t>(r.c.row[id]))
            << r.step.type() << ", seed " << seed << ", id " << id;
      }
  }
}

TEST(EveryStep, WithNeutralParametersChangesNoBit) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 40000; ++seed) {
    const One r = one(seed);
    if (!r.step.is_neutral() || r.status != lk::Status::ok || r.c.request.vocabulary_size() != 0) continue;
    ASSERT_TRUE(same_bits(r.out, r.c.row)) << r.step.type() << ", seed " << seed;
    ++seen[std::string(r.step.type())];
  }
  EXPECT_GE(seen.size(), 20u) << "types with neutral parameters";
}

TEST(EveryStep, ThatPenalisesCommutesWithEveryMask) {
  const auto is_penalty = [](const lk::Step& step) {
    return step.type().ends_with("_penalty") || step.type() == "dry" || step.type() == "sequence_bias" ||
           step.type() == "logit_bias";
  };
  const auto is_mask = [](const lk::Step& step) {
    const lk::StepTraits traits = step.traits();
    return traits.masks && !traits.changes_odds && !traits.truncates;
  };
  int pairs = 0;
  for (std::uint64_t seed = 1; seed <= 60000; ++seed) {
    random_case::Source s(seed);
    const random_case::Case c = random_case::random_case(s, random_case::random_size(s, 300));
    const lk::Step penalty = random_case::random_step(s, c.row.size()),
                   mask = random_case::random_step(s, c.row.size());
    if (!is_penalty(penalty) || !is_mask(mask)) continue;
    Row a(c.row.size()), b(c.row.size());
    const lk::Status first = (penalty | mask).process(c.view(), c.request, a);
    const lk::Status second = (mask | penalty).process(c.view(), c.request, b);
    if (first != lk::Status::ok || second != lk::Status::ok) continue;  // an overflow of what is masked after it
    ASSERT_TRUE(same_bits(a, b)) << penalty.type() << " and " << mask.type() << ", seed " << seed;
    ++pairs;
  }
  EXPECT_GE(pairs, 1000);
}

}  // namespace every_step_test
