// SPDX-License-Identifier: MIT
#include "logitkit/decide/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "labelled_rows.hpp"

namespace lk = logitkit;

namespace calibration_test {

using labelled_rows::refusal;
using labelled_rows::Rows;

Rows repeated(std::vector<double> scores, std::vector<int> labels) {
  Rows rows{{}, std::move(labels), scores.size()};
  for (std::size_t i = 0; i < rows.labels.size(); ++i)
    rows.values.insert(rows.values.end(), scores.begin(), scores.end());
  return rows;
}

double fit(const Rows& rows) { return lk::fit_temperature(rows.values, rows.labels); }

TEST(FitTemperature, MakesTheConfidenceTheAccuracy) {
  // Every row says 1 by 2 logits and 3 of 4 are: 1 / (1 + exp(-2 / T)) = 3/4, T = 2 / ln 3
  EXPECT_NEAR(fit(repeated({0, 2}, {1, 1, 0, 1})), 2 / std::log(3.0), 1e-14);
  // exp(5 / T) / (exp(5 / T) + 2) = 5/8 at T = 5 / ln(10/3)
  EXPECT_NEAR(fit(repeated({-1, 4, -1}, {1, 1, 0, 1, 2, 1, 0, 1})), 5 / std::log(10 / 3.0), 1e-13);
}

TEST(FitTemperature, FindsTemperaturesOfAnySize) {
  for (const double size : {1e-25, 1e-6, 1e6, 1e25})
    EXPECT_NEAR(fit(repeated({0, 2 * size}, {1, 1, 0, 1})) / size, 2 / std::log(3.0), 1e-13);
}

long double nll(const Rows& rows, long double temperature) {
  long double sum = 0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    const auto p = labelled_rows::softmax(&rows.values[i * rows.k], rows.k, temperature);
    sum -= std::log(p[static_cast<std::size_t>(rows.labels[i])]);
  }
  return sum;
}

/// Golden-section search for the smallest likelihood over ln T.
long double reference_fit(const Rows& rows) {
  const long double ratio = (std::sqrt(5.0L) - 1) / 2;
  long double low = std::log(1e-3L), high = std::log(1e5L);
  while (high - low > 1e-8L) {
    const long double a = high - ratio * (high - low), b = low + ratio * (high - low);
    if (nll(rows, std::exp(a)) < nll(rows, std::exp(b)))
      high = b;
    else
      low = a;
  }
  return std::exp((low + high) / 2);
}

TEST(FitTemperature, IsTheMinimumThatASearchInLongDoubleFinds) {
  labelled_rows::Generator random(21);
  int fitted = 0;
  for (std::uint64_t seed = 0; fitted < 150; ++seed) {
    const Rows rows = labelled_rows::drawn(seed, 5 + random.below(60), 2 + random.below(4), 3, 0.5 + 4 * random.unit());
    const std::string refused = refusal([&] { fit(rows); });
    if (refused != "not refused") continue;  // a few small sets are separable or reversed
    const long double expected = reference_fit(rows);
    if (expected > 1e3L) continue;  // the likelihood is flat there
    ++fitted;
    // The search sees the likelihood, which is flat to 1e-18 within the root of that.
    ASSERT_NEAR(fit(rows) / static_cast<double>(expected), 1, 1e-6) << seed;
  }
}

TEST(FitTemperature, RefusesExactlyTheRowsWithoutAMinimum) {
  int refused = 0, fitted = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Rows rows = labelled_rows::drawn(seed, 2 + seed % 7, 3, 1.5, seed % 2 == 0 ? 0.3 : 3);
    bool one_class = true, separable = true;
    long double reversal = 0;
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
      const double* scores = &rows.values[3 * i];
      one_class = one_class && rows.labels[i] == rows.labels[0];
      separable = separable && static_cast<int>(labelled_rows::best(rows, i)) == rows.labels[i];
      reversal += (static_cast<long double>(scores[0]) + scores[1] + scores[2]) / 3 - scores[rows.labels[i]];
    }
    const bool has_minimum = !one_class && !separable && reversal < 0;
    ASSERT_EQ(refusal([&] { fit(rows); }) == "not refused", has_minimum) << seed;
    ++(has_minimum ? fitted : refused);
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(fitted, 300);
}

TEST(FitTemperature, ScalesWithTheScoresAndIgnoresTheirLevel) {
  Rows rows = labelled_rows::drawn(5, 400, 4, 2, 1.7);
  const double before = fit(rows);
  for (double& score : rows.values) score *= 3.8;
  EXPECT_NEAR(fit(rows), 3.8 * before, 1e-12);
  for (std::size_t i = 0; i < rows.values.size(); ++i) rows.values[i] += static_cast<double>(i / 4 % 10);
  EXPECT_NEAR(fit(rows), 3.8 * before, 1e-12);
}

