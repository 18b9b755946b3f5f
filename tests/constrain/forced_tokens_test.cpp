// SPDX-License-Identifier: MIT
#include "logitkit/constrain/forced_tokens.hpp"

#include <gtest/gtest.h>

namespace forced_tokens_test {

namespace lk = logitkit;

const lk::Vocabulary& orders() {
  static const lk::Vocabulary v(std::vector<std::string>{"q", "o", "order", "orderId", "\"", "{\"", "Id", "r"});
  return v;
}
std::vector<lk::TokenId> longest_first(std::string_view text) {
  std::vector<lk::TokenId> out;
  while (!text.empty()) {
    lk::TokenId best = lk::kNoToken;
    for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(orders().size()); ++id)
      if (text.substr(0, orders().bytes(id).size()) == orders().bytes(id) &&
          (best < 0 || orders().bytes(id).size() > orders().bytes(best).size()))
        best = id;
    out.push_back(best);
    text.remove_prefix(orders().bytes(best).size());
  }
  return out;
}

TEST(ForcedTokens, TheTailThatALongerTokenCouldSpanIsHeldBack) {
  EXPECT_EQ(lk::safe_to_force(orders(), "{\"order"), 2u);    // orderId begins with order
  EXPECT_EQ(lk::safe_to_force(orders(), "{\"orderId"), 9u);  // nothing begins with Id and goes on
  EXPECT_EQ(lk::safe_to_force(orders(), "{\"o"), 2u);
  EXPECT_EQ(lk::safe_to_force(orders(), "qq"), 2u);
  EXPECT_EQ(lk::safe_to_force(orders(), ""), 0u);
}

TEST(ForcedTokens, OnlyWholeTokensBeforeTheTail) {
  EXPECT_EQ(lk::forced_tokens(orders(), "{\"order", longest_first), (std::vector<lk::TokenId>{5}));
  EXPECT_EQ(lk::forced_tokens(orders(), "{\"orderId\"", longest_first), (std::vector<lk::TokenId>{5, 3, 4}));
  EXPECT_EQ(lk::forced_tokens(orders(), "or", longest_first), (std::vector<lk::TokenId>{}));
}

}  // namespace forced_tokens_test
