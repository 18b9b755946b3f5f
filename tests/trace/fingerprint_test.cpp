// SPDX-License-Identifier: MIT
#include "logitkit/trace/fingerprint.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace fingerprint_test {

namespace lk = logitkit;

// These values are in logs and cache keys. A change of one needs another kFingerprintVersion.
TEST(Fingerprint, OfASpecIsFnv1aOverItsNormalForm) {
  const lk::Spec spec = (lk::Temperature(0.7) | lk::TopP(1) | lk::TopK(20) | lk::Multinomial()).spec();
  EXPECT_EQ(lk::normal_form(spec),
            "temperature temperature=0.699999988079071\ntop_k k=20 ties=\"exact\" min_keep=1\nmultinomial\n");
  EXPECT_EQ(lk::fingerprint(spec), 0xe5d6bf0c7717e4ffu);  // python3, FNV-1a by its definition
  EXPECT_EQ(lk::kFingerprintVersion, 1u);
}

TEST(Fingerprint, DoesNotSeeRoundingDefaultsAndNeutralSteps) {
  const lk::Spec spec = (lk::RepetitionPenalty(1.1) | lk::LogitBias({{3, 0.1}}) | lk::Greedy()).spec();
  const lk::Spec same = (lk::RepetitionPenalty(static_cast<double>(1.1f), {.window = 0}) | lk::Temperature(1) |
                         lk::LogitBias({{3, static_cast<double>(0.1f)}}) | lk::Greedy())
                            .spec();
  EXPECT_EQ(lk::normal_form(spec), lk::normal_form(same));
  EXPECT_EQ(lk::fingerprint(spec), lk::fingerprint(same));
}

TEST(Fingerprint, SeesOrderParametersAndThresholdsInDouble) {
  const auto of = [](const lk::Chain& chain) { return lk::fingerprint(chain.spec()); };
  EXPECT_NE(of(lk::TopK(2) | lk::TopP(0.5)), of(lk::TopP(0.5) | lk::TopK(2)));
  EXPECT_NE(of(lk::TopK(2) | lk::TopP(0.5)), of(lk::TopK(2) | lk::TopP(0.5000000001)));
  EXPECT_NE(of(lk::Chain{} | lk::TopK(2)), of(lk::Chain{} | lk::TopK(2, {.ties = lk::Ties::keep})));
}

TEST(Fingerprint, WritesListsInFull) {
  lk::TokenIds ids;
  for (lk::TokenId id = 1; id <= 10; ++id) ids.push_back(id);
  EXPECT_EQ(lk::normal_form((lk::Chain{} | lk::BanTokens(ids)).spec()), "ban_tokens ids=[1,2,3,4,5,6,7,8,9,10]\n");
  EXPECT_EQ(lk::normal_form((lk::Chain{} | lk::SequenceBias({{{1, 2}, -INFINITY}, {{3}, 0.5}})).spec()),
            "sequence_bias biases=[[1,2]:-inf,[3]:0.5] short_history=\"match\"\n");
}

TEST(Fingerprint, OfACustomStepIsThatOfItsName) {
  const auto nothing = [](lk::Candidates&, const lk::StepView&) {};
  EXPECT_EQ(lk::normal_form((lk::Chain{} | lk::step("a \"b\"", nothing)).spec()), "custom name=\"a \\\"b\\\"\"\n");
  EXPECT_THROW(lk::fingerprint((lk::Chain{} | nothing).spec()), lk::SpecError);
}

TEST(Fingerprint, OfAConstraintIsThatOfSourceAndVocabulary) {
  const std::vector<std::string> tokens = {"a", "b", "c", "ab", "<end>"};
  const lk::Vocabulary vocabulary(tokens, {.special_ids = {4}, .end_ids = {4}});
  const lk::Vocabulary other(tokens, {.size = 9, .special_ids = {4}, .end_ids = {4}});
  const auto of = [](const lk::Vocabulary& v, const char* pattern) {
    return lk::fingerprint(lk::compile_regex(v, pattern));
  };
  EXPECT_EQ(of(vocabulary, "a+b"), of(vocabulary, "a+b"));
  EXPECT_EQ(of(vocabulary, "a+b"), of(lk::Vocabulary(tokens, {.special_ids = {4}, .end_ids = {4}}), "a+b"));
  EXPECT_NE(of(vocabulary, "a+b"), of(vocabulary, "a+c"));
  EXPECT_NE(of(vocabulary, "a+b"), of(other, "a+b"));
  EXPECT_EQ(of(vocabulary, "a+b"), 0xb31f20c901ed92d6u);  // recorded: tells whether the compiled form changed
}

}  // namespace fingerprint_test
