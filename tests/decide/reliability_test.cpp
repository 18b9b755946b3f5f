// SPDX-License-Identifier: MIT
#include "logitkit/decide/reliability.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "labelled_rows.hpp"

namespace lk = logitkit;

namespace reliability_test {

using labelled_rows::refusal;
using labelled_rows::Rows;

TEST(Reliability, IsWhatAHandComputes) {
  // Confidence and outcome: .9 right, .8 wrong, .6 right, .95 right
  const std::vector<double> p = {.1, .9, .8, .2, .4, .6, .95, .05};
  const std::vector<int> labels = {1, 1, 1, 0};
  const lk::Reliability r = lk::reliability(p, labels, {.bins = 5});
  ASSERT_EQ(r.bins.size(), 5u);
  // (.4, .6]: 1, .6, right: gap .4.  (.6, .8]: .8, wrong: gap .8.  (.8, 1]: .925, both right: gap .075
  EXPECT_EQ(r.bins[2].count, 1u);
  EXPECT_EQ(r.bins[3].count, 1u);
  EXPECT_EQ(r.bins[4].count, 2u);
  EXPECT_DOUBLE_EQ(r.bins[4].confidence, 0.925);
  EXPECT_EQ(r.bins[4].accuracy, 1);
  EXPECT_EQ(r.bins[3].accuracy, 0);
  EXPECT_EQ(r.bins[4].low, 0.8);
  EXPECT_EQ(r.bins[4].high, 1);
  EXPECT_NEAR(r.ece, (.4 + .8 + 2 * .075) / 4, 1e-15);
  EXPECT_NEAR(r.mce, .8, 1e-15);
  // Both labels count: 2 (.1^2 + .8^2 + .4^2 + .05^2) / 4
  EXPECT_NEAR(r.brier, 2 * (.01 + .64 + .16 + .0025) / 4, 1e-15);
  EXPECT_NEAR(r.nll, -(std::log(.9) + std::log(.2) + std::log(.6) + std::log(.95)) / 4, 1e-15);
  EXPECT_EQ(r.accuracy, 0.75);
  EXPECT_EQ(r.count, 4u);
}

TEST(Reliability, LeavesAnEmptyBinWithoutFigures) {
  const lk::Reliability r = lk::reliability(std::vector<double>{.3, .7}, std::vector<int>{1});
  EXPECT_EQ(r.bins[4].count, 0u);
  EXPECT_TRUE(std::isnan(r.bins[4].confidence));
  EXPECT_TRUE(std::isnan(r.bins[4].accuracy));
  EXPECT_NEAR(r.ece, .3, 1e-15);
}

TEST(Reliability, CountsTheUpperEdgeToItsBin) {
  for (const int bins : {1, 3, 7, 10, 15, 100, 997})
    for (int b = (bins + 1) / 2; b <= bins; ++b) {
      const double edge = static_cast<double>(b) / bins, above = std::nextafter(edge, 2.0);
      const auto bin_of = [&](double p) {
        const lk::Reliability r = lk::reliability(std::vector<double>{1 - p, p}, std::vector<int>{1}, {.bins = bins});
        return std::find_if(r.bins.begin(), r.bins.end(), [](const auto& bin) { return bin.count == 1; }) -
               r.bins.begin();
      };
      ASSERT_EQ(bin_of(edge), b - 1) << bins;
      if (b < bins) {
        ASSERT_EQ(bin_of(above), b) << bins;
      }
    }
}

TEST(Reliability, SharesOutEqualMasses) {
  // Confidences .55, .6, .65, ..., .95: nine rows in three bins of three
  std::vector<double> p;
  std::vector<int> labels;
  for (int i = 11; i <= 19; ++i) {
    p.insert(p.end(), {1 - i / 20.0, i / 20.0});
    labels.push_back(i % 2);
  }
  const lk::Reliability r = lk::reliability(p, labels, {.bins = 3, .binning = lk::Binning::equal_mass});
  ASSERT_EQ(r.bins.size(), 3u);
  for (const lk::ReliabilityBin& bin : r.bins) EXPECT_EQ(bin.count, 3u);
  EXPECT_EQ(r.bins[1].low, 14 / 20.0);
  EXPECT_EQ(r.bins[1].high, 16 / 20.0);
  EXPECT_NEAR(r.bins[1].confidence, 15 / 20.0, 1e-15);
  EXPECT_NEAR(r.bins[1].accuracy, 1 / 3.0, 1e-15);  // .7 wrong, .75 right, .8 wrong
}

TEST(Reliability, KeepsEqualConfidencesInOneBin) {
  // .75 six times, then .875 and 1: no order of the rows may matter
  std::vector<double> p;
  for (int i = 0; i < 6; ++i) p.insert(p.end(), {.25, .75});
  p.insert(p.end(), {.125, .875, 0, 1});
  const std::vector<int> labels = {1, 1, 1, 0, 0, 0, 1, 1};
  const lk::Reliability r = lk::reliability(p, labels, {.bins = 4, .binning = lk::Binning::equal_mass});
  ASSERT_EQ(r.bins.size(), 2u);
  EXPECT_EQ(r.bins[0].count, 6u);
  EXPECT_EQ(r.bins[0].accuracy, 0.5);
  EXPECT_EQ(r.bins[1].count, 2u);
}

/// Every figure by its definition, each bin with a pass of its own.
void compare_with_definition(const Rows& rows, int bins) {
  const std::size_t n = rows.labels.size(), k = rows.k;
  const lk::Reliability r = lk::reliability(rows.values, rows.labels, {.bins = bins});
  long double ece = 0, mce = 0, brier = 0, nll = 0;
  std::size_t right = 0;
  for (int b = 0; b < bins; ++b) {
    const double low = static_cast<double>(b) / bins, high = static_cast<double>(b + 1) / bins;
    std::size_t count = 0, hits = 0;
    long double confidence = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t best = labelled_rows::best(rows, i);
      const double p = rows.values[i * k + best];
      if (!(p > low && p <= high)) continue;
      ++count;
      confidence += p;
      hits += static_cast<int>(best) == rows.labels[i] ? 1 : 0;
    }
    const auto& bin = r.bins[static_cast<std::size_t>(b)];
    ASSERT_EQ(bin.count, count);
    right += hits;
    if (count == 0) continue;
    const auto size = static_cast<long double>(count);
    const long double gap = std::abs(static_cast<long double>(hits) / size - confidence / size);
    ASSERT_NEAR(bin.confidence, static_cast<double>(confidence / size), 1e-12);
    ASSERT_NEAR(bin.accuracy, static_cast<double>(hits) / static_cast<double>(count), 1e-15);
    ece += gap * size / static_cast<long double>(n);
    mce = std::max(mce, gap);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      const bool is_label = static_cast<int>(j) == rows.labels[i];
      const long double p = rows.values[i * k + j];
      brier += (p - is_label) * (p - is_label) / static_cast<long double>(n);
      if (is_label) nll -= std::log(p) / static_cast<long double>(n);
    }
  ASSERT_NEAR(r.ece, static_cast<double>(ece), 1e-12);
  ASSERT_NEAR(r.mce, static_cast<double>(mce), 1e-12);
  ASSERT_NEAR(r.brier, static_cast<double>(brier), 1e-12);
  if (std::isinf(nll)) {
    ASSERT_EQ(r.nll, INFINITY);
  } else {
    ASSERT_NEAR(r.nll, static_cast<double>(nll), 1e-12);
  }
  ASSERT_EQ(r.accuracy, static_cast<double>(right) / static_cast<double>(n));
}

