// SPDX-License-Identifier: MIT
#include "logitkit/numeric/top_k.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "isas.hpp"
#include "rows.hpp"

namespace lk = logitkit;

namespace top_k_test {

// Sorts everything by the total order: logit descending, then index ascending.
std::vector<std::size_t> sorted_indices(const std::vector<float>& row) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != rows::kMasked) indices.push_back(i);
  std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  return indices;
}

void expect_top(lk::LogitsView row, const std::vector<float>& wide, const std::vector<std::size_t>& ks) {
  const auto sorted = sorted_indices(wide);
  for (const std::size_t k : ks) {
    const auto top = lk::top_k(row, k);
    ASSERT_EQ(top.size(), std::min(k, sorted.size())) << "k = " << k << " of " << wide.size();
    for (std::size_t rank = 0; rank < top.size(); ++rank) {
      ASSERT_EQ(top[rank].index, sorted[rank]) << "rank " << rank << ", k = " << k << " of " << wide.size();
      ASSERT_EQ(top[rank].logit, wide[sorted[rank]]);
    }
  }
}
void expect_top(const std::vector<float>& row) {
  expect_top(row, row, {1, 2, 7, 16, 20, 50, row.size() / 2, row.size(), row.size() + 5});
}

class TopKIds : public EveryIsa {};
LOGITKIT_FOR_EVERY_ISA(TopKIds);

TEST_P(TopKIds, IsAPrefixOfTheFullSort) {
  for (const std::size_t n : rows::lengths())
    for (const unsigned masked_of_8 : {0u, 3u, 7u}) expect_top(rows::noise(n + masked_of_8, n, 3, masked_of_8));
}

TEST_P(TopKIds, TakesLowerIndicesFirstOnTies) {
  for (const std::size_t n : rows::lengths())
    for (const std::uint64_t values : {1u, 2u, 30u}) expect_top(rows::ties(n, n, values));
}

TEST_P(TopKIds, DoesNotDependOnTheOrderOfTheRow) {
  auto row = rows::noise(77, 30000, 4);
  std::sort(row.begin(), row.end());
  expect_top(row);
  std::reverse(row.begin(), row.end());
  expect_top(row);
}

TEST_P(TopKIds, WorksOnAWholeVocabulary) {
  for (const auto& profile : synthetic::kProfiles) {
    const auto row = synthetic::row(profile, 5, 151936);
    expect_top(row, row, {1, 20, 50, 300, 1000, 40000});
  }
}

TEST_P(TopKIds, TakesAllRowTypes) {
  for (const std::size_t n : rows::lengths()) {
    const auto half = rows::narrowed<lk::float16>(rows::noise(n, n, 1, 1));
    const auto brain = rows::narrowed<lk::bfloat16>(rows::noise(n, n, 1, 1));
    expect_top(half, rows::widened(half), {1, 20, n});
    expect_top(brain, rows::widened(brain), {1, 20, n});
  }
}

TEST_P(TopKIds, HandlesExtremeValues) {
  const float largest = std::numeric_limits<float>::max();
  expect_top({-largest, 1e-45f, -0.0f, 0.0f, largest, -1e-45f, largest, rows::kMasked, -largest, 3e-45f});
  std::vector<float> outlier(3000, -1000.0f);  // the threshold is far below the maximum
  outlier[1234] = largest;
  expect_top(outlier);
}

TEST_P(TopKIds, IsEmptyWhereNothingCanBeRanked) {
  EXPECT_TRUE(lk::top_k(std::vector<float>{}, 5).empty());
  EXPECT_TRUE(lk::top_k(std::vector<float>{1, 2, 3}, 0).empty());
  EXPECT_TRUE(lk::top_k(std::vector<float>(700, rows::kMasked), 5).empty());
  EXPECT_TRUE(lk::top_k(std::vector<float>{1, rows::kNaN, 3}, 2).empty());
  EXPECT_TRUE(lk::top_k(std::vector<float>{1, rows::kInf, 3}, 2).empty());
}

TEST_P(TopKIds, ReusesScratchOfAnyEarlierRow) {
  std::vector<lk::RankedLogit> out;
  lk::TopKScratch scratch;
  for (const std::size_t n : {5000u, 40u, 151936u, 600u}) {
    const auto row = rows::noise(n, n, 3, 1);
    lk::top_k(row, 300, out, scratch);
    EXPECT_EQ(out, lk::top_k(row, 300)) << n;
  }
}

}  // namespace top_k_test
