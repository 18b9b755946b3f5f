// SPDX-License-Identifier: MIT
#include "logitkit/decide/head.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "labelled_rows.hpp"
#include "logitkit/numeric/simd/dispatch.hpp"

namespace lk = logitkit;

namespace decision_head_test {

using labelled_rows::refusal;

constexpr float kMasked = -std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Logits whose softmax is `probabilities`.
std::vector<float> row_of(const std::vector<double>& probabilities) {
  std::vector<float> row;
  for (const double p : probabilities) row.push_back(static_cast<float>(std::log(p)));
  return row;
}

const lk::DecisionHead kHead({{"no", {4}}, {"yes", {1, 3}}, {"maybe", {2}}});
const std::vector<float> kRow = row_of({0.2, 0.25, 0.1, 0.15, 0.1, 0.2});

TEST(DecisionHead, SharesTheProbabilityOfItsTokens) {
  // no .1, yes .25 + .15 = .4, maybe .1: .6 of the row; 1/6, 2/3, 1/6
  const lk::Decision d = kHead.score(kRow);
  ASSERT_TRUE(d);
  EXPECT_EQ(d.best, 1);
  EXPECT_NEAR(d.mass, 0.6, 2e-6);
  ASSERT_EQ(d.probabilities.size(), 3u);
  EXPECT_NEAR(d.probabilities[0], 1 / 6.0, 1e-6);
  EXPECT_NEAR(d.probabilities[1], 2 / 3.0, 1e-6);
  EXPECT_NEAR(d.probabilities[2], 1 / 6.0, 1e-6);
  EXPECT_NEAR(d.margin, 0.5, 1e-6);
  // 2/3 ln(3/2) + 2 * 1/6 ln 6
  EXPECT_NEAR(d.entropy, 2 / 3.0 * std::log(1.5) + std::log(6.0) / 3, 1e-6);
  EXPECT_NEAR(d.scores[1], std::log(0.4), 2e-6);
}

TEST(DecisionHead, DividesTheScoresByTheTemperature) {
  // 1 : 4 : 1 at T = 2 becomes 1 : 2 : 1; the mass is the row's, whatever the temperature
  const lk::Decision d = kHead.score(kRow, {.temperature = 2});
  EXPECT_NEAR(d.probabilities[1], 0.5, 1e-6);
  EXPECT_NEAR(d.mass, 0.6, 2e-6);
  EXPECT_EQ(d.scores, kHead.score(kRow).scores);
  // 1 : 16 : 1
  EXPECT_NEAR(kHead.score(kRow, {.temperature = 0.5}).probabilities[1], 16 / 18.0, 1e-6);
  EXPECT_EQ(kHead.score(kRow, {.temperature = 1e-30}).probabilities, (std::vector<double>{0, 1, 0}));
}

TEST(DecisionHead, DividesByTheContentFreeProbabilities) {
  // The prompt alone says yes with 2/3. Where the row does too, the text has added nothing.
  const lk::Decision neutral = kHead.score(kRow);
  const lk::Decision same = kHead.score(kRow, {.content_free = neutral.scores});
  for (const double p : same.probabilities) EXPECT_NEAR(p, 1 / 3.0, 1e-15);
  // no .2 / .1 = 2, yes .4 / .4 = 1, maybe .3 / .1 = 3: 1/3, 1/6, 1/2
  const lk::Decision d = lk::DecisionHead({{"no", {4}}, {"maybe", {2}}, {"yes", {1, 3}}})
                             .score(row_of({0.05, 0.3, 0.3, 0.1, 0.2, 0.05}),
                                    {.content_free = std::vector<double>{std::log(.1), std::log(.1), std::log(.4)}});
  EXPECT_EQ(d.best, 1);
  EXPECT_NEAR(d.probabilities[0], 1 / 3.0, 1e-6);
  EXPECT_NEAR(d.probabilities[1], 1 / 2.0, 1e-6);
  EXPECT_NEAR(d.mass, 0.9, 2e-6);
}

TEST(DecisionHead, IsThatOfALongDoubleReferenceForEveryRowType) {
  labelled_rows::Generator random(11);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t width = 125 + random.below(300);
    const double spread = round % 3 == 0 ? 0.3 : round % 3 == 1 ? 3 : 12;
    std::vector<lk::float16> half;
    std::vector<float> row;
    for (std::size_t i = 0; i < width; ++i) {
      half.emplace_back(random.unit() < 0.2 ? kMasked : static_cast<float>(spread * random.normal()));
      row.push_back(half.back());
    }
    // 2 to 6 labels of 1 to 4 spellings, tokens 5, 10, 15, ..., 120 at most
    std::vector<lk::DecisionOption> labels(2 + random.below(5));
    lk::TokenId token = 0;
    std::vector<double> pooled;
    const auto total = labelled_rows::softmax(std::vector<double>(row.begin(), row.end()).data(), width, 1);
    for (auto& [name, spellings] : labels) {
      name = std::to_string(token);
      long double sum = 0;
      for (std::size_t n = 1 + random.below(4); n > 0; --n) {
        spellings.push_back(token += 5);
        sum += total[static_cast<std::size_t>(token)];
      }
      pooled.push_back(static_cast<double>(std::log(sum)));
    }
    const double temperature = 0.2 + 5 * random.unit();
    const lk::Decision d = lk::DecisionHead(labels).score(row, {.temperature = temperature});
    const auto best = std::max_element(pooled.begin(), pooled.end());
    if (*best == -INFINITY) {
      ASSERT_EQ(d.status, lk::Status::no_candidates);
      ASSERT_EQ(d.best, lk::kNoLabel);
      continue;
    }
    const auto p = labelled_rows::softmax(pooled.data(), pooled.size(), temperature);
    long double mass = 0, entropy = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      mass += std::exp(static_cast<long double>(pooled[j]));
      entropy -= p[j] > 0 ? p[j] * std::log(p[j]) : 0;
      ASSERT_NEAR(d.probabilities[j], static_cast<double>(p[j]), 1e-12);
    }
    auto sorted = p;
    std::sort(sorted.rbegin(), sorted.rend());
    ASSERT_EQ(d.best, best - pooled.begin());
    ASSERT_NEAR(d.mass, static_cast<double>(mass), 2e-6);
    ASSERT_NEAR(d.entropy, static_cast<double>(entropy), 1e-12);
    ASSERT_NEAR(d.margin, static_cast<double>(sorted[0] - sorted[1]), 1e-12);
    // A row of 16-bit floats is the same as their values.
    ASSERT_EQ(lk::DecisionHead(labels).score(half, {.temperature = temperature}).probabilities, d.probabilities);
  }
}

