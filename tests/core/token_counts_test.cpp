// SPDX-License-Identifier: MIT
#include "logitkit/core/token_counts.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/random_case.hpp"

namespace token_counts_test {

namespace lk = logitkit;

TEST(TokenCounts, EqualAMapAfterAnyMixOfAddAndRemove) {
  random_case::Source s(7);
  for (int round = 0; round < 300; ++round) {
    lk::TokenCounts counts;
    std::map<lk::TokenId, std::uint32_t> plain;
    std::vector<lk::TokenId> history;
    const std::size_t ids = 1 + s.below(round % 3 == 0 ? 5 : 500);
    for (int step = 0; step < 300; ++step) {
      if (!history.empty() && s.chance(0.4)) {
        counts.remove(history.back());
        --plain[history.back()];
        history.pop_back();
      } else {
        history.push_back(static_cast<lk::TokenId>(s.below(ids)) * 37 - 200);  // placeholders of images are negative
        counts.add(history.back());
        ++plain[history.back()];
      }
    }
    for (const auto& [id, count] : plain) ASSERT_EQ(counts.count(id), count) << id;
    ASSERT_EQ(counts.count(123456789), 0u);
    for (std::size_t i = 0; i < counts.ids().size(); ++i) ASSERT_EQ(counts.counts()[i], plain[counts.ids()[i]]);
  }
}

TEST(TokenCounts, ClearForgetsAll) {
  lk::TokenCounts counts;
  counts.add(5);
  counts.clear();
  EXPECT_EQ(counts.count(5), 0u);
  EXPECT_TRUE(counts.ids().empty());
}

}  // namespace token_counts_test
