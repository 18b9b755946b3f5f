// SPDX-License-Identifier: MIT
#include "logitkit/pipeline/check.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace check_test {

namespace lk = logitkit;
constexpr double kInf = std::numeric_limits<double>::infinity();

/// "severity code step key" of each finding, but of the engines' accidents.
std::vector<std::string> findings(const lk::Spec& spec, lk::BuildOptions options = {}) {
  std::vector<std::string> list;
  for (const lk::Diagnostic& d : lk::check(spec, options))
    if (d.code != "engine_deviation")
      list.push_back(std::string(lk::name(d.severity)) + " " + d.code + " " + std::to_string(d.step) +
                     (d.key.empty() ? "" : " " + d.key));
  return list;
}
using List = std::vector<std::string>;

lk::Spec spec_of(std::initializer_list<lk::Step> steps) { return {{steps}}; }

TEST(Check, HasNothingToSayAboutVllmsOrder) {
  EXPECT_EQ(findings(spec_of({lk::RepetitionPenalty(1.1), lk::FrequencyPenalty(0.5), lk::Temperature(0.7),
                              lk::MinP(0.05), lk::TopK(20), lk::TopP(0.8), lk::Multinomial()})),
            List{});
  EXPECT_EQ(findings({}), List{});
}

TEST(Check, RefusesAParameterOutsideItsRange) {
  lk::TopP top_p;
  top_p.p = 2;
  const auto found = lk::check(spec_of({lk::Temperature(0.7), top_p, lk::Multinomial()}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            (lk::Diagnostic{lk::Severity::error, "invalid_parameter", 1, "p", "top_p: p is 2, allowed is 0 to 1"}));
  EXPECT_EQ(found[0].text(), "step 1: top_p: p is 2, allowed is 0 to 1");
}

TEST(Check, RefusesAnEmptyAllowList) {
  EXPECT_EQ(findings(spec_of({lk::TopK(5), lk::ForceTokens()})), List{"error invalid_parameter 1 ids"});
}

TEST(Check, RefusesIdsAtOrPastTheRowsWidth) {
  const lk::Spec spec = spec_of({lk::BanTokens({3, 9, 10}), lk::RepetitionPenalty(2, {.exempt = {7, 12}})});
  EXPECT_EQ(findings(spec), List{});
  EXPECT_EQ(findings(spec, {.row_width = 13}), List{});
  EXPECT_EQ(findings(spec, {.row_width = 10}), (List{"error id_out_of_range 0 ids", "error id_out_of_range 1 exempt"}));
  EXPECT_EQ(lk::check(spec, {.row_width = 10})[0].message,
            "ban_tokens: id 10 is out of range, allowed is 0 to 9, below the row's width");
}

TEST(Check, RefusesASelectorThatIsNotLast) {
  EXPECT_EQ(findings(spec_of({lk::Multinomial(), lk::TopK(5), lk::Multinomial()})), List{"error selector_not_last 0"});
}

TEST(Check, WarnsOfMasksBansAndBiasesAfterATruncation) {
  EXPECT_EQ(
      findings(spec_of({lk::TopK(5), lk::BanTokens({3}), lk::LogitBias({{4, 1.5}}), lk::ForceTokens({6})})),
      (List{"warning mask_after_truncation 1", "warning mask_after_truncation 2", "warning mask_after_truncation 3"}));
  // A truncation that is off truncates nothing, a mask that is empty masks nothing.
  EXPECT_EQ(findings(spec_of({lk::TopK(0), lk::BanTokens({3})})), List{"note neutral 0"});
  EXPECT_EQ(findings(spec_of({lk::TopK(5), lk::BanTokens(lk::TokenIds{})})), List{"note neutral 1"});
}

TEST(Check, NotesATemperatureAfterATruncationAndWhoOrdersItSo) {
  const auto found = lk::check(spec_of({lk::MinP(0.1), lk::TopNSigma(2), lk::Temperature(0.7)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "temperature_after_truncation");
  EXPECT_EQ(found[0].severity, lk::Severity::note);
  EXPECT_EQ(found[0].step, 2);
  EXPECT_NE(found[0].message.find("step 0 (min_p)"), std::string::npos) << found[0].message;
  EXPECT_NE(found[0].message.find("llama.cpp"), std::string::npos) << found[0].message;
}

TEST(Check, NotesNeutralParameters) {
  EXPECT_EQ(findings(spec_of({lk::Temperature(1), lk::TopP(1), lk::MinP(0), lk::RepetitionPenalty(1),
                              lk::PresencePenalty(0), lk::FrequencyPenalty(0), lk::LogitBias(lk::TokenBiases{})})),
            (List{"note neutral 0", "note neutral 1", "note neutral 2", "note neutral 3", "note neutral 4",
                  "note neutral 5", "note neutral 6"}));
}

TEST(Check, WarnsOfASecondPenaltyOfOneKind) {
  EXPECT_EQ(findings(spec_of({lk::RepetitionPenalty(1.1), lk::PresencePenalty(0.5), lk::RepetitionPenalty(1.2),
                              lk::PresencePenalty(0)})),
            (List{"warning penalty_twice 2", "note neutral 3"}));
}

TEST(Check, WarnsWhereRepetitionsAreRequired) {
  EXPECT_EQ(findings(spec_of({lk::AllowMask(), lk::RepetitionPenalty(1.1), lk::NoRepeatNgram(3)})),
            (List{"warning repetition_meets_constraint 1", "warning repetition_meets_constraint 2"}));
  EXPECT_EQ(findings(spec_of({lk::AllowMask(), lk::RepetitionPenalty(1), lk::PresencePenalty(1)})),
            List{"note neutral 1"});
}

TEST(Check, RefusesAllowListsAndBansThatLeaveNothing) {
  EXPECT_EQ(findings(spec_of({lk::BanTokens({3, 4}), lk::ForceTokens({3, 4})})), List{"error nothing_allowed 1 ids"});
  EXPECT_EQ(findings(spec_of({lk::ForceTokens({3}), lk::LogitBias({{3, -kInf}})})),
            List{"error nothing_allowed 1 ids"});
  EXPECT_EQ(findings(spec_of({lk::ForceTokens({3, 4}), lk::ForceTokens({5, 6})})), List{"error nothing_allowed 1 ids"});
}

TEST(Check, WarnsWhereOneIdIsAllowedAndBanned) {
  EXPECT_EQ(findings(spec_of({lk::ForceTokens({3, 4}), lk::BanTokens({4, 9})})),
            List{"warning allowed_and_banned 1 ids"});
  EXPECT_EQ(lk::check(spec_of({lk::ForceTokens({3, 4}), lk::BanTokens({4, 9})}))[0].message,
            "ban_tokens: id 4 is both allowed and banned, so it is banned");
  // Bans beside the allow-list and finite biases contradict nothing; two allow-lists mean their intersection.
  EXPECT_EQ(findings(spec_of(
                {lk::ForceTokens({3, 4}), lk::BanTokens({9}), lk::LogitBias({{3, -5}}), lk::ForceTokens({4, 5})})),
            List{});
}

TEST(Check, NotesStepsThatGreedyDoesNotNeed) {
  // The penalty decides who is the largest, so the first top_k matters and what follows the penalty does not.
  EXPECT_EQ(findings(spec_of({lk::TopK(5), lk::RepetitionPenalty(1.1), lk::Temperature(0.5), lk::LogSoftmax(),
                              lk::TopP(0.9), lk::Greedy()})),
            (List{"note temperature_after_truncation 2", "note no_effect_before_greedy 2",
                  "note no_effect_before_greedy 3", "note no_effect_before_greedy 4"}));
}

/// "step key: message" of what engines do otherwise.
List deviations(const lk::Spec& spec) {
  List list;
  for (const lk::Diagnostic& d : lk::check(spec))
    if (d.code == "engine_deviation") {
      EXPECT_EQ(d.severity, lk::Severity::note);
      list.push_back(std::to_string(d.step) + " " + d.key + ": " + d.message);
    }
  return list;
}

TEST(Check, NotesThatTheEnginesLeaveTiesToASort) {
  EXPECT_EQ(deviations(spec_of({lk::TopK(5), lk::TopP(0.9)})),
            List{"0 ties: top_k: of equal logits at the cut the lower ids stay; Hugging Face and vLLM keep all of them "
                 "(ties \"keep\"), llama.cpp leaves it to its sort"});
  EXPECT_EQ(deviations(spec_of({lk::TopK(5, {.ties = lk::Ties::keep}), lk::TopP(0.9)})),
            List{"1 ties: top_p: of equal logits at the cut the lower ids stay; the engines leave it to their sort"});
  EXPECT_EQ(deviations(spec_of({lk::TopK(0), lk::TopP(1), lk::MinP(0.1)})), List{});
}

TEST(Check, NotesHuggingFacesShortHistoryAndId0) {
  const lk::SequenceBias hf({{{0}, 1.0}, {{4, 5}, 1.0}}, {.short_history = lk::ShortHistory::hf});
  const List found = deviations(spec_of({hf}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].substr(0, 45), "0 short_history: sequence_bias: a sequence of");
  EXPECT_EQ(found[1],
            "0 biases: sequence_bias: Hugging Face refuses id 0 in its list form; here it is a token like "
            "others");
  EXPECT_EQ(deviations(spec_of({lk::SequenceBias({{{0}, 1.0}, {{4, 5}, 1.0}})})), List{});
  EXPECT_EQ(deviations(spec_of({lk::BanSequences({{4}}, {.short_history = lk::ShortHistory::hf})})), List{});
}

TEST(Check, NotesWhereAnEngineComputesNaN) {
  const lk::ExponentialDecayLengthPenalty decay(3, 1.1);
  EXPECT_EQ(deviations(spec_of({lk::MinNewTokens(5), decay}))[0].substr(0, 36), "1 : exponential_decay_length_penalty");
  EXPECT_EQ(deviations(spec_of({decay, lk::MinNewTokens(5)})), List{});
  EXPECT_EQ(deviations(spec_of({lk::TopNSigma(2), lk::TypicalP(0.9)}))[0].substr(0, 24), "1 : typical_p: llama.cpp");
  EXPECT_EQ(deviations(spec_of({lk::TopNSigma(2), lk::TopK(5, {.ties = lk::Ties::keep}), lk::TypicalP(0.9)})), List{});
  EXPECT_EQ(deviations(spec_of({lk::Guidance(1.5)}))[0].substr(0, 12), "0 : guidance");
}

TEST(Check, NotesLlamaCppsStaleOrderAfterABias) {
  EXPECT_EQ(
      deviations(spec_of({lk::MinP(0.1), lk::LogitBias({{4, 1.0}})})),
      List{"1 : logit_bias: llama.cpp goes on with the order from before the bias; here the candidates are ranked "
           "again"});
}

TEST(Check, TakesACustomStepForAnything) {
  const auto custom = lk::step("mine", [](lk::Candidates&, const lk::StepView&) {});
  EXPECT_EQ(findings(spec_of({lk::TopK(5), custom, lk::Greedy()})), List{});
  // It may bring a banned token back, by materialize().
  EXPECT_EQ(findings(spec_of({lk::BanTokens({3}), custom, lk::ForceTokens({3})})), List{});
}

}  // namespace check_test
