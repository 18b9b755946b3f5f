// SPDX-License-Identifier: MIT
#include "logitkit/pipeline/describe.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace describe_test {

namespace lk = logitkit;

TEST(Describe, PrintsOneLineAStep) {
  const lk::Spec spec{{lk::LogitBias({{4, 1.5}, {7, -std::numeric_limits<double>::infinity()}}),
                       lk::BanTokens({1, 2, 3, 4, 5, 6, 7, 8, 9}), lk::TopK(20, {.ties = lk::Ties::keep}), lk::TopP(1),
                       lk::Greedy()}};
  EXPECT_EQ(lk::describe(spec),
            "0  logit_bias (bias [4: 1.5, 7: -inf]): adds to the logits of single tokens\n"
            "1  ban_tokens (ids [1, 2, 3, 4, 5, 6, 7, 8, ... 9 in all]): removes single tokens\n"
            "2  top_k (k 20, ties \"keep\"): keeps the k largest logits\n"
            "3  top_p (p 1): keeps the most likely tokens that hold mass p; changes nothing with these parameters\n"
            "4  greedy: takes the largest logit\n");
}

}  // namespace describe_test
