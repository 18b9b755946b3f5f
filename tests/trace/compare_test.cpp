// SPDX-License-Identifier: MIT
#include "logitkit/trace/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_case.hpp"

namespace compare_test {

namespace lk = logitkit;
using Row = std::vector<float>;
const Row kRow = {3.0f, 2.4f, 2.0f, 1.0f, 0.4f, -0.5f};
lk::Request request() { return lk::Request({4, 2}, {.seed = 7}); }

lk::SpecDifference difference(const lk::Spec& a, const lk::Spec& b, const Row& row = kRow,
                              const lk::Request& with = request()) {
  return lk::compare({{"A", a}, {"B", b}}, row, with).pairs.at(0);
}
lk::Spec sampled(const lk::Chain& chain) {
  lk::Spec spec = chain.spec();
  spec.steps.emplace_back(lk::Multinomial());
  return spec;
}

TEST(Compare, FindsTheOrderOfTwoEngines) {
  lk::presets::GenerationConfig hf;
  hf.do_sample = true;
  lk::presets::VllmSamplingParams vllm;
  hf.temperature = vllm.temperature = 1.5;
  hf.top_p = vllm.top_p = 0.9;
  hf.min_p = 0.1;
  vllm.min_p = 0.1;
  hf.top_k = vllm.top_k = 0;
  const lk::Comparison c =
      lk::compare({{"HF", lk::presets::huggingface(hf)}, {"vLLM", lk::presets::vllm(vllm)}}, kRow, request());
  EXPECT_EQ(c.specs[0].trace.pick().survivors, 5u);  // the README's table
  EXPECT_EQ(c.specs[1].trace.pick().survivors, 4u);
  const lk::SpecDifference& d = c.pairs.at(0);
  EXPECT_EQ(d.cause, lk::Cause::order);
  EXPECT_EQ(d.why, "order: HF runs top_p before min_p, vLLM after; nothing else parts them on this row");
  ASSERT_EQ(d.only_a_count, 1u);
  EXPECT_EQ(d.only_a[0].token, 4);
  EXPECT_EQ(d.only_b_count, 0u);
  EXPECT_TRUE(std::isinf(d.kl_ab));  // vLLM lacks token 4
  // all of HF's extra mass is token 4's, so that is the total variation, and KL(vLLM, HF) = -ln(1 - it)
  EXPECT_NEAR(d.total_variation, d.only_a[0].probability, 1e-9);
  EXPECT_NEAR(d.kl_ba, -std::log(1 - d.total_variation), 1e-9);
  // HF's top-p and vLLM's min-p both leave ids 0 to 4; then HF's min-p finds nothing to do, vLLM's top-p does.
  EXPECT_EQ(d.step_a, -1);
  ASSERT_GE(d.step_b, 0);
  EXPECT_EQ(c.specs[1].trace.spec[static_cast<std::size_t>(d.step_b)].type(), "top_p");
}

TEST(Compare, FindsAnotherTemperaturePlace) {
  const lk::SpecDifference d =
      difference(sampled(lk::Temperature(1.5) | lk::TopP(0.9)), sampled(lk::TopP(0.9) | lk::Temperature(1.5)));
  EXPECT_EQ(d.cause, lk::Cause::order);
  EXPECT_EQ(d.step_a, 0);
  EXPECT_EQ(d.step_b, 0);
}

TEST(Compare, FindsAnotherScope) {
  const lk::SpecDifference d = difference(sampled(lk::Chain{} | lk::PresencePenalty(2)),
                                          sampled(lk::Chain{} | lk::PresencePenalty(2, {.scope = lk::Scope::prompt})));
  EXPECT_EQ(d.cause, lk::Cause::scope);
  EXPECT_EQ(d.why,
            "scope: presence_penalty has scope \"output\" in A, \"prompt\" in B; nothing else parts them on this row");
  EXPECT_EQ(d.step_a, -1);  // nothing in the output yet: A changes nothing
  EXPECT_EQ(d.step_b, 0);
}

TEST(Compare, FindsAnotherTreatmentOfTies) {
  const lk::SpecDifference d =
      difference(sampled(lk::Chain{} | lk::TopK(2)), sampled(lk::Chain{} | lk::TopK(2, {.ties = lk::Ties::keep})),
                 Row{0, 3, 2, 2, 1});
  EXPECT_EQ(d.cause, lk::Cause::tie);
  ASSERT_EQ(d.only_b_count, 1u);
  EXPECT_EQ(d.only_b[0].token, 3);
}

TEST(Compare, FindsAnotherValueAndAMissingStep) {
  const lk::SpecDifference value = difference(sampled(lk::Chain{} | lk::TopK(2)), sampled(lk::Chain{} | lk::TopK(4)));
  EXPECT_EQ(value.cause, lk::Cause::setting);
  EXPECT_EQ(value.why, "default: top_k has k 2 in A, 4 in B; nothing else parts them on this row");
  const lk::SpecDifference step =
      difference(sampled(lk::Chain{} | lk::Temperature(2)), sampled(lk::Temperature(2) | lk::MinP(0.3)));
  EXPECT_EQ(step.cause, lk::Cause::missing);
  EXPECT_EQ(step.why, "default: B runs min_p p 0.3, A does not; nothing else parts them on this row");
  EXPECT_EQ(step.step_a, -1);
  EXPECT_EQ(step.step_b, 1);
}

TEST(Compare, NamesTheKindThatMattersMostWhereThereAreSeveral) {
  // The order of the two moves nothing much, the values do.
  const lk::SpecDifference d =
      difference(sampled(lk::TopK(5) | lk::Temperature(0.5)), sampled(lk::Temperature(2) | lk::TopK(5)));
  EXPECT_EQ(d.cause, lk::Cause::setting);
}

TEST(Compare, SeesNoDifferenceWhereOnlyAShiftOrTheSelectorDiffers) {
  const lk::SpecDifference shifted = difference(sampled(lk::Chain{}), sampled(lk::Chain{} | lk::LogSoftmax()));
  EXPECT_EQ(shifted.cause, lk::Cause::none);
  EXPECT_EQ(shifted.step_b, -1);
  EXPECT_EQ(difference(sampled(lk::Chain{}), (lk::Chain{} | lk::Greedy()).spec()).cause, lk::Cause::selector);
}

TEST(Compare, SaysWhichOneFails) {
  const lk::SpecDifference d = difference(sampled(lk::Chain{}), sampled(lk::ForceTokens({9}) | lk::Temperature(2)));
  EXPECT_EQ(d.cause, lk::Cause::failure);
  EXPECT_NE(d.why.find("B has no token: id_out_of_range"), std::string::npos);
}

TEST(Compare, TakesSpecsWithoutNames) {
  const std::vector<lk::Spec> specs = {sampled(lk::Chain{}), sampled(lk::Chain{}), sampled(lk::Chain{} | lk::TopK(1))};
  const lk::Comparison c = lk::compare(specs, kRow, request());
  EXPECT_EQ(c.specs[2].name, "spec 2");
  ASSERT_EQ(c.pairs.size(), 3u);
  EXPECT_EQ(c.pairs[2].a, 1u);
  EXPECT_EQ(c.pairs[2].b, 2u);
}

/// Distances against sums over what `process` gives, on random chains.
TEST(Compare, DistancesEqualPlainSums) {
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    random_case::Source source(seed);
    Row row(5 + source.below(200));
    for (float& x : row) x = static_cast<float>(source.between(-4, 4));
    const auto chain = [&] {
      return lk::Temperature(source.between(0.5, 2)) | lk::MinP(source.unit() * 0.2) |
             lk::TopP(0.7 + source.unit() * 0.3);
    };
    const lk::Spec a = sampled(chain()), b = sampled(chain());
    const lk::SpecDifference d = difference(a, b, row);
    const auto probabilities = [&](const lk::Spec& spec) {
      std::vector<long double> p;
      long double sum = 0;
      for (const float x : lk::build(spec).process(row, request())) p.push_back(std::exp(static_cast<long double>(x)));
      for (const long double x : p) sum += x;
      for (long double& x : p) x /= sum;
      return p;
    };
    const auto p = probabilities(a), q = probabilities(b);
    long double variation = 0, kl = 0;
    std::size_t only = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      variation += std::abs(p[i] - q[i]) / 2;
      if (p[i] > 0) kl += p[i] * std::log(p[i] / q[i]);
      only += p[i] > 0 && !(q[i] > 0);
    }
    ASSERT_NEAR(d.total_variation, static_cast<double>(variation), 1e-9) << "seed " << seed;
    ASSERT_EQ(d.only_a_count, only);
    if (only > 0)
      ASSERT_TRUE(std::isinf(d.kl_ab));
    else
      ASSERT_NEAR(d.kl_ab, static_cast<double>(kl), 1e-9) << "seed " << seed;
    apart += d.total_variation > 0.01;
  }
  EXPECT_GT(apart, 200);
}

}  // namespace compare_test
