// SPDX-License-Identifier: MIT
#include "logitkit/trace/sweep.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace sweep_test {

namespace lk = logitkit;
using Row = std::vector<float>;
// exp: 1, 8, 4, 2, 1 of 16
const Row kRow{0, 2.0794415f, 1.3862944f, 0.6931472f, 0};

std::vector<std::size_t> survivors(const lk::SweepCurve& curve) {
  std::vector<std::size_t> list;
  for (const lk::SweepPoint& point : curve.points) list.push_back(point.survivors);
  return list;
}

TEST(Sweep, CountsWhatEachValueLeaves) {
  const std::vector<double> values = {0.3, 0.6, 0.8, 1};
  const lk::Sweep sweep =
      lk::sweep((lk::Temperature(1) | lk::TopP(0.5) | lk::Multinomial()).spec(), "top_p", values, kRow);
  ASSERT_EQ(sweep.curves.size(), 1u);
  EXPECT_EQ(survivors(sweep.curves[0]), (std::vector<std::size_t>{1, 2, 3, 5}));  // of 8, 12, 14, 15, 16
  EXPECT_EQ(sweep.curves[0].points[0].entropy, 0);
  EXPECT_NEAR(sweep.curves[0].points[1].entropy, 0.6365142, 1e-6);  // -2/3 ln 2/3 - 1/3 ln 1/3
  EXPECT_EQ(sweep.curves[0].points[1].value, 0.6);
}

TEST(Sweep, FindsTheParameterByTypeOrKey) {
  const lk::Spec spec = (lk::Temperature(1) | lk::TopP(0.5) | lk::MinP(0.1) | lk::TopK(3) | lk::Greedy()).spec();
  const std::vector<double> one = {2};
  EXPECT_EQ(survivors(lk::sweep(spec, "k", one, kRow).curves[0]), (std::vector<std::size_t>{1}));  // top-p's
  EXPECT_EQ(survivors(lk::sweep(spec, "temperature", one, kRow).curves[0]), (std::vector<std::size_t>{2}));
  const std::vector<double> whole = {1};
  EXPECT_EQ(survivors(lk::sweep(spec, "top_p.p", whole, kRow).curves[0]), (std::vector<std::size_t>{3}));
  try {
    lk::sweep(spec, "p", one, kRow);
    ADD_FAILURE() << "two steps have a p";
  } catch (const lk::SpecError& error) {
    EXPECT_STREQ(error.what(),
                 "sweep: key is \"p\", allowed are temperature.temperature, top_p.p, top_p.min_keep, min_p.p, "
                 "min_p.min_keep, top_k.k, top_k.min_keep");
  }
}

TEST(Sweep, RefusesValuesOutsideTheRange) {
  const std::vector<double> values = {0.5, 1.5};
  EXPECT_THROW(lk::sweep((lk::Chain{} | lk::TopP(0.5)).spec(), "top_p.p", values, kRow), lk::SpecError);
  EXPECT_THROW(lk::sweep((lk::Chain{} | lk::TopK(5)).spec(), "k", values, kRow), lk::SpecError);
}

TEST(Sweep, HasACurveForEachEngine) {
  const auto vllm = [](double t) {
    lk::presets::VllmSamplingParams params;
    params.temperature = t;
    params.min_p = 0.2;
    return lk::presets::vllm(params).spec;
  };
  const auto llama = [](double t) {
    lk::presets::LlamaCppSampling params;
    params.temperature = t;
    params.min_p = 0.2;
    params.top_k = 0;
    params.top_p = 1;
    return lk::presets::llama_cpp(params).spec;
  };
  const std::vector<double> values = {0.5, 1, 2};
  const lk::Sweep sweep = lk::sweep({{"vLLM", vllm}, {"llama.cpp", llama}}, "temperature", values, kRow);
  // p / best: 1, 1/2, 1/4, 1/8 to the power 1 / T, at least 1/5
  EXPECT_EQ(survivors(sweep.curves[0]), (std::vector<std::size_t>{2, 3, 5}));
  EXPECT_EQ(survivors(sweep.curves[1]), (std::vector<std::size_t>{3, 3, 3}));  // llama.cpp divides last
}

TEST(Sweep, KeepsTheStatusOfARowThatFails) {
  const std::vector<double> values = {1};
  const lk::Sweep sweep = lk::sweep((lk::Chain{} | lk::TopK(5)).spec(), "k", values, Row{1, NAN});
  EXPECT_EQ(sweep.curves[0].points[0].status, lk::Status::invalid_logits);
  EXPECT_EQ(sweep.curves[0].points[0].survivors, 0u);
}

}  // namespace sweep_test
