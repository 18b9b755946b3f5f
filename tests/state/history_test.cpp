// SPDX-License-Identifier: MIT
#include "logitkit/state/history.hpp"

#include <gtest/gtest.h>

#include "logitkit/state/request.hpp"
#include "support/random_case.hpp"

namespace history_test {

namespace lk = logitkit;

/// Positions of a token from the last to the first.
std::vector<std::size_t> positions(const lk::History& history, lk::TokenId id) {
  std::vector<std::size_t> found;
  for (std::size_t at = history.last(id); at < history.size(); at = history.previous(at)) found.push_back(at);
  return found;
}

TEST(History, LinksThePositionsOfEqualTokensAcrossPromptAndOutput) {
  lk::Request request({5, 7, 5, 9}, {.seed = 1});
  for (const lk::TokenId id : {7, 5, 5}) request.accept(id);
  const lk::History history = request.history();
  EXPECT_EQ(positions(history, 5), (std::vector<std::size_t>{6, 5, 2, 0}));
  EXPECT_EQ(positions(history, 7), (std::vector<std::size_t>{4, 1}));
  EXPECT_EQ(positions(history, 9), (std::vector<std::size_t>{3}));
  EXPECT_EQ(positions(history, 4), (std::vector<std::size_t>{}));
  EXPECT_EQ(history.from_end(1), 5);
  EXPECT_EQ(history.count(5), 4u);
}

TEST(History, FollowsAnyMixOfAcceptRollbackAndFork) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    random_case::Source s(seed);
    const auto id = [&] { return static_cast<lk::TokenId>(s.below(4)) - 1; };
    std::vector<lk::TokenId> all;
    for (std::size_t n = s.below(8); n > 0; --n) all.push_back(id());
    const std::size_t prompt = all.size();
    lk::Request request(std::span<const lk::TokenId>(all), {.seed = 1});
    for (int i = 0; i < 60; ++i) {
      if (s.chance(0.6)) {
        if (const lk::TokenId next = id(); request.accept(next)) all.push_back(next);
      } else if (s.chance(0.5)) {
        const std::size_t n = s.below(all.size() - prompt + 1);
        request.rollback(n);
        all.resize(all.size() - n);
      } else {
        request = request.fork();
      }
      if (s.chance(0.5)) continue;  // the links catch up later
      const lk::History history = request.history();
      ASSERT_EQ(history.size(), all.size());
      for (const lk::TokenId token : {-1, 0, 1, 2, 3}) {
        std::vector<std::size_t> expected;
        for (std::size_t at = all.size(); at-- > 0;)
          if (all[at] == token) expected.push_back(at);
        ASSERT_EQ(positions(history, token), expected) << "seed " << seed << " token " << token;
      }
    }
  }
}

}  // namespace history_test
