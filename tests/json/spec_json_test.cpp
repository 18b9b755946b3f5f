// SPDX-License-Identifier: MIT
#include "logitkit/json/spec_json.hpp"

#include <gtest/gtest.h>

#include "logitkit/json.hpp"

namespace spec_json_test {

namespace lk = logitkit;
using Json = nlohmann::ordered_json;

/// The text of the error, "none" if it can be read.
std::string error_of(const char* json) {
  try {
    lk::spec_from_json(Json::parse(json));
  } catch (const lk::SpecError& error) {
    return error.what();
  }
  return "none";
}

TEST(SpecJson, WritesWhatItReads) {
  for (
      const char* text :
      {R"([])", R"([{"type":"temperature","temperature":0.7},{"type":"greedy"}])",
       R"([{"type":"top_k","k":20,"ties":"keep","min_keep":2},{"type":"top_p","p":0.9,"min_keep":3},{"type":"min_p","p":0.05}])",
       R"([{"type":"repetition_penalty","penalty":1.1,"scope":"output","window":64,"prompt_ignore_length":3,"exempt":[5,6]}])",
       R"([{"type":"frequency_penalty","penalty":0.5,"scope":"prompt+output"},{"type":"presence_penalty","penalty":-0.5,"scope":"prompt"}])",
       R"([{"type":"logit_bias","bias":{"7":1.5,"3":null}},{"type":"ban_tokens","ids":[]},{"type":"force_tokens","ids":[4,2]}])",
       R"([{"type":"log_softmax"},{"type":"multinomial"}])"})
    EXPECT_EQ(lk::to_json(lk::spec_from_json(Json::parse(text))).dump(), text);
}

TEST(SpecJson, LeavesDefaultsOut) {
  const char* text = R"([{"type":"top_k","k":5,"ties":"exact","min_keep":1},
                         {"type":"repetition_penalty","penalty":1.5,"scope":"prompt+output","window":0,
                          "prompt_ignore_length":0,"exempt":[]}])";
  EXPECT_EQ(lk::to_json(lk::spec_from_json(Json::parse(text))).dump(),
            R"([{"type":"top_k","k":5},{"type":"repetition_penalty","penalty":1.5}])");
}

TEST(SpecJson, TakesWholeNumbersForRealOnesAndBack) {
  const lk::Spec spec = lk::spec_from_json(Json::parse(R"([{"type":"temperature","temperature":2},
                                                           {"type":"top_k","k":3.0},
                                                           {"type":"logit_bias","bias":{"4":-1}}])"));
  EXPECT_EQ(spec, (lk::Spec{{lk::Temperature(2), lk::TopK(3), lk::LogitBias({{4, -1}})}}));
}

TEST(SpecJson, MakesTheSameStepsAsTheConstructors) {
  const lk::Pipeline pipeline = lk::LogitBias({{3, -std::numeric_limits<double>::infinity()}}) |
                                lk::FrequencyPenalty(0.5, {.scope = lk::Scope::prompt, .window = 8}) |
                                lk::TopK(9, {.ties = lk::Ties::keep}) | lk::Multinomial();
  EXPECT_EQ(lk::spec_from_json(lk::to_json(pipeline.spec())), pipeline.spec());
}

TEST(SpecJson, NamesStepKeyValueAndRange) {
  EXPECT_EQ(error_of(R"([{"type":"greedy"},{"type":"top_p","p":1.5}])"), "step 1: top_p: p is 1.5, allowed is 0 to 1");
  EXPECT_EQ(error_of(R"([{"type":"temperature","temperature":0}])"),
            "step 0: temperature: temperature is 0, allowed is 1e-30 to 3e+38");
  EXPECT_EQ(error_of(R"([{"type":"temperature","temperature":"1"}])"),
            "step 0: temperature: temperature is \"1\", allowed is a number, 1e-30 to 3e+38");
  EXPECT_EQ(error_of(R"([{"type":"min_p","p":true}])"), "step 0: min_p: p is true, allowed is a number, 0 to 1");
  EXPECT_EQ(error_of(R"([{"type":"top_k","k":-1}])"), "step 0: top_k: k is -1, allowed is at least 0 and finite");
  EXPECT_EQ(error_of(R"([{"type":"top_k","k":2.5}])"), "step 0: top_k: k is 2.5, allowed is a whole number");
  EXPECT_EQ(error_of(R"([{"type":"top_k","k":1,"min_keep":0}])"),
            "step 0: top_k: min_keep is 0, allowed is at least 1 and finite");
  EXPECT_EQ(error_of(R"([{"type":"top_k","k":1,"ties":"all"}])"),
            "step 0: top_k: ties is \"all\", allowed is \"exact\" or \"keep\"");
  EXPECT_EQ(error_of(R"([{"type":"presence_penalty","penalty":1,"scope":null}])"),
            "step 0: presence_penalty: scope is null, allowed is \"prompt+output\" or \"output\" or \"prompt\"");
  EXPECT_EQ(error_of(R"([{"type":"ban_tokens","ids":[4,-1]}])"),
            "step 0: ban_tokens: ids is -1, allowed is 0 to 2147483647");
  EXPECT_EQ(error_of(R"([{"type":"ban_tokens","ids":[4,3000000000]}])"),
            "step 0: ban_tokens: ids is [4,3000000000], allowed is a list of token ids");
  EXPECT_EQ(error_of(R"([{"type":"ban_tokens","ids":[[4]]}])"),
            "step 0: ban_tokens: ids is [[4]], allowed is a list of token ids");
  EXPECT_EQ(error_of(R"([{"type":"force_tokens","ids":[]}])"),
            "step 0: force_tokens: ids is empty, allowed is at least one id");
  EXPECT_EQ(error_of(R"([{"type":"logit_bias","bias":{"no":1}}])"),
            "step 0: logit_bias: bias is {\"no\":1}, allowed is an object from token id to number or null");
  EXPECT_EQ(error_of(R"([{"type":"logit_bias","bias":{"5":1,"05":2}}])"),
            "step 0: logit_bias: bias names id 5 twice, allowed is once");
  EXPECT_EQ(error_of(R"([{"type":"logit_bias","bias":{"5":1e39}}])"),
            "step 0: logit_bias: bias of id 5 is 1e+39, allowed is a finite number or -inf (null)");
}

