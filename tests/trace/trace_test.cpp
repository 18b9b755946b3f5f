// SPDX-License-Identifier: MIT
#include "logitkit/trace/trace.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/random_case.hpp"
#include "support/slow_build.hpp"

namespace trace_test {

namespace lk = logitkit;
using Row = std::vector<float>;
constexpr float kOut = -std::numeric_limits<float>::infinity();

// exp: 1, 8, 4, 2, 1 of 16
const Row kRow{0, 2.0794415f, 1.3862944f, 0.6931472f, 0};
lk::Request request() { return lk::Request({1}, {.seed = 7}); }

std::vector<lk::TokenId> ids(const std::vector<lk::TokenShare>& shares) {
  std::vector<lk::TokenId> list;
  for (const lk::TokenShare& share : shares) list.push_back(share.token);
  return list;
}

TEST(Trace, BeginsWithTheRowAsItCame) {
  const lk::Trace trace = lk::trace(lk::Multinomial(), kRow, request());
  ASSERT_EQ(trace.steps.size(), 1u);
  const lk::StepTrace& row = trace.steps[0];
  EXPECT_EQ(row.step, -1);
  EXPECT_EQ(row.type, "row");
  EXPECT_EQ(row.candidates_after, 5u);
  EXPECT_EQ(ids(row.top), (std::vector<lk::TokenId>{1, 2, 3, 0, 4}));
  EXPECT_NEAR(row.top[0].probability, 0.5, 1e-7);
  EXPECT_EQ(row.top[4].rank, 5u);
  // 1/2 ln 2 + 1/4 ln 4 + 1/8 ln 8 + 2/16 ln 16 = 1.875 ln 2
  EXPECT_NEAR(row.entropy, 1.2996509, 1e-6);
}

TEST(Trace, TellsWhatAStepRemoved) {
  const lk::Trace trace = lk::trace(lk::BanTokens({2}) | lk::TopK(3) | lk::Multinomial(), kRow, request());
  ASSERT_EQ(trace.steps.size(), 3u);
  EXPECT_EQ(trace.steps[1].rule, lk::BanTokens::kSummary);
  EXPECT_EQ(trace.steps[1].candidates_before, 5u);
  EXPECT_EQ(trace.steps[1].candidates_after, 4u);
  EXPECT_NEAR(trace.steps[1].mass_removed, 0.25, 1e-7);
  EXPECT_EQ(ids(trace.steps[1].removed), (std::vector<lk::TokenId>{2}));
  EXPECT_NEAR(trace.steps[1].removed[0].probability, 0.25, 1e-7);
  // 8, 2, 1, 1 of 12 are left; the last goes
  EXPECT_NEAR(trace.steps[2].mass_removed, 1.0 / 12, 1e-7);
  EXPECT_EQ(ids(trace.steps[2].top), (std::vector<lk::TokenId>{1, 3, 0}));
  EXPECT_EQ(ids(trace.steps[2].removed), (std::vector<lk::TokenId>{4}));
}

TEST(Trace, TellsWhetherTheArgmaxChangedAndHowManyLogitsDid) {
  const lk::Trace trace =
      lk::trace(lk::LogitBias({{3, 5.0}}) | lk::Temperature(2) | lk::Multinomial(), kRow, request());
  EXPECT_TRUE(trace.steps[1].argmax_changed);
  EXPECT_EQ(trace.steps[1].changed, 1u);
  EXPECT_FALSE(trace.steps[2].argmax_changed);
  EXPECT_EQ(trace.steps[2].changed, 3u);  // all but the zeros
  EXPECT_EQ(trace.steps[2].top[0].token, 3);
  EXPECT_FLOAT_EQ(trace.steps[2].top[0].logit, 2.8465736f);  // (0.6931472 + 5) / 2
}

TEST(Trace, WritesOutDefaultsAndNames) {
  const auto nothing = [](lk::Candidates&, const lk::StepView&) {};
  const lk::Trace trace = lk::trace(lk::step("idle", nothing) | lk::TopK(2) | lk::Greedy(), kRow, request());
  EXPECT_EQ(trace.steps[1].type, "custom");
  EXPECT_EQ(std::get<std::string>(trace.steps[1].parameters.at(0).value), "idle");
  ASSERT_EQ(trace.steps[2].parameters.size(), 3u);  // k, ties, min_keep
  EXPECT_EQ(trace.steps[2].description, lk::describe(lk::Step(lk::TopK(2))));
}

TEST(Trace, RunsEveryStepBeforeGreedyToo) {
  const lk::Trace trace = lk::trace(lk::Temperature(0.7) | lk::TopK(2) | lk::Greedy(), kRow, request());
  EXPECT_EQ(trace.steps.size(), 3u);
  EXPECT_EQ(trace.pick().token, 1);
  EXPECT_EQ(trace.pick().survivors, 2u);
}

TEST(Trace, StopsWhereTheStepsDo) {
  const lk::Trace trace =
      lk::trace(lk::ForceTokens({1}) | lk::BanTokens({1}) | lk::TopK(2) | lk::Greedy(), kRow, request());
  EXPECT_EQ(trace.pick().status, lk::Status::no_candidates);
  EXPECT_EQ(trace.pick().step, 1);
  ASSERT_EQ(trace.steps.size(), 3u);
  EXPECT_EQ(trace.steps[2].candidates_after, 0u);
  EXPECT_EQ(lk::trace(lk::Greedy(), Row{1, NAN}, request()).pick().id, 1);
}

TEST(Trace, NamesTokensWhereItCan) {
  const lk::Trace trace =
      lk::trace(lk::Greedy(), kRow, request(),
                {.text = [](lk::TokenId id) { return std::string(1, static_cast<char>('a' + id)); }});
  EXPECT_EQ(trace.steps[0].top[0].text, "b");
}

constexpr std::uint64_t kCases = kSlowBuild ? 300 : 3000;

/// What the observer saw, once more: each prefix of the chain run alone.
TEST(Trace, EqualsUntracedRunsOnRandomChains) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    random_case::Source source(seed);
    const auto c = random_case::random_case(source, random_case::random_size(source, 2048));
    const lk::Pipeline pipeline = c.pipeline();
    const lk::PickOptions options{.logprob = true, .unconditional = c.unconditional};
    const lk::Pick alone = pipeline.pick(c.view(), c.request, options);
    const lk::Trace trace = lk::trace(pipeline, c.view(), c.request, {.unconditional = c.unconditional});
    const lk::Pick& traced = trace.pick();
    ASSERT_EQ(traced.token, alone.token) << "seed " << seed << ", " << c.text();
    ASSERT_EQ(traced.status, alone.status) << "seed " << seed;
    ASSERT_EQ(traced.step, alone.step) << "seed " << seed;
    ASSERT_EQ(traced.id, alone.id) << "seed " << seed;
    ASSERT_EQ(traced.survivors, alone.survivors) << "seed " << seed;
    ASSERT_EQ(traced.rank, alone.rank) << "seed " << seed;
    ASSERT_EQ(std::memcmp(&traced.logprob, &alone.logprob, sizeof(float)), 0) << "seed " << seed;
    ASSERT_TRUE(traced.running == alone.running) << "seed " << seed;
    if (!traced) continue;

    ASSERT_EQ(trace.steps.size(), c.steps.size() + 1);
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      const lk::Chain prefix({c.steps.begin(), c.steps.begin() + static_cast<std::ptrdiff_t>(i)});
      Row want(c.row.size());
      const lk::Status status = prefix.process(c.view(), c.request, want, options);
      if (status == lk::Status::invalid_logits) continue;  // alone it lacks the remove_invalid that comes later
      ASSERT_EQ(status, lk::Status::ok);
      std::size_t left = 0;
      lk::TokenId best = -1;
      for (std::size_t id = 0; id < want.size(); ++id) {
        left += want[id] > kOut;
        if (want[id] > kOut && (best < 0 || want[id] > want[static_cast<std::size_t>(best)]))
          best = static_cast<lk::TokenId>(id);
      }
      ASSERT_EQ(trace.steps[i].candidates_after, left) << "seed " << seed << " step " << i;
      ASSERT_EQ(trace.steps[i].top.at(0).token, best) << "seed " << seed << " step " << i;
      ASSERT_EQ(trace.steps[i].top[0].logit, want[static_cast<std::size_t>(best)]) << "seed " << seed;
    }
  }
}

}  // namespace trace_test
