// SPDX-License-Identifier: MIT
// Both versions, on probabilities 1/8, 1/2, 1/4, 1/8: surprises of 3, 1, 2 and 3 bits.
#include "logitkit/select/mirostat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "logitkit/logitkit.hpp"

namespace mirostat_test {

namespace lk = logitkit;
const std::vector<float> kRow = {std::log(0.125f), std::log(0.5f), std::log(0.25f), std::log(0.125f)};

/// First tokens, and second tokens by the first, over 300 seeds.
struct Seen {
  std::set<int> first;
  std::map<int, std::set<int>> second;
};
Seen seen(const lk::Pipeline& pipeline) {
  Seen all;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    lk::Request request({5}, {.seed = seed});
    const lk::Pick pick = pipeline.pick(kRow, request);
    all.first.insert(pick.token);
    request.accept(pick);
    all.second[pick.token].insert(pipeline.pick(kRow, request).token);
  }
  return all;
}
using Set = std::set<int>;

TEST(MirostatV2, CutsAtTwiceTauAndMovesByTheError) {
  const Seen all = seen(lk::MirostatV2(1.2, 1));
  EXPECT_EQ(all.first, (Set{1, 2})) << "mu is 2.4 bits";
  // Of the two left they hold 2/3 and 1/3: 0.585 and 1.585 bits. mu becomes 2.4 - (0.585 - 1.2) = 3.015, or 2.015.
  EXPECT_EQ(all.second.at(1), (Set{0, 1, 2, 3}));
  EXPECT_EQ(all.second.at(2), (Set{1, 2}));
}

TEST(MirostatV2, KeepsTheBestBelowAnySurprise) { EXPECT_EQ(seen(lk::MirostatV2(0.1, 0.1)).first, Set{1}); }

TEST(Mirostat, KeepsTheKOfItsZipfLaw) {
  // s = 0.7615 / 0.7276 = 1.0466 from the ratios of neighbours; with mu 2 and 4 tokens in all
  // k = (0.0466 * 4 / (1 - 4^-0.0466))^(1 / s) = 2.84; with 1000 tokens 0.69; with mu 1 and 4 tokens 1.46.
  EXPECT_EQ(seen(lk::Mirostat(1, 0.1)).first, (Set{1, 2}));
  EXPECT_EQ(seen(lk::Mirostat(1, 0.1, {.n_vocab = 1000})).first, Set{1});
  // A single token surprises by 0 bits: mu becomes 1 + 2 * 0.5 = 2.
  const Seen all = seen(lk::Mirostat(0.5, 2));
  EXPECT_EQ(all.first, Set{1});
  EXPECT_EQ(all.second.at(1), (Set{1, 2}));
}

TEST(Mirostat, RollsItsSurpriseBack) {
  for (const lk::Pipeline& pipeline : {lk::Pipeline(lk::Chain{} | lk::Mirostat(2, 0.5, {.seed = 7})),
                                       lk::Pipeline(lk::Chain{} | lk::MirostatV2(2, 0.5, {.seed = 7}))}) {
    lk::Request request({5}, {.seed = 1});
    std::vector<int> tokens, again;
    for (int i = 0; i < 12; ++i) {
      const lk::Pick pick = pipeline.pick(kRow, request);
      EXPECT_EQ(pipeline.pick(kRow, request).token, pick.token) << "a pick changes nothing";
      tokens.push_back(pick.token);
      request.accept(pick);
    }
    request.rollback(8);
    lk::Request fork = request.fork();
    again.assign(tokens.begin(), tokens.begin() + 4);
    for (int i = 0; i < 8; ++i) {
      const lk::Pick pick = pipeline.pick(kRow, fork);
      again.push_back(pick.token);
      fork.accept(pick);
    }
    EXPECT_EQ(again, tokens);
    EXPECT_GT(Set(tokens.begin(), tokens.end()).size(), 1u);
  }
}

TEST(Mirostat, RefusesParametersOutsideTheirRange) {
  EXPECT_THROW(lk::Mirostat(0, 0.1), lk::InvalidParameter);
  EXPECT_THROW(lk::Mirostat(5, 0.1, {.m = 1}), lk::InvalidParameter);
  EXPECT_THROW(lk::MirostatV2(5, 0), lk::InvalidParameter);
  EXPECT_THROW(lk::MirostatV2(5, 0.1, {.seed = -1}), lk::InvalidParameter);
}

}  // namespace mirostat_test