TEST(DecisionHead, GivesTheSameBitsOnEveryInstructionSet) {
  const lk::Decision here = kHead.score(kRow, {.temperature = 1.7});
  const lk::ScopedIsa scalar(lk::Isa::scalar);
  const lk::Decision there = kHead.score(kRow, {.temperature = 1.7});
  EXPECT_EQ(here.probabilities, there.probabilities);
  EXPECT_EQ(here.mass, there.mass);
}

TEST(DecisionHead, TakesTheFirstOfEqualLabels) {
  const lk::DecisionHead head({{"a", {4}}, {"b", {2}}, {"c", {1}}, {"d", {3}}});
  const lk::Decision d = head.score(std::vector<float>{0, 3, 3, 1, 2});
  EXPECT_EQ(d.best, 1);
  EXPECT_EQ(d.margin, 0);
}

TEST(DecisionHead, LeavesOutMaskedSpellings) {
  std::vector<float> row = kRow;
  row[3] = kMasked;  // the second spelling of yes: .1 : .25 : .1
  EXPECT_NEAR(kHead.score(row).probabilities[1], 0.25 / 0.45, 1e-6);
  row[1] = kMasked;  // both
  EXPECT_EQ(kHead.score(row).probabilities, (std::vector<double>{0.5, 0, 0.5}));
  EXPECT_EQ(kHead.score(row).scores[1], -std::numeric_limits<double>::infinity());
}

TEST(DecisionHead, NeverMakesUpALabel) {
  const auto check = [](const lk::Decision& d, lk::Status status) {
    EXPECT_FALSE(d);
    EXPECT_EQ(d.status, status);
    EXPECT_EQ(d.best, lk::kNoLabel);
    EXPECT_TRUE(d.probabilities.empty());
  };
  std::vector<float> row = kRow;
  row[5] = kNaN;  // no label's token, but the mass would be NaN
  check(kHead.score(row), lk::Status::invalid_logits);
  row[5] = std::numeric_limits<float>::infinity();
  check(kHead.score(row), lk::Status::invalid_logits);
  check(kHead.score(std::vector<float>(6, kMasked)), lk::Status::no_candidates);
  check(kHead.score(std::vector<float>(4, 1.0f)), lk::Status::id_out_of_range);
  check(kHead.score(std::vector<float>{}), lk::Status::id_out_of_range);
}

TEST(DecisionHead, RefusesLabelsThatOneRowCannotTellApart) {
  EXPECT_EQ(refusal([] {
              lk::DecisionHead({{"no", {5}}, {"positive", {7, 9}}, {"positively", {9}}});
            }),
            "DecisionHead: labels positive and positively both begin with token 9, which one row cannot tell apart");
  EXPECT_EQ(refusal([] {
              lk::DecisionHead({{"no", {5}}, {"yes", {7, 7}}});
            }),
            "DecisionHead: labels yes and yes both begin with token 7, which one row cannot tell apart");
}

TEST(DecisionHead, RefusesWhatItCannotUse) {
  EXPECT_EQ(refusal([] {
              lk::DecisionHead({{"no", {5}}});
            }),
            "DecisionHead: there are 1 labels, allowed is at least 2");
  EXPECT_EQ(refusal([] { lk::DecisionHead({{"no", {5}}, {"yes", {}}}); }), "DecisionHead: label yes has no spelling");
  EXPECT_EQ(refusal([] { lk::DecisionHead({{"no", {5}}, {"no", {6}}}); }), "DecisionHead: label no is there twice");
  EXPECT_EQ(refusal([] {
              lk::DecisionHead({{"no", {5}}, {"yes", {-1}}});
            }),
            "DecisionHead: label yes has the token -1, allowed is at least 0");
  EXPECT_EQ(refusal([] { kHead.score(kRow, {.temperature = 0}); }),
            "DecisionHead: temperature is 0, allowed is 1e-30 to 3e+38");
  EXPECT_NE(refusal([] { kHead.score(kRow, {.temperature = kNaN}); }), "not refused");
  const std::vector<double> two(2, 0.0), masked = {0, -INFINITY, 0};
  EXPECT_EQ(refusal([&] { kHead.score(kRow, {.content_free = two}); }),
            "DecisionHead: content_free has 2 scores, allowed are 3, one a label, or none");
  EXPECT_NE(refusal([&] { kHead.score(kRow, {.content_free = masked}); }), "not refused");
}

}  // namespace decision_head_test
