// SPDX-License-Identifier: MIT
#include "logitkit/pipeline/device_plan.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "reference.hpp"
#include "support/random_case.hpp"

namespace device_plan_test {

namespace lk = logitkit;
using Edit = lk::DeviceEdit;
using Row = std::vector<float>;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// What a kernel does, in plain loops.
Row apply(const lk::DevicePlan& plan, Row x) {
  for (std::size_t id = 0; id < x.size(); ++id) {
    const bool is_masked =
        !plan.mask.empty() && (id / 32 >= plan.mask.size() || (plan.mask[id / 32] >> id % 32 & 1) == 0);
    if (is_masked || (plan.vocabulary_size != 0 && id >= plan.vocabulary_size)) x[id] = kMasked;
  }
  for (const Edit& edit : plan.edits) {
    if (static_cast<std::size_t>(edit.id) >= x.size()) continue;
    float& v = x[static_cast<std::size_t>(edit.id)];
    if (v == kMasked) continue;
    if (edit.kind == Edit::Kind::add)
      v = v + edit.value;
    else
      v = v > 0 ? v / edit.value : v * edit.value;
  }
  for (float& v : x) v = v / plan.temperature;
  if (reference::survivors(x) == 0) return x;
  reference::top_k(x, lk::TopK(plan.top_k, {.ties = plan.top_k_ties}));
  if (plan.min_p_first) reference::min_p(x, lk::MinP(plan.min_p));
  reference::top_p(x, lk::TopP(plan.top_p));
  if (!plan.min_p_first) reference::min_p(x, lk::MinP(plan.min_p));
  return x;
}

/// Steps of the kinds that plans take, near their usual order, and now and then any other.
std::vector<lk::Step> random_steps(random_case::Source& s, std::size_t vocabulary) {
  std::vector<lk::Step> steps;
  std::size_t remembering = 0;
  const auto add_some = [&](std::size_t most, auto fits) {
    for (std::size_t n = s.below(most + 1), tries = 0; n > 0 && tries < 60; ++tries) {
      lk::Step step = random_case::random_step(s, vocabulary);
      const lk::StepTraits traits = step.traits();
      if (!fits(traits) || step.type() == "guidance" || (traits.remembers && ++remembering > 1)) continue;
      steps.push_back(std::move(step));
      --n;
    }
  };
  add_some(4, [](const lk::StepTraits& t) { return (t.masks || t.changes_odds) && !t.ranks && !t.truncates; });
  add_some(4, [&](const lk::StepTraits& t) { return s.chance(0.05) || t.keeps_best; });
  return steps;
}

TEST(DevicePlan, WithTheRestOverTheSurvivorsEqualsTheChain) {
  int compared = 0, complete = 0, incomplete = 0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    random_case::Source s(seed);
    random_case::Case c = random_case::random_case(s, 2 + random_case::random_size(s, 600));
    c.dtype = lk::Dtype::float32;
    if (std::any_of(c.row.begin(), c.row.end(), reference::is_bad)) continue;
    c.steps = s.chance(0.8) ? random_steps(s, c.row.size()) : c.steps;
    const lk::Pipeline pipeline = c.pipeline();
    const lk::Chain& chain = pipeline.chain();
    const lk::PickOptions options{.logprob = c.logprob, .unconditional = c.unconditional};
    Row want(c.row.size());
    if (chain.process(c.row, c.request, want, options) != lk::Status::ok) continue;

    const lk::DevicePlan plan = lk::device_plan(chain, c.request, s.chance(0.5) ? c.row.size() : 0);
    const Row left = apply(plan, c.row);
    Row got(c.row.size());
    ASSERT_EQ(plan.rest.process(left, c.request, got, options), lk::Status::ok) << "seed " << seed << ", " << c.text();
    ASSERT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(float)), 0)
        << "seed " << seed << ", " << plan.steps << " steps of " << c.text();
    if (plan.complete) {
      ASSERT_EQ(std::memcmp(left.data(), want.data(), want.size() * sizeof(float)), 0) << "seed " << seed;
    }

    // The survivors alone, as they come from a device.
    std::vector<lk::TokenId> ids;
    Row logits;
    for (std::size_t id = 0; id < left.size(); ++id)
      if (left[id] > kMasked) {
        ids.push_back(static_cast<lk::TokenId>(id));
        logits.push_back(left[id]);
      }
    for (std::size_t id = 0; id < left.size() && logits.back() > kMasked; ++id)
      if (left[id] == kMasked) {
        ids.push_back(static_cast<lk::TokenId>(id));
        logits.push_back(kMasked);
      }
    const lk::Pick pick = pipeline.pick(c.row, c.request, options);
    const lk::Pick rest =
        lk::Pipeline(plan.rest, c.selector).pick(lk::SparseRow{ids, logits, c.row.size()}, c.request, options);
    ASSERT_EQ(rest.status, pick.status) << "seed " << seed << ", " << c.text();
    const bool walks = c.selector.traits().walks;  // an order that steps have left is not among the survivors
    ASSERT_TRUE(walks || rest.token == pick.token) << "seed " << seed << ", " << c.text();
    ++compared;
    ++(plan.complete ? complete : incomplete);
  }
  EXPECT_GT(compared, 10000);
  EXPECT_GT(complete, 3000);
  EXPECT_GT(incomplete, 2000);
}

