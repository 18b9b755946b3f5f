// SPDX-License-Identifier: MIT
#include "logitkit/json/result_json.hpp"

#include <gtest/gtest.h>

#include "logitkit/json.hpp"

namespace result_json_test {

namespace lk = logitkit;

TEST(ResultJson, WritesAPick) {
  const lk::Pipeline pipeline = lk::TopK(2) | lk::Greedy();
  const std::vector<float> row{1, 2, 2, 0};  // two equal survivors: probability 1/2, ln(1/2) = -0.6931472 as float32
  const lk::Request request({}, {.seed = 1});
  EXPECT_EQ(
      lk::to_json(pipeline.pick(row, request, {.logprob = true})).dump(),
      R"({"token":1,"status":"ok","step":-1,"id":-1,"survivors":2,"logprob":-0.6931471824645996,"rank":1,"exact":true})");
  const std::vector<float> bad{1, 2, std::numeric_limits<float>::infinity(), 0};
  EXPECT_EQ(
      lk::to_json(pipeline.pick(bad, request)).dump(),
      R"({"token":-1,"status":"invalid_logits","step":-1,"id":2,"survivors":0,"logprob":null,"rank":0,"exact":true})");
}

TEST(ResultJson, WritesLogprobsWithNullForMinusInfinity) {
  const std::vector<float> row{0, -std::numeric_limits<float>::infinity(), 0};  // 1/2 each
  EXPECT_EQ(lk::to_json(lk::logprobs(row, {.top = 1, .tokens = {1, 2}})).dump(),
            R"({"status":"ok","tokens":[{"token":1,"logprob":null,"rank":3},)"
            R"({"token":2,"logprob":-0.6931471824645996,"rank":2}],)"
            R"("top":[{"token":0,"logprob":-0.6931471824645996,"rank":1}]})");
  const std::vector<lk::LogitsView> rows{row, row};
  const auto scores = lk::to_json(lk::score_tokens(rows, std::vector<lk::TokenId>{2, 1}));
  EXPECT_EQ(scores["tokens"][1].dump(), R"({"token":1,"logprob":null,"rank":3})");
  EXPECT_TRUE(scores["sum_logprob"].is_null() && scores["perplexity"].is_null());
}

TEST(ResultJson, WritesADevicePlan) {
  const lk::Request request({4}, {.seed = 1, .vocabulary_size = 40});
  const lk::Chain chain = lk::ForceTokens({2, 33}) | lk::BanTokens({33}) | lk::RepetitionPenalty(1.5) |
                          lk::Temperature(0.5) | lk::TopK(8, {.ties = lk::Ties::keep});
  EXPECT_EQ(lk::to_json(lk::device_plan(chain, request)).dump(),
            R"({"vocabulary_size":40,"mask":[4,2],"edits":[{"kind":"add","id":33,"value":null},)"
            R"({"kind":"scale","id":4,"value":1.5}],"temperature":0.5,"top_k":8,"top_k_ties":"keep","top_p":1.0,)"
            R"("min_p":0.0,"min_p_first":false,"steps":5,"complete":true})");
}

TEST(ResultJson, WritesDiagnostics) {
  EXPECT_EQ(
      lk::to_json(lk::check({{lk::TopP(1)}})).dump(),
      R"([{"severity":"note","code":"neutral","step":0,"key":"","message":"top_p: changes nothing with these parameters"}])");
}

}  // namespace result_json_test
