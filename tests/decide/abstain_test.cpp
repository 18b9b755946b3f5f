// SPDX-License-Identifier: MIT
#include "logitkit/decide/abstain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "labelled_rows.hpp"
#include "logitkit/decide/head.hpp"

namespace lk = logitkit;

namespace abstain_test {

using labelled_rows::refusal;
using labelled_rows::Rows;

TEST(AbstainRule, AnswersFromItsThresholdOn) {
  const std::vector<double> p = {.25, .625, .125};
  EXPECT_TRUE(lk::AbstainRule::probability(.625).answers(p));
  EXPECT_FALSE(lk::AbstainRule::probability(.626).answers(p));
  EXPECT_TRUE(lk::AbstainRule::margin(.375).answers(p));
  EXPECT_FALSE(lk::AbstainRule::margin(.376).answers(p));
  const double entropy = .25 * std::log(4.0) + .625 * std::log(1.6) + .125 * std::log(8.0);
  EXPECT_TRUE(lk::AbstainRule::entropy(entropy + 1e-12).answers(p));
  EXPECT_FALSE(lk::AbstainRule::entropy(entropy - 1e-12).answers(p));
  EXPECT_TRUE(lk::AbstainRule::entropy(0).answers(std::vector<double>{0, 1, 0}));
}

TEST(AbstainRule, JudgesADecision) {
  const lk::DecisionHead head({{"a", {2}}, {"b", {1}}, {"c", {3}}});
  const lk::Decision d = head.score(std::vector<float>{0, 2, 1.5f, 1, 0});
  EXPECT_TRUE(lk::AbstainRule::probability(.5).answers(d));  // .506 .307 .186
  EXPECT_FALSE(lk::AbstainRule::probability(.51).answers(d));
  // Exactly the decision's own figures.
  EXPECT_TRUE(lk::AbstainRule::margin(d.margin).answers(d));
  EXPECT_TRUE(lk::AbstainRule::entropy(d.entropy).answers(d));
}

TEST(AbstainRule, NeverAnswersAFailedDecision) {
  const lk::DecisionHead head({{"a", {2}}, {"b", {1}}});
  const lk::Decision failed = head.score(std::vector<float>{0, NAN, 1});
  EXPECT_FALSE(lk::AbstainRule::probability(0).answers(failed));
  EXPECT_FALSE(lk::AbstainRule::entropy(100).answers(failed));
}

TEST(AbstainRule, RefusesAThresholdOutOfRange) {
  EXPECT_EQ(refusal([] { lk::AbstainRule::probability(1.5); }), "AbstainRule: threshold is 1.5, allowed is 0 to 1");
  EXPECT_EQ(refusal([] { lk::AbstainRule::margin(-0.1); }), "AbstainRule: threshold is -0.1, allowed is 0 to 1");
  EXPECT_EQ(refusal([] { lk::AbstainRule::entropy(-1); }),
            "AbstainRule: threshold is -1, allowed is at least 0 and finite");
  EXPECT_NE(refusal([] { lk::AbstainRule::entropy(NAN); }), "not refused");
}

TEST(CoverageAccuracy, IsTheCurveOfAHand) {
  // Confidence and outcome: .875 right, .75 right, .75 wrong, .625 right, .5 wrong (a tie: the first label answers)
  const std::vector<double> p = {.25, .75, .125, .875, .5, .5, .75, .25, .375, .625};
  const std::vector<int> labels = {1, 1, 1, 1, 1};
  const std::vector<lk::CoveragePoint> expected = {
      {.875, .2, 1}, {.75, .6, 2 / 3.0}, {.625, .8, 3 / 4.0}, {.5, 1, 3 / 5.0}};
  EXPECT_EQ(lk::coverage_accuracy(p, labels), expected);
  // With two labels all three measures rank alike: margin 2 p - 1.
  const auto by_margin = lk::coverage_accuracy(p, labels, lk::Certainty::margin);
  ASSERT_EQ(by_margin.size(), 4u);
  EXPECT_EQ(by_margin[1], (lk::CoveragePoint{.5, .6, 2 / 3.0}));
  const auto by_entropy = lk::coverage_accuracy(p, labels, lk::Certainty::entropy);
  ASSERT_EQ(by_entropy.size(), 4u);
  EXPECT_NEAR(by_entropy[3].threshold, std::log(2.0), 1e-15);
  EXPECT_EQ(by_entropy[2].accuracy, 3 / 4.0);
}

constexpr lk::Certainty kMeasures[] = {lk::Certainty::probability, lk::Certainty::margin, lk::Certainty::entropy};

/// What the rule really gives.
lk::CoveragePoint outcome(const Rows& rows, const lk::AbstainRule& rule) {
  std::size_t answered = 0, right = 0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i)
    if (rule.answers(std::span(rows.values).subspan(i * rows.k, rows.k))) {
      ++answered;
      right += static_cast<int>(labelled_rows::best(rows, i)) == rows.labels[i] ? 1 : 0;
    }
  return {rule.threshold(), static_cast<double>(answered) / static_cast<double>(rows.labels.size()),
          answered == 0 ? NAN : static_cast<double>(right) / static_cast<double>(answered)};
}

