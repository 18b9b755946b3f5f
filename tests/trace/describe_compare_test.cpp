// SPDX-License-Identifier: MIT
#include "logitkit/trace/describe_compare.hpp"

#include <gtest/gtest.h>

#include "logitkit/json/trace_json.hpp"
#include "logitkit/logitkit.hpp"

namespace describe_compare_test {

namespace lk = logitkit;
// exp: 1, 8, 4, 2, 1 of 16
const std::vector<float> kRow{0, 2.0794415f, 1.3862944f, 0.6931472f, 0};
lk::Request request() { return lk::Request({1}, {.seed = 7}); }

lk::Comparison comparison() {
  const auto draw = lk::Multinomial::with_uniform(0.5);
  return lk::compare(
      {{"A", (lk::Chain{} | lk::TopK(2) | draw).spec()}, {"B", (lk::Chain{} | lk::TopK(1) | draw).spec()}}, kRow,
      request());
}

TEST(DescribeCompare, IsATableAndForEachTwoWhyTheyDiffer) {
  EXPECT_EQ(lk::describe(comparison()),
            "spec  survivors  entropy  token  probability  best\n"
            "A             2   0.6365      1       0.6667     1\n"
            "B             1   0.0000      1       1.0000     1\n"
            "\n"
            "A and B\n"
            "default: top_k has k 2 in A, 1 in B; nothing else parts them on this row\n"
            "total variation 0.3333, KL inf and 0.4055\n"  // ln 3/2
            "they part: A at step 0 (top_k), B at step 0 (top_k)\n"
            "only A keeps 1: 2\n");
}

TEST(DescribeCompare, SweepIsATable) {
  const std::vector<double> values = {1, 2};
  EXPECT_EQ(lk::describe(lk::sweep((lk::Chain{} | lk::TopK(5)).spec(), "k", values, kRow)),
            "k  k  entropy\n"
            "1  1   0.0000\n"
            "2  2   0.6365\n");
}

TEST(DescribeCompare, TellsBatchSensitivityInSentences) {
  lk::BatchSensitivity s{.rows = 3, .largest_difference = 0.5, .largest_at = 1, .largest_token = 4};
  s.first_greedy = 2;
  s.greedy_differences = s.greedy_near_ties = 1;
  EXPECT_EQ(lk::describe(s),
            "largest logit difference 0.5, row 1, id 4\n"
            "greedy differs in 1 of 3 rows, first in row 2; 1 are within that of a tie\n"
            "the pipeline differs in 0 of 3 rows; 0 are within that of a tie\n");
  EXPECT_TRUE(lk::to_json(s)["first_draw"].is_null());
  EXPECT_EQ(lk::to_json(s)["first_greedy"], 2);
}

TEST(DescribeCompare, HasItsFiguresInJsonToo) {
  const auto json = lk::to_json(comparison());
  EXPECT_EQ(json["specs"][1]["name"], "B");
  EXPECT_EQ(json["specs"][1]["trace"]["steps"].size(), 2u);
  EXPECT_EQ(json["pairs"][0]["cause"], "default");
  EXPECT_TRUE(json["pairs"][0]["kl_ab"].is_null());
  EXPECT_EQ(json["pairs"][0]["only_a"][0]["token"], 2);
}

}  // namespace describe_compare_test
