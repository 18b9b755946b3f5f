// SPDX-License-Identifier: MIT
// The first set of steps, case by case as a specification; random chains are compared with the plain program elsewhere.
#include <gtest/gtest.h>

#include <cmath>

#include "logitkit/logitkit.hpp"

namespace first_steps_test {

namespace lk = logitkit;
constexpr float kOut = -std::numeric_limits<float>::infinity();
using Row = std::vector<float>;

/// The row after one step; prompt {1, 2}, output {2, 4, 4}.
Row after(const lk::Step& step, const Row& row) {
  lk::Request request({1, 2}, {.seed = 1});
  for (const int id : {2, 4, 4}) request.accept(id);
  return lk::Chain({step}).process(row, request);
}
const Row kWorked{3.0f, 2.4f, 2.0f, 1.0f, 0.4f, -0.5f};

std::string error_of(auto make) {
  try {
    make();
  } catch (const lk::InvalidParameter& e) {
    return e.what();
  }
  return "";
}

TEST(Temperature, IsATrueDivision) {
  EXPECT_EQ(after(lk::Temperature(0.7), {1, 3, kOut}), (Row{1 / 0.7f, 3 / 0.7f, kOut}));
}
TEST(Temperature, OneChangesNoBit) { EXPECT_EQ(after(lk::Temperature(1), kWorked), kWorked); }
TEST(Temperature, OfAlmostZeroLeavesTheBestWithAllTheMass) {
  const lk::Request request({1}, {.seed = 1});
  const lk::Pick pick = (lk::Temperature(1e-30) | lk::Multinomial()).pick(Row{-100, 99, 100, -100}, request);
  EXPECT_EQ(pick.token, 2);
}
TEST(Temperature, NamesTheLowestIdThatOverflows) {
  const lk::Request request({1}, {.seed = 1});
  const lk::Pick pick = (lk::TopK(3) | lk::Temperature(1e-30) | lk::Greedy()).pick(Row{1, 2, 3e20f, 4e20f, 0}, request);
  EXPECT_EQ(pick.status, lk::Status::overflow);
  EXPECT_EQ(pick.step, 1);
  EXPECT_EQ(pick.id, 2);
  EXPECT_EQ(pick.token, lk::kNoToken);
}
TEST(Temperature, NamesParameterValueAndRange) {
  EXPECT_EQ(error_of([] { lk::Temperature(0); }), "temperature: temperature is 0, allowed is 1e-30 to 3e+38");
  EXPECT_NE(error_of([] { lk::Temperature(std::nan("")); }), "");
}

TEST(TopK, KeepsExactlyKByLogitThenId) {
  EXPECT_EQ(after(lk::TopK(2), {1, 5, 3, 5, 5}), (Row{kOut, 5, kOut, 5, kOut}));
}
TEST(TopK, KeepsAllTiesOfTheLastIfAsked) {
  EXPECT_EQ(after(lk::TopK(2, {.ties = lk::Ties::keep}), {1, 5, 3, 5, 5}), (Row{kOut, 5, kOut, 5, 5}));
}
TEST(TopK, ZeroIsOffAndMoreThanThereAreKeepsAll) {
  EXPECT_EQ(after(lk::TopK(0), kWorked), kWorked);
  EXPECT_EQ(after(lk::TopK(100), {1, kOut, 3}), (Row{1, kOut, 3}));
}
TEST(TopK, KeepsAtLeastMinKeep) { EXPECT_EQ(after(lk::TopK(1, {.min_keep = 2}), {1, 2, 3}), (Row{kOut, 2, 3})); }

// softmax of the worked row: 0.465 0.255 0.171 0.063 0.035 0.014; running sums 0.465 0.720 0.891 0.954
TEST(TopP, KeepsTheTokenThatCrossesP) {
  EXPECT_EQ(after(lk::TopP(0.9), kWorked), (Row{3.0f, 2.4f, 2.0f, 1.0f, kOut, kOut}));
}
// two equal logits: each holds exactly half, so at p = 0.5 the first alone reaches it
TEST(TopP, AddsNoneOnEquality) { EXPECT_EQ(after(lk::TopP(0.5), {kOut, 7, 7}), (Row{kOut, 7, kOut})); }
TEST(TopP, OneChangesNoBitEvenWhereExpUnderflows) { EXPECT_EQ(after(lk::TopP(1), {0, 200, 5}), (Row{0, 200, 5})); }
TEST(TopP, ZeroKeepsMinKeep) {
  EXPECT_EQ(after(lk::TopP(0), kWorked), (Row{3.0f, kOut, kOut, kOut, kOut, kOut}));
  EXPECT_EQ(after(lk::TopP(0, {.min_keep = 2}), kWorked), (Row{3.0f, 2.4f, kOut, kOut, kOut, kOut}));
}

// max + ln(0.1) = 3 - 2.303 = 0.697
TEST(MinP, KeepsWhatHasAShareOfTheBest) {
  EXPECT_EQ(after(lk::MinP(0.1), kWorked), (Row{3.0f, 2.4f, 2.0f, 1.0f, kOut, kOut}));
}
TEST(MinP, OneKeepsTheMaximumAndItsTies) { EXPECT_EQ(after(lk::MinP(1), {1, 5, 5, 2}), (Row{kOut, 5, 5, kOut})); }
TEST(MinP, ZeroChangesNoBit) { EXPECT_EQ(after(lk::MinP(0), kWorked), kWorked); }
TEST(MinP, RefusesValuesOutsideItsRange) {
  EXPECT_EQ(error_of([] { lk::MinP(1.5); }), "min_p: p is 1.5, allowed is 0 to 1");
}

TEST(RepetitionPenalty, DividesPositiveAndMultipliesOtherLogitsOncePerToken) {  // seen: 1, 2, 4
  EXPECT_EQ(after(lk::RepetitionPenalty(2), {8, 8, -8, 8, 0}), (Row{8, 4, -16, 8, 0}));
}
TEST(RepetitionPenalty, CountsItsScopeWindowAndExemptions) {
  EXPECT_EQ(after(lk::RepetitionPenalty(2, {.scope = lk::Scope::prompt}), {8, 8, 8, 8, 8}), (Row{8, 4, 4, 8, 8}));
  EXPECT_EQ(after(lk::RepetitionPenalty(2, {.window = 2}), {8, 8, 8, 8, 8}), (Row{8, 8, 8, 8, 4}));
  EXPECT_EQ(after(lk::RepetitionPenalty(2, {.prompt_ignore_length = 2}), {8, 8, 8, 8, 8}), (Row{8, 8, 4, 8, 4}));
  EXPECT_EQ(after(lk::RepetitionPenalty(2, {.exempt = {4}}), {8, 8, 8, 8, 8}), (Row{8, 4, 4, 8, 8}));
}
TEST(FrequencyPenalty, SubtractsPerOccurrenceInTheOutput) {  // output: 2 once, 4 twice
  EXPECT_EQ(after(lk::FrequencyPenalty(0.5), {1, 1, 1, 1, 1}), (Row{1, 1, 0.5f, 1, 0}));
}
TEST(PresencePenalty, SubtractsOnce) {
  EXPECT_EQ(after(lk::PresencePenalty(0.5), {1, 1, 1, 1, 1}), (Row{1, 1, 0.5f, 1, 0.5f}));
}
TEST(PresencePenalty, BelowZeroRewards) {
  EXPECT_EQ(after(lk::PresencePenalty(-1), {1, 1, 1, 1, 1}), (Row{1, 1, 2, 1, 2}));
}
TEST(Penalties, LeaveRemovedTokensRemoved) {
  EXPECT_EQ(after(lk::FrequencyPenalty(-2), {1, 1, kOut, 1, kOut}), (Row{1, 1, kOut, 1, kOut}));
}
TEST(Penalties, PassOverHistoryOutsideTheRow) {
  lk::Request request({-200, 99}, {.seed = 1});
  EXPECT_EQ(lk::Chain({lk::RepetitionPenalty(2)}).process(Row{1, 2, 3}, request), (Row{1, 2, 3}));
}

TEST(LogitBias, AddsAndBans) {
  EXPECT_EQ(after(lk::LogitBias({{1, 2.5}, {3, -std::numeric_limits<double>::infinity()}}), {1, 1, 1, 1}),
            (Row{1, 3.5f, 1, kOut}));
}
TEST(LogitBias, ReviveNothing) { EXPECT_EQ(after(lk::LogitBias({{1, 50}}), {1, kOut, 2}), (Row{1, kOut, 2})); }
TEST(LogitBias, RefusesNaNInfinityAndAnIdTwice) {
  EXPECT_NE(error_of([] { lk::LogitBias({{1, std::numeric_limits<double>::infinity()}}); }), "");
  EXPECT_NE(error_of([] { lk::LogitBias({{1, 1.0}, {1, 2.0}}); }).find("names id 1 twice"), std::string::npos);
}
TEST(BanTokens, RemovesThem) { EXPECT_EQ(after(lk::BanTokens({2, 1}), {1, 2, 3, 4}), (Row{1, kOut, kOut, 4})); }
TEST(BanTokens, OfAllIsAnErrorThatNamesTheStep) {
  const lk::Request request({1}, {.seed = 1});
  const lk::Pick pick = (lk::Temperature(2) | lk::BanTokens({0, 1, 2}) | lk::Greedy()).pick(Row{1, 2, 3}, request);
  EXPECT_EQ(pick.status, lk::Status::no_candidates);
  EXPECT_EQ(pick.step, 1);
  EXPECT_EQ(pick.token, lk::kNoToken);
  EXPECT_NE(pick.message().find("step 1 (ban_tokens)"), std::string::npos) << pick.message();
}
TEST(ForceTokens, KeepsOnlyTheseWithTheirLogits) {
  EXPECT_EQ(after(lk::ForceTokens({1, 3}), {1, 2, 3, 4}), (Row{kOut, 2, kOut, 4}));
}
TEST(ForceTokens, OfOneHasProbabilityOne) {
  const lk::Request request({1}, {.seed = 1});
  const lk::Pick pick = (lk::ForceTokens({1}) | lk::Multinomial()).pick(Row{100, -5, 100}, request, {.logprob = true});
  EXPECT_EQ(pick.token, 1);
  EXPECT_EQ(pick.logprob, 0.0f);
}
TEST(ForceTokens, RefusesAnEmptyList) {
  EXPECT_NE(error_of([] { lk::ForceTokens(lk::TokenIds{}); }).find("ids is empty"), std::string::npos);
}
TEST(LogSoftmax, GivesLogProbabilities) {
  const Row out = after(lk::LogSoftmax(), {1, 2, kOut, 3});
  long double sum = 0;
  for (const float x : {1.0f, 2.0f, 3.0f}) sum += std::exp(static_cast<long double>(x));
  EXPECT_NEAR(out[1], static_cast<double>(2 - std::log(sum)), 1e-6);
  EXPECT_EQ(out[2], kOut);
}
TEST(Steps, RefuseIdsPastTheRow) {
  const lk::Request request({1}, {.seed = 1});
  const lk::Pick pick = (lk::TopK(2) | lk::BanTokens({1, 7}) | lk::Greedy()).pick(Row{1, 2, 3}, request);
  EXPECT_EQ(pick.status, lk::Status::id_out_of_range);
  EXPECT_EQ(pick.step, 1);
  EXPECT_EQ(pick.id, 7);
}

}  // namespace first_steps_test
