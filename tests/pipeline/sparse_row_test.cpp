// SPDX-License-Identifier: MIT
#include "logitkit/pipeline/sparse_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_case.hpp"

namespace sparse_row_test {

namespace lk = logitkit;
using Ids = std::vector<lk::TokenId>;

/// The n best of a row.
struct Cut {
  Ids ids;
  std::vector<float> logits;
  std::size_t width;
  Cut(const std::vector<float>& row, std::size_t n) : width(row.size()) {
    for (const lk::RankedLogit& r : lk::top_k(row, n)) {
      ids.push_back(static_cast<lk::TokenId>(r.index));
      logits.push_back(r.logit);
    }
  }
  lk::SparseRow row() const { return {ids, logits, width}; }
};

TEST(SparseRow, EqualsTheFullRowWheneverItSaysExact) {
  int exact = 0, undecided = 0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    random_case::Source s(seed);
    random_case::Case c = random_case::random_case(s, 2 + random_case::random_size(s, 3000));
    if (std::any_of(c.row.begin(), c.row.end(), [](float x) { return !(x < INFINITY); })) continue;
    c.dtype = lk::Dtype::float32;
    const Cut cut(c.row, 1 + s.below(s.chance(0.5) ? 40 : c.row.size()));
    if (cut.ids.empty()) continue;
    lk::SparseRow sparse = cut.row();
    if (s.chance(0.5)) sparse.log_sum_exp = lk::log_sum_exp(c.row);
    const lk::Pipeline pipeline = c.pipeline();
    const lk::PickOptions options{.logprob = c.logprob, .unconditional = c.unconditional};
    const lk::Pick got = pipeline.pick(sparse, c.request, options), want = pipeline.pick(c.row, c.request, options);
    ASSERT_EQ(got.exact, got.status != lk::Status::needs_full_row);
    if (!got.exact) {
      ASSERT_EQ(got.token, lk::kNoToken);
      ++undecided;
      continue;
    }
    ASSERT_EQ(got.status, want.status) << "seed " << seed << ", " << c.text();
    ASSERT_EQ(got.token, want.token) << "seed " << seed << ", " << c.text();
    ASSERT_TRUE(c.is_greedy() || got.survivors == want.survivors) << "seed " << seed << ", " << c.text();
    if (c.logprob && want) {
      ASSERT_EQ(got.logprob, want.logprob) << "seed " << seed << ", " << c.text();
      ASSERT_EQ(got.rank, want.rank) << "seed " << seed << ", " << c.text();
    }
    ++exact;
  }
  EXPECT_GT(exact, 4000);
  EXPECT_GT(undecided, 4000);
}

class SparseRowTest : public testing::Test {
 protected:
  // ids 3, 1, 4 are known; six others have at most 1.0
  const Ids ids_{3, 1, 4};
  const std::vector<float> logits_{3.0f, 2.0f, 1.0f};
  const lk::SparseRow row_{ids_, logits_, 9};
  const lk::Request request_{{2}, {.seed = 5}};
  lk::Status status(const lk::Pipeline& pipeline) const { return pipeline.pick(row_, request_).status; }
};

TEST_F(SparseRowTest, GreedyNeedsTheBestOnly) {
  EXPECT_EQ(lk::Pipeline(lk::Greedy()).pick(row_, request_).token, 3);
  EXPECT_EQ((lk::Chain() | lk::BanTokens({3}) | lk::Greedy()).pick(row_, request_).token, 1);
  EXPECT_EQ(status(lk::Chain() | lk::BanTokens({3, 1}) | lk::Greedy()), lk::Status::needs_full_row);  // a tie with 4
  EXPECT_EQ(status(lk::Chain() | lk::LogitBias({{7, 2.5}}) | lk::Greedy()), lk::Status::needs_full_row);  // 7: 3.5
  EXPECT_EQ((lk::Chain() | lk::LogitBias({{7, 1.5}}) | lk::Greedy()).pick(row_, request_).token, 3);
}

TEST_F(SparseRowTest, TopKNeedsThatManyAboveTheOthers) {
  EXPECT_EQ(status(lk::TopK(2) | lk::Multinomial()), lk::Status::ok);
  EXPECT_EQ(status(lk::TopK(3) | lk::Multinomial()), lk::Status::needs_full_row);  // others may equal 1.0
}

TEST_F(SparseRowTest, MinPNeedsItsThresholdAboveTheOthers) {
  EXPECT_EQ(status(lk::MinP(0.14) | lk::Multinomial()), lk::Status::ok);              // 3 + ln 0.14 = 1.03
  EXPECT_EQ(status(lk::MinP(0.13) | lk::Multinomial()), lk::Status::needs_full_row);  // 0.96
}

TEST_F(SparseRowTest, TopPNeedsToKnowEnoughOfTheMass) {
  // Of the known: 1, 0.368, 0.135; the six others have at most 0.812. p = 0.4 asks for 0.6 to 0.93 of the best: 1
  // token.
  EXPECT_EQ((lk::TopP(0.4) | lk::Multinomial()).pick(row_, request_).token, 3);
  EXPECT_EQ(status(lk::TopP(0.5) | lk::Multinomial()), lk::Status::needs_full_row);  // 0.75 to 1.16
  lk::SparseRow told = row_;
  told.log_sum_exp = 3 + std::log(1.9);  // and the others turn out to have 0.4: p = 0.5 asks for 0.95
  EXPECT_EQ((lk::TopP(0.5) | lk::Multinomial()).pick(told, request_).token, 3);
}

TEST_F(SparseRowTest, WholeDistributionsAreNeededByOthers) {
  EXPECT_EQ(status(lk::Multinomial()), lk::Status::needs_full_row);
  EXPECT_EQ(status(lk::TypicalP(0.5) | lk::Multinomial()), lk::Status::needs_full_row);
  EXPECT_EQ(status(lk::TopK(2) | lk::TypicalP(0.5) | lk::Multinomial()), lk::Status::ok);
  const auto custom = [](lk::Candidates&, const lk::StepView&) {};
  EXPECT_EQ(status(lk::Chain() | custom | lk::TopK(2) | lk::Multinomial()), lk::Status::needs_full_row);
}

TEST_F(SparseRowTest, AllTokensAreAFullRow) {
  const Ids ids{2, 0, 1};
  const std::vector<float> logits{0.5f, 0.25f, 0.125f};
  const std::vector<float> full{0.25f, 0.125f, 0.5f};
  const lk::Pipeline pipeline = lk::TypicalP(0.9) | lk::Multinomial();
  EXPECT_EQ(pipeline.pick(lk::SparseRow{ids, logits, 3}, request_).token, pipeline.pick(full, request_).token);
}

TEST_F(SparseRowTest, SaysWhatIsWrongWithARow) {
  const auto pick = [&](Ids ids, std::vector<float> logits) {
    return lk::Pipeline(lk::Greedy()).pick(lk::SparseRow{ids, logits, 9}, request_);
  };
  EXPECT_THROW(pick({1, 1}, {3, 2}), lk::InvalidParameter);
  EXPECT_THROW(pick({1, 9}, {3, 2}), lk::InvalidParameter);
  EXPECT_THROW(pick({1, 2}, {3}), lk::InvalidParameter);
  EXPECT_THROW(pick({}, {}), lk::InvalidParameter);
  const lk::Pick bad = pick({1, 5, 3}, {3, NAN, NAN});
  EXPECT_EQ(bad.status, lk::Status::invalid_logits);
  EXPECT_EQ(bad.id, 3);
  EXPECT_TRUE(bad.exact);
}

}  // namespace sparse_row_test