TEST(SpecJson, RefusesUnknownAndMissingKeysAndTypes) {
  EXPECT_EQ(error_of(R"([{"type":"top_k","k":1,"p":2}])"),
            "step 0: top_k: unknown key \"p\", allowed are k ties min_keep");
  EXPECT_EQ(error_of(R"([{"type":"greedy","k":1}])"), "step 0: greedy: unknown key \"k\", the step takes none");
  EXPECT_EQ(error_of(R"([{"type":"top_p"}])"), "step 0: top_p: p is missing, allowed is a number, 0 to 1");
  EXPECT_EQ(error_of(R"([{"type":"top_q"}])").substr(0, 56),
            "step 0: unknown type \"top_q\", allowed are temperature, d");
  EXPECT_EQ(error_of(R"([{"k":1}])"), "step 0: type is missing");
  EXPECT_EQ(error_of(R"([{"type":3}])"), "step 0: type is 3, allowed is a text");
  EXPECT_EQ(error_of(R"([5])"), "step 0: it is 5, allowed is an object such as {\"type\":\"greedy\"}");
  EXPECT_EQ(error_of(R"({"type":"greedy"})"), "a spec is object, allowed is a list of steps");
}

TEST(ParseSpec, ReportsEveryStepThatCannotBeRead) {
  lk::Spec spec;
  std::vector<lk::Diagnostic> found;
  EXPECT_FALSE(lk::parse_spec(Json::parse(R"([{"type":"top_k","k":1,"p":2},{"type":"top_k","k":3},{"type":"min_p"},
                                              {"type":"custom","name":"f"},4])"),
                              spec, found));
  EXPECT_EQ(spec, (lk::Spec{{lk::TopK(3)}}));
  ASSERT_EQ(found.size(), 4u);
  const auto is = [&](std::size_t i, const char* code, int step, const char* key) {
    EXPECT_EQ(found[i].severity, lk::Severity::error);
    EXPECT_EQ(found[i].code, code);
    EXPECT_EQ(found[i].step, step);
    EXPECT_EQ(found[i].key, key);
  };
  is(0, "unknown_key", 0, "p");
  is(1, "missing_key", 2, "p");
  is(2, "unknown_name", 3, "name");
  is(3, "not_an_object", 4, "");
}

TEST(ParseSpec, LeavesOldDiagnosticsAlone) {
  lk::Spec spec{{lk::TopK(3)}};
  std::vector<lk::Diagnostic> found(1);
  EXPECT_TRUE(lk::parse_spec(Json::parse(R"([{"type":"greedy"}])"), spec, found));
  EXPECT_EQ(spec, (lk::Spec{{lk::Greedy()}}));
  EXPECT_EQ(found.size(), 1u);
}

TEST(StepRegistry, BringsCustomStepsBack) {
  lk::StepRegistry registry;
  registry.add("only_even", [](lk::Candidates& candidates, const lk::StepView&) {
    candidates.keep_if([](lk::TokenId id, float) { return id % 2 == 0; });
  });
  const char* text = R"([{"type":"custom","name":"only_even"},{"type":"greedy"}])";
  const lk::Spec spec = lk::spec_from_json(Json::parse(text), registry);
  EXPECT_EQ(lk::to_json(spec).dump(), text);
  EXPECT_EQ(lk::build(spec).pick(std::vector<float>{0, 3, 2, 1, 1}, lk::Request({}, {.seed = 1})).token, 2);
}

TEST(StepRegistry, NamesWhatIsRegistered) {
  lk::StepRegistry registry;
  registry.add("a", [](lk::Candidates&, const lk::StepView&) {});
  registry.add("b", [](lk::Candidates&, const lk::StepView&) {});
  const auto error = [&](const char* json) {
    try {
      lk::spec_from_json(Json::parse(json), registry);
    } catch (const lk::SpecError& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error(R"([{"type":"custom","name":"c"}])"), "step 0: custom: name is \"c\", allowed are \"a\", \"b\"");
  EXPECT_EQ(error(R"([{"type":"custom"}])"), "step 0: custom: name is missing, allowed are \"a\", \"b\"");
  EXPECT_EQ(error(R"([{"type":"custom","name":"a","k":1}])"), "step 0: custom: unknown key \"k\", allowed is name");
  EXPECT_EQ(error(R"([{"type":"custom","name":"b"}])"), "none");
}

}  // namespace spec_json_test
