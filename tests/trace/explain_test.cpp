// SPDX-License-Identifier: MIT
#include "logitkit/trace/explain.hpp"

#include <gtest/gtest.h>

#include "logitkit/pipeline/compose.hpp"
#include "logitkit/process/ban_tokens.hpp"
#include "logitkit/process/top_k.hpp"
#include "logitkit/select/exponential_race.hpp"
#include "support/random_case.hpp"
#include "support/slow_build.hpp"

namespace explain_test {

namespace lk = logitkit;
using Row = std::vector<float>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// exp: 1, 8, 4, 2, 1 of 16: cumulative 1, 9, 13, 15, 16
const Row kRow{0, 2.0794415f, 1.3862944f, 0.6931472f, 0};
lk::Request request() { return lk::Request({1}, {.seed = 7}); }

TEST(Explain, NamesTheIntervalThatTheUniformFellInto) {
  const lk::Explanation e = lk::explain(lk::Multinomial::with_uniform(0.75), kRow, request());
  EXPECT_EQ(e.pick.token, 2);
  EXPECT_EQ(e.uniform, 0.75);
  EXPECT_NEAR(e.low, 9.0 / 16, 1e-6);
  EXPECT_NEAR(e.high, 13.0 / 16, 1e-6);
  ASSERT_EQ(e.nearby.size(), 5u);  // all of them: two before, two after
  EXPECT_EQ(e.nearby[1].token.token, 1);
  EXPECT_EQ(e.nearby[3].token.token, 3);
  EXPECT_NEAR(e.nearby[3].high, 15.0 / 16, 1e-6);
}

TEST(Explain, TakesTheUniformOfSeedStreamAndPosition) {
  const lk::Request other({1, 2, 3}, {.seed = 9, .stream = 4});
  const lk::Explanation e = lk::explain(lk::Multinomial(), kRow, other);
  EXPECT_EQ(e.seed, 9u);
  EXPECT_EQ(e.stream, 4u);
  EXPECT_EQ(e.position, 3u);
  EXPECT_EQ(e.uniform, lk::uniform(9, 4, 3, 0));
  EXPECT_EQ(e.row, lk::fingerprint(kRow));
}

TEST(Explain, ListsOnlyTokensThatCanBeDrawn) {
  const lk::Explanation e = lk::explain(lk::BanTokens({3}) | lk::Multinomial::with_uniform(0.9), kRow, request());
  EXPECT_EQ(e.pick.token, 2);  // 9/14 to 13/14
  EXPECT_EQ(e.nearby.back().token.token, 4);
  EXPECT_EQ(e.nearby.back().high, 1);
}

TEST(Explain, GreedyHasAMarginAndNoUniform) {
  const lk::Explanation e = lk::explain(lk::Greedy(), Row{1, 3, 2.5f}, request());
  EXPECT_TRUE(std::isnan(e.uniform));
  EXPECT_EQ(e.margin, 0.5);
  EXPECT_EQ(e.flip_distance, 0.25);  // 3 - 0.25 = 2.5 + 0.25
  EXPECT_TRUE(e.nearby.empty());
}

TEST(Explain, OneCandidateCannotBeLost) {
  EXPECT_EQ(lk::explain(lk::TopK(1) | lk::Multinomial(), kRow, request()).flip_distance, kInfinity);
  EXPECT_EQ(lk::explain(lk::TopK(1) | lk::ExponentialRace(), kRow, request()).flip_distance, kInfinity);
  EXPECT_EQ(lk::explain(lk::TopK(1) | lk::Greedy(), kRow, request()).margin, kInfinity);
}

TEST(Explain, SaysNothingOfWhatItDoesNotKnow) {
  const lk::Explanation e = lk::explain(lk::ExponentialRace(), kRow, request());
  EXPECT_TRUE(e);
  EXPECT_TRUE(std::isnan(e.uniform));
  EXPECT_TRUE(std::isnan(e.flip_distance));
  EXPECT_FALSE(lk::explain(lk::Greedy(), Row{NAN}, request()));
}

constexpr std::uint64_t kCases = kSlowBuild ? 1000 : 2000;

/// Moving the tokens before the edge up and the others down by a little less than flip_distance keeps the token, by a
/// little more loses it.
TEST(Explain, FlipDistanceIsWhereTheDrawnTokenChanges) {
  std::uint64_t moved = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    random_case::Source source(seed);
    Row row(2 + source.below(40));
    for (float& x : row) x = static_cast<float>(source.between(-3, 3));
    const double u = source.unit();
    const lk::Pipeline pipeline(lk::Multinomial::with_uniform(u));
    const lk::Explanation e = lk::explain(pipeline, row, request());
    ASSERT_LE(e.low, u);
    ASSERT_GT(e.high, u);
    if (std::isinf(e.flip_distance)) continue;
    for (const bool up : {true, false}) {  // lift what comes before the token, or it and what comes before
      for (const double much : {e.flip_distance * 0.99 - 1e-5, e.flip_distance * 1.01 + 1e-5}) {
        if (much < 0) continue;
        Row shifted = row;
        for (std::size_t id = 0; id < row.size(); ++id) {
          const bool before =
              up ? static_cast<lk::TokenId>(id) < e.pick.token : static_cast<lk::TokenId>(id) > e.pick.token;
          shifted[id] += static_cast<float>(before ? much : -much);
        }
        const bool changed = pipeline.pick(shifted, request()).token != e.pick.token;
        ASSERT_FALSE(changed && much < e.flip_distance) << "seed " << seed;
        moved += changed ? 1 : 0;
      }
    }
  }
  EXPECT_GT(moved, kCases * 9 / 10);  // for each finite distance one of the two edges
}

}  // namespace explain_test