TEST(Reliability, IsThatOfItsDefinitions) {
  labelled_rows::Generator random(8);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::size_t n = 1 + random.below(60), k = 2 + random.below(5);
    const int bins = 1 + static_cast<int>(random.below(20));
    Rows rows = labelled_rows::eighths(seed, n, k);  // edges, ties, zeros
    if (seed % 2 == 1) {
      rows = labelled_rows::drawn(seed, n, k, 2, 1);
      for (std::size_t i = 0; i < n; ++i) {
        const auto p = labelled_rows::softmax(&rows.values[i * k], k, 1);
        std::copy(p.begin(), p.end(), rows.values.begin() + static_cast<std::ptrdiff_t>(i * k));
      }
    }
    compare_with_definition(rows, bins);
  }
}

TEST(Reliability, SharesOutEveryRowOnceAndEvenly) {
  labelled_rows::Generator random(9);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::size_t n = 1 + random.below(60);
    const int bins = 1 + static_cast<int>(random.below(20));
    const bool ties = seed % 2 == 0;
    Rows rows = labelled_rows::eighths(seed, n, 3);
    if (!ties)
      for (std::size_t i = 0; i < n; ++i) {
        const double p = 0.5 + random.unit() / 2;
        rows.values[3 * i] = rows.values[3 * i + 2] = (1 - p) / 2;
        rows.values[3 * i + 1] = p;
      }
    const lk::Reliability r =
        lk::reliability(rows.values, rows.labels, {.bins = bins, .binning = lk::Binning::equal_mass});
    std::size_t sum = 0;
    for (std::size_t b = 0; b < r.bins.size(); ++b) {
      ASSERT_GT(r.bins[b].count, 0u);
      ASSERT_LE(r.bins[b].low, r.bins[b].high);
      if (b > 0) {
        ASSERT_LT(r.bins[b - 1].high, r.bins[b].low);
      }
      sum += r.bins[b].count;
      if (!ties) {
        ASSERT_LE(r.bins[b].count, n / static_cast<std::size_t>(bins) + 1);
      }
    }
    ASSERT_EQ(sum, n);
    if (!ties) {
      ASSERT_EQ(r.bins.size(), std::min<std::size_t>(n, static_cast<std::size_t>(bins)));
    }
  }
}