TEST(FitTemperature, LeavesOutLabelsThatAreRuledOut) {
  const Rows rows = labelled_rows::drawn(6, 300, 3, 2, 1.3);
  Rows wider{{}, {}, 4};
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    wider.values.push_back(-INFINITY);
    wider.values.insert(wider.values.end(), &rows.values[3 * i], &rows.values[3 * i] + 3);
    wider.labels.push_back(rows.labels[i] + 1);
  }
  EXPECT_EQ(fit(wider), fit(rows));
}

TEST(FitTemperature, SaysWhyThereIsNone) {
  EXPECT_EQ(refusal([] {
              fit(repeated({0, 2}, {1, 1, 1}));
            }),
            "fit_temperature: all labels are the same, allowed are rows of at least two classes");
  // The right label is best, or as good as the best, in every row.
  const Rows separable{{0, 2, 1, 0, 3, 3}, {1, 0, 1}, 2};
  EXPECT_EQ(refusal([&] { fit(separable); }).substr(0, 78),
            "fit_temperature: the right label has the largest score in every row (separable");
  const Rows reversed{{0, 2, 1, 0, 0, 1}, {0, 1, 1}, 2};
  EXPECT_EQ(refusal([&] { fit(reversed); }).substr(0, 63),
            "fit_temperature: the right labels score no higher than the othe");
  const Rows even{{0.1, 0.3, 0.3, 0.1, 0.3, 0.1, 0.1, 0.3}, {1, 1, 0, 0}, 2};  // two right, two wrong, equally sure
  EXPECT_EQ(refusal([&] { fit(even); }).substr(0, 63),
            "fit_temperature: the right labels score no higher than the othe");
  EXPECT_EQ(refusal([] {
              fit(repeated({1, 1}, {0, 1}));
            }).substr(0, 63),
            "fit_temperature: the right labels score no higher than the othe");
}

TEST(FitTemperature, TakesRoundingForNoInformation) {
  labelled_rows::Generator random(12);
  for (int i = 0; i < 100; ++i)  // every label is right as often: the slope at T = infinity is 0, but for rounding
    ASSERT_NE(refusal([&] {
                fit(repeated({random.normal(), random.normal(), random.normal()}, {1, 0, 2}));
              }),
              "not refused");
}

TEST(FitTemperature, RefusesSizesAndScoresThatDoNotFit) {
  const auto with = [](std::vector<double> scores, std::vector<int> labels) {
    return refusal([&] { lk::fit_temperature(scores, labels); });
  };
  EXPECT_EQ(with({}, {}), "fit_temperature: there are no labels, allowed is at least 1");
  EXPECT_EQ(with({1, 2, 3}, {0, 1}),
            "fit_temperature: 3 values for 2 labels, allowed are as many for each label, at least 2");
  EXPECT_EQ(with({1, 2, 3, 4}, {0, 2}), "fit_temperature: row 1: the label is 2, allowed is 0 to 1");
  EXPECT_EQ(with({1, 2, INFINITY, 4}, {0, 1}),
            "fit_temperature: row 1: a score is inf, allowed is a finite float32 or -inf");
  EXPECT_NE(with({1, 2, NAN, 4}, {0, 1}), "not refused");
  EXPECT_EQ(with({1, 2, 3, -INFINITY}, {0, 1}),
            "fit_temperature: row 1: the right label's score is -inf, which no temperature mends");
}

// Right answers that are drawn from the probabilities themselves: T = 1, but for chance. The standard error of 1 / T is
// 1 / sqrt(sum of the variances of the scores), and 95 % of the fits are within two of them.
TEST(FitTemperature, LeavesACalibratedModelAlone) {
  int within_two = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Rows rows = labelled_rows::drawn(1000 + seed, 1000, 4, 1.5, 1);
    long double variance = 0;
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
      const auto p = labelled_rows::softmax(&rows.values[4 * i], 4, 1);
      long double mean = 0, square = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        mean += p[j] * rows.values[4 * i + j];
        square += p[j] * rows.values[4 * i + j] * rows.values[4 * i + j];
      }
      variance += square - mean * mean;
    }
    const double error = (1 / fit(rows) - 1) * static_cast<double>(std::sqrt(variance));
    EXPECT_LT(std::abs(error), 4) << seed;
    within_two += std::abs(error) < 2 ? 1 : 0;
  }
  EXPECT_GE(within_two, 89);  // 95.4 expected, standard deviation 2.1
  EXPECT_LE(within_two, 99);
}