TEST(DevicePlan, IsTheDataOfAChain) {
  lk::Request request({5, 5, 9}, {.seed = 1, .end_ids = {2}});
  request.accept(7);
  request.accept(7);
  const lk::DevicePlan plan = lk::device_plan(lk::MinNewTokens(3) | lk::LogitBias({{4, 1.5}}) |
                                                  lk::RepetitionPenalty(1.25) | lk::FrequencyPenalty(0.5) |
                                                  lk::Temperature(0.75) | lk::TopK(40) | lk::TopP(0.9) | lk::MinP(0.05),
                                              request);
  EXPECT_TRUE(plan.complete);
  EXPECT_EQ(plan.steps, 8u);
  EXPECT_TRUE(plan.mask.empty());
  EXPECT_EQ(plan.edits, (std::vector<Edit>{{Edit::Kind::add, 2, kMasked},
                                           {Edit::Kind::add, 4, 1.5f},
                                           {Edit::Kind::scale, 5, 1.25f},
                                           {Edit::Kind::scale, 7, 1.25f},
                                           {Edit::Kind::scale, 9, 1.25f},
                                           {Edit::Kind::add, 7, -1.0f}}));  // twice 0.5, output only
  EXPECT_EQ(plan.temperature, 0.75f);
  EXPECT_EQ(plan.top_k, 40);
  EXPECT_EQ(plan.top_k_ties, lk::Ties::exact);
  EXPECT_EQ(plan.top_p, 0.9);
  EXPECT_EQ(plan.min_p, 0.05);
  EXPECT_FALSE(plan.min_p_first);
}

TEST(DevicePlan, MasksMeet) {
  const lk::Request request({1}, {.seed = 1, .vocabulary_size = 90});
  // ids 3, 40 and 70 of the forced ones, of which the words allow 40 and 70, and the second list 40 only
  const lk::DevicePlan plan = lk::device_plan(
      lk::ForceTokens({3, 40, 70}) | lk::AllowMask({0, 1 << 8, 1 << 6}) | lk::ForceTokens({3, 40}), request);
  EXPECT_EQ(plan.mask, (std::vector<std::int32_t>{0, 1 << 8}));
  EXPECT_EQ(plan.vocabulary_size, 90u);
  EXPECT_TRUE(plan.edits.empty());
}