TEST(CoverageAccuracy, SaysWhatEachRuleWouldGive) {
  labelled_rows::Generator random(1);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Rows rows = labelled_rows::eighths(seed, 1 + random.below(50), 2 + random.below(4));
    for (const lk::Certainty by : kMeasures) {
      const auto curve = lk::coverage_accuracy(rows.values, rows.labels, by);
      double before = 0;
      for (const lk::CoveragePoint& point : curve) {
        ASSERT_EQ(point, outcome(rows, lk::AbstainRule(by, point.threshold)));
        ASSERT_GT(point.coverage, before);
        before = point.coverage;
      }
      ASSERT_EQ(before, 1);
    }
  }
}

TEST(FitAbstainRule, AnswersMostOfThoseThatAreAccurateEnough) {
  labelled_rows::Generator random(2);
  int fitted = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::size_t k = 2 + random.below(4);
    const Rows fit = labelled_rows::eighths(seed, 1 + random.below(50), k);
    const Rows held_out = labelled_rows::eighths(seed + 5000, 1 + random.below(50), k);
    const lk::Certainty by = kMeasures[seed % 3];
    const double wanted = random.unit();
    // Each certainty that occurs, tried as a threshold.
    double most = 0;
    for (std::size_t i = 0; i < fit.labels.size(); ++i) {
      const auto row = std::span<const double>(fit.values).subspan(i * k, k);
      const lk::CoveragePoint point = outcome(fit, lk::AbstainRule(by, lk::detail::certainty_of(by, row)));
      if (point.accuracy >= wanted) most = std::max(most, point.coverage);
    }
    const auto run = [&] {
      return lk::fit_abstain_rule({fit.values, fit.labels}, {held_out.values, held_out.labels}, wanted, by);
    };
    if (most == 0) {
      ASSERT_NE(refusal(run), "not refused");
      continue;
    }
    ++fitted;
    const lk::AbstainFit found = run();
    ASSERT_EQ(found.fitted.coverage, most);
    ASSERT_GE(found.fitted.accuracy, wanted);
    ASSERT_EQ(found.fitted, outcome(fit, found.rule));
    const lk::CoveragePoint expected = outcome(held_out, found.rule);
    ASSERT_EQ(found.held_out.coverage, expected.coverage);
    if (expected.coverage > 0) {
      ASSERT_EQ(found.held_out.accuracy, expected.accuracy);
    } else {
      ASSERT_TRUE(std::isnan(found.held_out.accuracy));
    }
  }
  EXPECT_GT(fitted, 300);
}

TEST(FitAbstainRule, RefusesWhatItCannotFit) {
  const std::vector<double> p = {.25, .75, .125, .875, .5, .5, .75, .25};
  const std::vector<int> wrong = {0, 0, 1, 1}, right = {1, 1, 1, 1};
  const std::span<const double> values = p;
  const std::span<const int> all_wrong = wrong, all_right = right;
  EXPECT_EQ(refusal([&] {
              lk::fit_abstain_rule({values.first(4), all_wrong.first(2)}, {values.last(4), all_wrong.last(2)}, .9);
            }),
            "fit_abstain_rule: no threshold has an accuracy of 0.9");
  EXPECT_EQ(refusal([&] {
              lk::fit_abstain_rule({values.first(6), all_right.first(3)}, {values.last(4), all_right.last(2)}, .9);
            }),
            "fit_abstain_rule: the held-out rows overlap those that are fitted to");
  EXPECT_EQ(refusal([&] {
              lk::fit_abstain_rule({values.first(4), all_right.first(2)}, {values.last(4), all_right.last(2)}, 1.5);
            }),
            "fit_abstain_rule: wanted_accuracy is 1.5, allowed is 0 to 1");
}

}  // namespace abstain_test