TEST(LabelProbabilities, AreTheSoftmaxOfEachRow) {
  // exp: 1 2 1 | 4 1 0, at T = 2: 1 sqrt(2) 1
  const std::vector<double> scores = {0, std::log(2.0), 0, std::log(4.0), 0, -INFINITY};
  const std::vector<double> p = lk::label_probabilities(scores, 3);
  const double expected[] = {.25, .5, .25, .8, .2, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(p[i], expected[i], 1e-15);
  EXPECT_NEAR(lk::label_probabilities(scores, 3, 2)[1], std::sqrt(2.0) / (2 + std::sqrt(2.0)), 1e-15);
}

TEST(LabelProbabilities, RefuseWhatHasNone) {
  const auto with = [](std::vector<double> scores, std::size_t k, double temperature) {
    return refusal([&] { lk::label_probabilities(scores, k, temperature); });
  };
  EXPECT_EQ(with({1, 2, 3}, 2, 1), "label_probabilities: 3 scores in rows of 2, allowed are whole rows");
  EXPECT_EQ(with({1, 2, 3}, 0, 1), "label_probabilities: 3 scores in rows of 0, allowed are whole rows");
  EXPECT_EQ(with({1, 2, -INFINITY, -INFINITY}, 2, 1), "label_probabilities: row 1: all scores are -inf");
  EXPECT_NE(with({1, NAN}, 2, 1), "not refused");
  EXPECT_EQ(with({1, 2}, 2, -1), "label_probabilities: temperature is -1, allowed is 1e-30 to 3e+38");
}

TEST(Calibrate, MendsTheHeldOutHalfAndMovesNoAnswer) {
  const Rows rows = labelled_rows::drawn(31, 20000, 3, 6, 3.8);  // sure by 3.8 times too much
  const std::span<const double> scores = rows.values;
  const std::span<const int> labels = rows.labels;
  const lk::Calibration c =
      lk::calibrate({scores.first(30000), labels.first(10000)}, {scores.last(30000), labels.last(10000)}, {.bins = 15});
  EXPECT_EQ(c.temperature, lk::fit_temperature(scores.first(30000), labels.first(10000)));
  EXPECT_NEAR(c.temperature, 3.8, 0.1);
  EXPECT_GT(c.before.ece, 0.1);
  EXPECT_LT(c.after.ece, 0.02);
  EXPECT_LT(c.after.nll, c.before.nll);
  EXPECT_EQ(c.after.accuracy, c.before.accuracy);
  EXPECT_EQ(c.after.bins.size(), 15u);
  const lk::Reliability expected =
      lk::reliability(lk::label_probabilities(scores.last(30000), 3, c.temperature), labels.last(10000), {.bins = 15});
  EXPECT_EQ(c.after.ece, expected.ece);
  EXPECT_EQ(c.after.brier, expected.brier);
}

TEST(Calibrate, AnswersByTheScoresWhereTheProbabilitiesRoundToTies) {
  // T is about 1e20, so that scores of 1 and 1 + 2^-52 have one probability; the second stays the answer.
  const Rows fitted = repeated({0, 2e20}, {1, 1, 0, 1});
  const Rows held_out = repeated({1, 1 + 0x1p-52}, {1, 0, 1});
  const lk::Calibration c = lk::calibrate({fitted.values, fitted.labels}, {held_out.values, held_out.labels});
  EXPECT_EQ(c.after.accuracy, 2 / 3.0);
  EXPECT_EQ(c.before.accuracy, 2 / 3.0);
}

TEST(Calibrate, RefusesRowsThatAreInBothSplits) {
  const Rows rows = labelled_rows::drawn(4, 100, 2, 2, 1), other = labelled_rows::drawn(5, 100, 2, 2, 1);
  const std::span<const double> scores = rows.values;
  const std::span<const int> labels = rows.labels;
  const auto with = [&](const lk::Labelled& held_out) {
    return refusal([&] { lk::calibrate({scores.first(120), labels.first(60)}, held_out); });
  };
  constexpr const char* kOverlap = "calibrate: the held-out rows overlap those that are fitted to";
  EXPECT_EQ(with({scores.last(80), labels.last(40)}), "not refused");
  EXPECT_EQ(with({scores.last(82), labels.last(41)}), kOverlap);
  EXPECT_EQ(with({scores.first(120), labels.first(60)}), kOverlap);
  EXPECT_EQ(with({scores.subspan(20, 40), labels.subspan(10, 20)}), kOverlap);
  EXPECT_EQ(with({std::span(other.values).first(82), labels.last(41)}), kOverlap);
  const Rows three = labelled_rows::drawn(5, 100, 3, 2, 1);
  EXPECT_EQ(with({three.values, three.labels}),
            "calibrate: fitted rows have 2 labels, held-out ones 3, allowed are as many");
}

}  // namespace calibration_test
