// SPDX-License-Identifier: MIT
#include "logitkit/decide/sequence_head.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "labelled_rows.hpp"

namespace lk = logitkit;

namespace sequence_head_test {

using labelled_rows::refusal;
using Tokens = std::vector<lk::TokenId>;

/// A model of `width` tokens: every history has a row of its own.
std::vector<float> row_after(std::span<const lk::TokenId> tokens, std::size_t width) {
  std::uint64_t seed = 17;
  for (const lk::TokenId token : tokens) seed = seed * 1000003 + static_cast<std::uint64_t>(token) + 1;
  labelled_rows::Generator random(seed);
  std::vector<float> row;
  for (std::size_t i = 0; i < width; ++i) row.push_back(static_cast<float>(1.5 * random.normal()));
  return row;
}

long double logprob(const Tokens& tokens, std::size_t width) {
  long double sum = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::vector<float> row = row_after(std::span(tokens).first(i), width);
    const std::vector<double> scores(row.begin(), row.end());
    sum += std::log(labelled_rows::softmax(scores.data(), width, 1)[static_cast<std::size_t>(tokens[i])]);
  }
  return sum;
}

TEST(SequenceHead, SumsTheLogProbabilitiesOfItsTokens) {
  // after the prompt: a .5, b .25, else .25; after a: c .2; after b: c .8. a c = .1, b c = .2, b d = .05
  constexpr lk::TokenId kA = 1, kB = 2, kC = 3, kD = 4;
  const std::map<Tokens, std::vector<double>> model = {{{}, {.125, .5, .25, .0625, .0625}},
                                                       {{kA}, {.2, .2, .2, .2, .2}},
                                                       {{kB}, {.04, .03, .03, .7, .2}},
                                                       {{kB, kC}, {.5, .125, .125, .125, .125}}};
  std::vector<Tokens> asked;
  const auto row = [&](std::span<const lk::TokenId> beginning) {
    asked.emplace_back(beginning.begin(), beginning.end());
    std::vector<float> logits;
    for (const double p : model.at(asked.back())) logits.push_back(static_cast<float>(std::log(p)));
    return logits;
  };
  // ac: .5 * .2 = .1; bcd or bcb: .25 * .7 * (.125 + .125) = .04375; bd: .25 * .2 = .05; together .19375
  const std::vector<lk::SequenceOption> labels = {
      {"bd", {{kB, kD}}}, {"ac", {{kA, kC}}}, {"bc", {{kB, kC, kD}, {kB, kC, kB}}}};
  const lk::Decision d = lk::SequenceHead(labels).score(row);
  ASSERT_TRUE(d);
  EXPECT_EQ(d.best, 1);
  EXPECT_NEAR(d.probabilities[0], .05 / .19375, 1e-6);
  EXPECT_NEAR(d.probabilities[1], .1 / .19375, 1e-6);
  EXPECT_NEAR(d.probabilities[2], .04375 / .19375, 1e-6);
  EXPECT_NEAR(d.mass, .19375, 1e-6);
  // One row for each beginning, each right after the beginning that it continues.
  EXPECT_EQ(asked, (std::vector<Tokens>{{}, {kA}, {kB}, {kB, kC}}));

  // Per token: bd .05^(1/2), ac .1^(1/2), bc 2 * .021875^(1/3); the mass stays what the model would say
  const lk::Decision mean = lk::SequenceHead(labels, lk::SequenceScore::mean).score(row);
  const double scores[] = {std::sqrt(.05), std::sqrt(.1), 2 * std::cbrt(.021875)};
  EXPECT_NEAR(mean.probabilities[1], scores[1] / (scores[0] + scores[1] + scores[2]), 1e-6);
  EXPECT_NEAR(mean.mass, .19375, 1e-6);
}

