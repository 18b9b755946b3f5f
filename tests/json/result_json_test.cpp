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

TEST(ResultJson, WritesDiagnostics) {
  EXPECT_EQ(
      lk::to_json(lk::check({{lk::TopP(1)}})).dump(),
      R"([{"severity":"note","code":"neutral","step":0,"key":"","message":"top_p: changes nothing with these parameters"}])");
}

}  // namespace result_json_test
