// SPDX-License-Identifier: MIT
#include "logitkit/pipeline/score_tokens.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_case.hpp"

namespace score_tokens_test {

namespace lk = logitkit;
using Row = std::vector<float>;

TEST(ScoreTokens, GivesLogprobAndRankOfEach) {
  // Row 0: 1/8, 1/2, 3/8. Row 1: 1/4, 1/4, 1/2.
  const std::vector<Row> rows{{0, std::log(4.0f), std::log(3.0f)}, {0, 0, std::log(2.0f)}};
  const std::vector<lk::LogitsView> views(rows.begin(), rows.end());
  const std::vector<lk::TokenId> tokens{2, 1};
  const lk::TokenScores scores = lk::score_tokens(views, tokens);
  ASSERT_EQ(scores.status, lk::Status::ok);
  EXPECT_EQ(scores.tokens[0].token, 2);
  EXPECT_NEAR(scores.tokens[0].logprob, std::log(0.375), 1e-6);
  EXPECT_EQ(scores.tokens[0].rank, 2u);
  EXPECT_NEAR(scores.tokens[1].logprob, std::log(0.25), 1e-6);
  EXPECT_EQ(scores.tokens[1].rank, 3u);  // id 0 is as likely and comes first
  EXPECT_NEAR(scores.sum_logprob, std::log(0.375 * 0.25), 2e-6);
  EXPECT_NEAR(scores.perplexity, 1 / std::sqrt(0.375 * 0.25), 1e-5);
}

TEST(ScoreTokens, EqualSumsInLongDouble) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    random_case::Source s(seed);
    const std::size_t width = 2 + s.below(2000), count = 1 + s.below(12);
    std::vector<Row> rows(count, Row(width));
    std::vector<lk::TokenId> tokens;
    std::vector<std::size_t> ranks;
    long double sum = 0;
    for (Row& row : rows) {
      for (float& x : row) x = static_cast<float>(s.chance(0.3) ? std::round(s.between(-9, 9)) : s.between(-9, 9));
      const std::size_t token = s.below(width);
      long double total = 0;
      std::size_t rank = 1;
      for (std::size_t id = 0; id < width; ++id) {
        total += std::exp(static_cast<long double>(row[id]));
        rank += row[id] > row[token] || (row[id] == row[token] && id < token) ? 1 : 0;
      }
      tokens.push_back(static_cast<lk::TokenId>(token));
      ranks.push_back(rank);
      sum += static_cast<long double>(row[token]) - std::log(total);
    }
    const lk::TokenScores scores = lk::score_tokens(std::vector<lk::LogitsView>(rows.begin(), rows.end()), tokens);
    ASSERT_EQ(scores.status, lk::Status::ok);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(scores.tokens[i].rank, ranks[i]) << "seed " << seed;
    // each log-probability is rounded to float32 once: off by at most 2^-20 below 32
    const auto n = static_cast<double>(count);
    ASSERT_NEAR(scores.sum_logprob, static_cast<double>(sum), n * 0x1p-20) << "seed " << seed;
    const auto perplexity = static_cast<double>(std::exp(-sum / static_cast<long double>(count)));
    ASSERT_NEAR(scores.perplexity / perplexity, 1, 2e-6) << "seed " << seed;
  }
}

TEST(ScoreTokens, PerplexityOfEqualLogitsIsTheWidth) {
  const Row row(32, 1.5f);
  const lk::LogitsMatrix matrix{row.data(), 4, 8, 8};
  const std::vector<lk::TokenId> tokens{3, 1, 6, 2};
  EXPECT_NEAR(lk::score_tokens(matrix, tokens).perplexity, 8, 1e-5);
}

TEST(ScoreTokens, AnImpossibleTokenMakesPerplexityInfinite) {
  const Row row{0, -std::numeric_limits<float>::infinity(), 1};
  const std::vector<lk::LogitsView> views{row};
  const std::vector<lk::TokenId> tokens{1};
  const lk::TokenScores scores = lk::score_tokens(views, tokens);
  EXPECT_EQ(scores.tokens[0].logprob, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(scores.perplexity, std::numeric_limits<double>::infinity());
}

TEST(ScoreTokens, StopsAtTheFirstRowThatFails) {
  const Row good{0, 1, 2}, bad{0, NAN, 2};
  const std::vector<lk::LogitsView> views{good, bad, good};
  const std::vector<lk::TokenId> tokens{1, 1, 1};
  const lk::TokenScores scores = lk::score_tokens(views, tokens);
  EXPECT_EQ(scores.status, lk::Status::invalid_logits);
  EXPECT_EQ(scores.tokens.size(), 1u);
  EXPECT_TRUE(std::isnan(scores.perplexity));
}

TEST(ScoreTokens, NeedsARowForEachToken) {
  const std::vector<lk::TokenId> tokens{1, 2};
  EXPECT_THROW(lk::score_tokens(lk::LogitsMatrix{}, tokens), lk::InvalidParameter);
}

}  // namespace score_tokens_test