TEST(Reliability, IsInfinitelySurprisedByAnImpossibleLabel) {
  EXPECT_EQ(lk::reliability(std::vector<double>{0, 1, 0}, std::vector<int>{2}).nll, INFINITY);
}

TEST(Reliability, RefusesWhatIsNoDistribution) {
  const std::vector<double> good = {.3, .7, .6, .4};
  const std::vector<int> labels = {1, 0};
  const auto with = [&](std::vector<double> p, std::vector<int> l, int bins = 10) {
    return refusal([&] { lk::reliability(p, l, {.bins = bins}); });
  };
  EXPECT_EQ(with(good, labels), "not refused");
  EXPECT_EQ(with({.3, .7, 1.5, .4}, labels), "reliability: row 1: a probability is 1.5, allowed is 0 to 1");
  EXPECT_EQ(with({.25, .5, .5, .5}, labels),
            "reliability: row 0: the probabilities sum to 0.75, allowed is 1 within 0.001");
  EXPECT_EQ(with({.3, .7, .6, NAN}, labels).substr(0, 18), "reliability: row 1");
  EXPECT_EQ(with({.3, .7, .6}, labels),
            "reliability: 3 values for 2 labels, allowed are as many for each label, at least 2");
  EXPECT_EQ(with({1, 1}, labels), "reliability: 2 values for 2 labels, allowed are as many for each label, at least 2");
  EXPECT_EQ(with({}, {}), "reliability: there are no labels, allowed is at least 1");
  EXPECT_EQ(with(good, {1, 2}), "reliability: row 1: the label is 2, allowed is 0 to 1");
  EXPECT_EQ(with(good, {-1, 1}), "reliability: row 0: the label is -1, allowed is 0 to 1");
  EXPECT_EQ(with(good, labels, 0), "reliability: bins is 0, allowed is 1 to 10000");
}

}  // namespace reliability_test
