// SPDX-License-Identifier: MIT
// Ids whose logit a step changed, among what is done to the whole row.
#include <gtest/gtest.h>

#include "reference.hpp"

namespace edited_ids_test {

namespace lk = logitkit;

TEST(EditedIds, OutliveTwoCutsAndAFilter) {
  // 200 and more candidates of 300 stay a whole row. Id 150 is the row's smallest, and becomes 0.5.
  std::vector<float> row(300);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i % 100) / 50 - 1;
  row[150] = -9;
  const lk::Request request({1}, {.seed = 1});
  const lk::Chain chain = lk::LogitBias({{150, 9.5}}) | lk::TopK(200) | lk::EpsilonCutoff(1e-6) | lk::TypicalP(0.99);
  const std::vector<float> got = chain.process(row, request);
  EXPECT_EQ(got[150], 0.5f);
  std::vector<float> want;
  reference::Memory memory;
  reference::Context context{&request, &memory, {}};
  reference::run(chain.steps(), row, 0, want, context);
  EXPECT_EQ(got, want);
}

}  // namespace edited_ids_test