TEST(SequenceHead, IsThatOfALongDoubleReference) {
  labelled_rows::Generator random(3);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t width = 3 + random.below(6);
    std::vector<lk::SequenceOption> labels(2 + random.below(4));
    std::vector<Tokens> all;
    const auto collides = [&](const Tokens& tokens) {
      return std::any_of(all.begin(), all.end(), [&](const Tokens& other) {
        const std::size_t n = std::min(other.size(), tokens.size());
        return std::equal(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n), other.begin());
      });
    };
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i].label = std::to_string(i);
      const std::size_t count = 1 + random.below(3);
      while (labels[i].spellings.size() < count) {
        Tokens tokens(3 + random.below(3));
        for (lk::TokenId& token : tokens) token = static_cast<lk::TokenId>(random.below(width));
        if (collides(tokens)) continue;
        all.push_back(tokens);
        labels[i].spellings.push_back(tokens);
      }
    }
    const bool mean = round % 2 == 1;
    std::vector<double> scores;
    std::set<Tokens> beginnings;
    long double mass = 0;
    for (const auto& [label, spellings] : labels) {
      long double pooled = 0;
      for (const Tokens& tokens : spellings) {
        const long double sum = logprob(tokens, width);
        mass += std::exp(sum);
        pooled += std::exp(mean ? sum / static_cast<long double>(tokens.size()) : sum);
        for (std::size_t n = 0; n < tokens.size(); ++n)
          beginnings.emplace(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
      }
      scores.push_back(static_cast<double>(std::log(pooled)));
    }
    std::size_t calls = 0;
    const lk::SequenceHead head(labels, mean ? lk::SequenceScore::mean : lk::SequenceScore::sum);
    const lk::Decision d = head.score(
        [&](std::span<const lk::TokenId> beginning) {
          ++calls;
          return row_after(beginning, width);
        },
        {.temperature = 1.5});
    ASSERT_EQ(calls, beginnings.size());
    ASSERT_NEAR(d.mass, static_cast<double>(mass), 1e-5);
    const auto expected = labelled_rows::softmax(scores.data(), scores.size(), 1.5);
    for (std::size_t j = 0; j < scores.size(); ++j)
      ASSERT_NEAR(d.probabilities[j], static_cast<double>(expected[j]), 1e-5);
  }
}

TEST(SequenceHead, WithSingleTokensIsTheDecisionHead) {
  const std::vector<float> row = row_after({}, 50);
  const lk::Decision one = lk::DecisionHead({{"a", {7, 12}}, {"b", {30, 3, 9}}, {"c", {20}}}).score(row);
  const lk::Decision other = lk::SequenceHead({{"a", {{7}, {12}}}, {"b", {{30}, {3}, {9}}}, {"c", {{20}}}})
                                 .score([&](std::span<const lk::TokenId>) -> lk::LogitsView { return row; });
  EXPECT_EQ(one.best, other.best);
  EXPECT_NEAR(one.mass, other.mass, 1e-14);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(one.probabilities[j], other.probabilities[j], 1e-14);
}

TEST(SequenceHead, HoldsTheWholeMassOfAllContinuations) {
  // 4 tokens, all 16 pairs
  std::vector<lk::SequenceOption> labels;
  for (lk::TokenId a = 0; a < 4; ++a) {
    labels.push_back({std::to_string(a), {}});
    for (lk::TokenId b = 0; b < 4; ++b) labels.back().spellings.push_back({a, b});
  }
  const auto model = [](std::span<const lk::TokenId> tokens) { return row_after(tokens, 4); };
  EXPECT_NEAR(lk::SequenceHead(labels).score(model).mass, 1, 1e-6);
}

TEST(SequenceHead, TellsWhatIsWrongWithARow) {
  const lk::SequenceHead head({{"a", {{1, 2}}}, {"b", {{2, 1}}}});
  const auto status = [&](float value, std::size_t width) {
    const std::vector<float> row(width, value);
    return head.score([&](std::span<const lk::TokenId> tokens) { return tokens.empty() ? std::vector<float>(4) : row; })
        .status;
  };
  EXPECT_EQ(status(0, 4), lk::Status::ok);
  EXPECT_EQ(status(0, 2), lk::Status::id_out_of_range);
  EXPECT_EQ(status(std::numeric_limits<float>::quiet_NaN(), 4), lk::Status::invalid_logits);
  EXPECT_EQ(status(-std::numeric_limits<float>::infinity(), 4), lk::Status::no_candidates);
}

TEST(SequenceHead, RefusesASpellingThatAnotherOneBeginsWith) {
  EXPECT_EQ(refusal([] {
              lk::SequenceHead({{"x", {{9}}}, {"positive", {{5, 6}}}, {"positively", {{5, 6, 7}}}});
            }),
            "SequenceHead: a spelling of label positively begins with all of one of label positive; "
            "end both with an end id");
  EXPECT_NE(refusal([] { lk::SequenceHead({{"x", {{9, 1}}}, {"y", {{9, 1}}}}); }), "not refused");
  EXPECT_EQ(refusal([] {
              lk::SequenceHead({{"x", {{9}}}, {"positive", {{5, 6, 2}}}, {"positively", {{5, 6, 7}}}});
            }),
            "not refused");
}

TEST(SequenceHead, RefusesWhatItCannotUse) {
  EXPECT_EQ(refusal([] {
              lk::SequenceHead({{"x", {{9}}}, {"y", {{}}}});
            }),
            "SequenceHead: label y has a spelling without tokens");
  EXPECT_EQ(refusal([] {
              lk::SequenceHead({{"x", {{9}}}, {"y", {{3, -2}}}});
            }),
            "SequenceHead: label y has the token -2, allowed is at least 0");
  EXPECT_EQ(refusal([] { lk::SequenceHead({{"x", {{9}}}, {"y", {}}}); }), "SequenceHead: label y has no spelling");
}

}  // namespace sequence_head_test
