// SPDX-License-Identifier: MIT
#include "logitkit/pipeline/build.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace build_test {

namespace lk = logitkit;

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const lk::SpecError& error) {
    return error.what();
  }
  return "none";
}

TEST(Build, MakesThePipelineThatWasWritten) {
  const lk::Pipeline written = lk::Temperature(0.5) | lk::TopK(2) | lk::Greedy();
  const lk::Pipeline built = lk::build(written.spec());
  EXPECT_EQ(built.spec(), written.spec());
  // 3.0 and 2.5 are the two largest; divided by 0.5 they are 6 and 5.
  const std::vector<float> row{1.0f, 3.0f, 2.5f, 0.0f};
  const lk::Request request({}, {.seed = 1});
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(built.process(row, request), (std::vector<float>{-inf, 6.0f, 5.0f, -inf}));
  EXPECT_EQ(built.pick(row, request).token, 1);
}

TEST(Build, NeedsASelector) {
  EXPECT_EQ(error_of([] { lk::build({}); }),
            "the spec is empty, a pipeline ends with a selector such as greedy or multinomial");
  EXPECT_EQ(error_of([] { lk::build({{lk::TopK(5)}}); }),
            "the last step is top_k, a pipeline ends with a selector such as greedy or multinomial");
}

TEST(BuildChain, RefusesASelector) {
  EXPECT_EQ(lk::build_chain({{lk::TopK(5)}}).spec(), (lk::Spec{{lk::TopK(5)}}));
  EXPECT_EQ(lk::build_chain({}).steps().size(), 0u);
  EXPECT_EQ(error_of([] {
              lk::build_chain({{lk::TopK(5), lk::Greedy()}});
            }),
            "step 1 is the selector greedy; a chain has none, a pipeline exactly one, at its end");
}

TEST(Build, ThrowsEveryErrorOfCheck) {
  lk::TopP top_p;
  top_p.p = -1;
  EXPECT_EQ(error_of([&] {
              lk::build({{top_p, lk::BanTokens({5}), lk::Greedy()}}, {.row_width = 5});
            }),
            "step 0: top_p: p is -1, allowed is 0 to 1; "
            "step 1: ban_tokens: id 5 is out of range, allowed is 0 to 4, below the row's width");
  // Warnings and notes do not stop it.
  EXPECT_EQ(error_of([] { lk::build({{lk::TopK(5), lk::BanTokens({3}), lk::TopP(1), lk::Greedy()}}); }), "none");
}

TEST(Build, HandsWidthAndVocabularyOn) {
  const lk::Pipeline pipeline = lk::build({{lk::Greedy()}}, {.row_width = 4, .vocabulary_size = 3});
  const lk::Request request({}, {.seed = 1});
  EXPECT_EQ(pipeline.pick(std::vector<float>{0, 2, 1, 9}, request).token, 1);  // id 3 is past the vocabulary
  EXPECT_EQ(pipeline.pick(std::vector<float>{0, 2, 1}, request).status, lk::Status::width_mismatch);
}

}  // namespace build_test