TEST(DevicePlan, HoldsTheConstraintOfTheRequest) {
  const std::vector<std::string> bytes{"a", "b", "ab", "c", "<end>"};
  const lk::Vocabulary vocabulary(bytes, {.special_ids = {4}, .end_ids = {4}});
  lk::Request request({1}, {.seed = 1, .end_ids = {4}});
  request.constrain(lk::compile_regex(vocabulary, "abc?").matcher());
  const lk::Chain chain = lk::AllowMask() | lk::Temperature(0.5);
  EXPECT_EQ(lk::device_plan(chain, request, 5).mask, std::vector<std::int32_t>{0b00101});  // "a", "ab"
  request.accept(2);
  const lk::DevicePlan plan = lk::device_plan(chain, request, 5);
  EXPECT_EQ(plan.mask, std::vector<std::int32_t>{0b11000});  // "c", or the end
  EXPECT_TRUE(plan.complete);
  // The request insists on a chain that has the constraint: the rest has it.
  EXPECT_EQ((plan.rest | lk::Greedy()).pick(Row{kMasked, kMasked, kMasked, 2, 3}, request).token, 4);
  EXPECT_FALSE(lk::device_plan(chain, request).complete);  // as wide as what?
}

TEST(DevicePlan, EndsWhereTheOrderIsAnother) {
  const lk::Request request({1}, {.seed = 1});
  const auto steps = [&](const lk::Chain& chain) { return lk::device_plan(chain, request).steps; };
  EXPECT_EQ(steps(lk::TopK(40) | lk::TopP(0.9) | lk::MinP(0.1) | lk::Temperature(0.8)), 3u);  // llama.cpp
  EXPECT_EQ(steps(lk::TopP(0.9) | lk::TopK(40)), 1u);
  EXPECT_EQ(steps(lk::Temperature(0.8) | lk::LogitBias({{1, 2.0}}) | lk::TopK(4)), 1u);
  EXPECT_EQ(steps(lk::Temperature(0.8) | lk::BanTokens({1}) | lk::TopK(4)), 3u);  // a ban may come later
  EXPECT_EQ(steps(lk::TopK(4) | lk::BanTokens({1})), 1u);
  EXPECT_EQ(steps(lk::Temperature(0.8) | lk::Temperature(0.8)), 1u);
  EXPECT_EQ(steps(lk::LogSoftmax() | lk::Temperature(0.8)), 0u);
  EXPECT_EQ(steps(lk::Chain() | [](lk::Candidates&, const lk::StepView&) {}), 0u);
}

TEST(DevicePlan, TakesMinPBeforeOrAfterTopP) {
  const lk::Request request({1}, {.seed = 1});
  const lk::DevicePlan vllm = lk::device_plan(lk::MinP(0.1) | lk::TopK(50) | lk::TopP(0.9), request);
  EXPECT_TRUE(vllm.complete && vllm.min_p_first);
  const lk::DevicePlan hf = lk::device_plan(lk::TopK(50) | lk::TopP(0.9) | lk::MinP(0.1), request);
  EXPECT_TRUE(hf.complete && !hf.min_p_first);
}

TEST(DevicePlan, LeavesTheNumbersOfDrawsAlone) {
  // The first xtc does nothing, but the second one's draw is the second of the position all the same.
  const Row row{0, 2, 2, 2, 0};
  const lk::Chain chain = lk::Xtc(0.5, 0.6) | lk::Xtc(0.5, 0.1);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const lk::Request request({1}, {.seed = seed});
    const lk::DevicePlan plan = lk::device_plan(chain, request);
    EXPECT_EQ(plan.steps, 1u);
    EXPECT_EQ(plan.rest.process(row, request), chain.process(row, request)) << "seed " << seed;
  }
}

TEST(DevicePlan, PassesForcedTokensUnlessTheyAreDue) {
  const lk::Chain chain =
      lk::ForcedEos({.max_new_tokens = 2}) | lk::ExponentialDecayLengthPenalty(1, 1.5) | lk::Temperature(0.5);
  lk::Request request({1, 1}, {.seed = 1, .end_ids = {3}});
  EXPECT_TRUE(lk::device_plan(chain, request).complete);
  request.accept(2);
  EXPECT_EQ(lk::device_plan(chain, request).steps, 0u);  // the end is forced
  request.accept(2);
  EXPECT_EQ(lk::device_plan(chain, request).steps, 1u);  // and becomes more likely
}

}  // namespace device_plan_test
