// SPDX-License-Identifier: MIT
#include "logitkit/preset/llama_cpp.hpp"

#include <gtest/gtest.h>

#include "preset/decoding_text.hpp"

namespace llama_cpp_test {

namespace lk = logitkit;
using decoding_text::json;
using decoding_text::notes;
using lk::presets::llama_cpp;
using lk::presets::llama_cpp_json;
using lk::presets::LlamaCppSampling;

std::string error_of(const char* text) {
  return decoding_text::error([&] { llama_cpp_json(json(text)); });
}
/// The steps but the request's constraint and the selector.
std::string steps(const lk::Decoding& d) {
  auto list = nlohmann::ordered_json::array();
  for (const lk::Step& step : d.spec)
    if (step.type() != "allow_mask" && !step.is_selector()) list.push_back(lk::to_json(step));
  return list.dump();
}
std::string steps(const char* text) { return steps(llama_cpp_json(json(text))); }
/// The notes, without the one on the draw.
std::string notes_of(const char* text) {
  lk::Decoding d = llama_cpp_json(json(text));
  std::erase_if(d.notes, [](const lk::Diagnostic& note) { return note.key == "seed"; });
  return notes(d);
}

constexpr const char* kDefault =
    R"([{"type":"top_k","k":40},{"type":"top_p","p":0.95},{"type":"min_p","p":0.05},{"type":"temperature","temperature":0.8}])";

TEST(LlamaCpp, RunsItsDefaultChain) {
  const lk::Decoding d = llama_cpp({});
  EXPECT_EQ(steps(d), kDefault);
  EXPECT_EQ(d.mode, lk::Mode::sample);
  EXPECT_EQ(d.max_new_tokens, std::nullopt);
  EXPECT_TRUE(d.spec.steps.back().is_selector());
  EXPECT_NO_THROW(lk::build(d));
}

TEST(LlamaCpp, PenalisesPromptAndOutputInAWindow) {
  EXPECT_EQ(
      steps(R"({"samplers":["penalties"],"repeat_penalty":1.1,"frequency_penalty":0.2,"presence_penalty":0.3,
                "repeat_last_n":32})"),
      R"([{"type":"repetition_penalty","penalty":1.1,"window":32},{"type":"frequency_penalty","penalty":0.2,"scope":"prompt+output","window":32},{"type":"presence_penalty","penalty":0.3,"scope":"prompt+output","window":32}])");
  EXPECT_EQ(steps(R"({"samplers":["penalties"],"repeat_penalty":1.1,"repeat_last_n":0})"), "[]");
}

TEST(LlamaCpp, RunsTheSamplersAsListed) {
  const char* expected =
      R"([{"type":"temperature","temperature":0.8},{"type":"min_p","p":0.05},{"type":"top_k","k":40}])";
  EXPECT_EQ(steps(R"({"samplers":["temperature","min_p","top_k"]})"), expected);
  EXPECT_EQ(steps(R"({"samplers":["Temp","MIN-P","topk"]})"), expected);
  EXPECT_EQ(steps(R"({"samplers":"tmk"})"), expected);
  EXPECT_EQ(steps(R"({"samplers":[]})"), "[]");
  EXPECT_EQ(steps(R"({"samplers":"edskypmxt"})"), kDefault);
  EXPECT_EQ(steps(R"({"samplers":["nucleus"]})"), R"([{"type":"top_p","p":0.95}])");
}

TEST(LlamaCpp, LeavesUnknownSamplersOutWithANote) {
  EXPECT_EQ(steps(R"({"samplers":["typical","top_k"]})"), R"([{"type":"top_k","k":40}])");
  EXPECT_EQ(notes_of(R"({"samplers":["typical","top_k"]})"), "ignored samplers\n");
  EXPECT_EQ(notes_of(R"({"samplers":"k!"})"), "ignored samplers\n");
}

TEST(LlamaCpp, NotesFieldsWhoseSamplerDoesNotRun) {
  EXPECT_EQ(notes_of(R"({"samplers":["top_k"],"top_p":0.5,"repeat_penalty":1.2,"temperature":0.5})"),
            "ignored repeat_penalty\nignored top_p\nignored temperature\n");
}

TEST(LlamaCpp, KeepsTheFirstOfTheLargestAtTemperature0) {
  const lk::Decoding d = llama_cpp_json(json(R"({"samplers":"t","temperature":0})"));
  EXPECT_EQ(steps(d), R"([{"type":"top_k","k":1}])");
  EXPECT_EQ(d.mode, lk::Mode::greedy);
}

TEST(LlamaCpp, MapsMinKeep0To1) {
  EXPECT_EQ(steps(R"({"samplers":"p","min_keep":0})"), R"([{"type":"top_p","p":0.95}])");
  EXPECT_EQ(steps(R"({"samplers":"p","min_keep":3})"), R"([{"type":"top_p","p":0.95,"min_keep":3}])");
}

TEST(LlamaCpp, ClampsWhatTheServerClamps) {
  EXPECT_EQ(steps(R"({"samplers":"pmt","top_p":-1,"min_p":2,"temperature":-3})"),
            R"([{"type":"top_p","p":0.0},{"type":"min_p","p":1.0},{"type":"top_k","k":1}])");
  EXPECT_EQ(notes_of(R"({"samplers":"pmt","top_p":-1,"min_p":2,"temperature":-3})"),
            "adjusted top_p\nadjusted min_p\nadjusted temperature\n");
  EXPECT_EQ(steps(R"({"samplers":"k","top_k":-1})"), "[]");
  EXPECT_EQ(notes_of(R"({"samplers":"k","top_k":-1})"), "adjusted top_k\n");
}

TEST(LlamaCpp, PutsTheBiasFirst) {
  const char* expected = R"([{"type":"logit_bias","bias":{"7":null,"3":1.5}},{"type":"top_k","k":40}])";
  EXPECT_EQ(steps(R"({"samplers":"k","logit_bias":[[7,false],[3,1.5]]})"), expected);
  EXPECT_EQ(steps(R"({"samplers":"k","logit_bias":{"7":false,"3":1.5}})"), expected);
  // Biases of one id add up; what is no id and number is left out.
  EXPECT_EQ(steps(R"({"samplers":"k","logit_bias":[[7,1],[3,1],[7,false],[3,0.5],[-4,1],[5,"x"],6]})"), expected);
  EXPECT_EQ(notes_of(R"({"samplers":"k","logit_bias":[[3,1],[-4,1],[5,"x"],6]})"),
            "ignored logit_bias\nignored logit_bias\nignored logit_bias\n");
}

TEST(LlamaCpp, DrawsWithItsOwnGeneratorIfItHasASeed) {
  const lk::Decoding d = llama_cpp_json(json(R"({"seed":42})"));
  EXPECT_EQ(d.seed, 42u);
  EXPECT_EQ(d.spec.steps.back(), lk::Step(lk::LlamaCppDist(42)));
  EXPECT_EQ(notes(d), "");
  for (const char* random : {R"({})", R"({"seed":-1})", R"({"seed":4294967295})"}) {
    const lk::Decoding unseeded = llama_cpp_json(json(random));
    EXPECT_EQ(unseeded.seed, std::nullopt);
    EXPECT_EQ(unseeded.spec.steps.back(), lk::Step(lk::Multinomial()));
    EXPECT_EQ(notes(unseeded), "deviates seed\n");
  }
}

TEST(LlamaCpp, ReplacesTheSamplersByMirostat) {
  const lk::Decoding d =
      llama_cpp_json(json(R"({"mirostat":2,"mirostat_tau":4,"seed":7,"temperature":0.5,"top_k":10})"));
  EXPECT_EQ(steps(d), R"([{"type":"temperature","temperature":0.5}])");
  EXPECT_EQ(lk::to_json(d.spec.steps.back()).dump(), R"({"type":"mirostat_v2","tau":4.0,"eta":0.1,"seed":7})");
  EXPECT_EQ(notes(d), "ignored samplers\nignored top_k\n");
  EXPECT_EQ(llama_cpp_json(json(R"({"mirostat":1})")).spec.steps.back().type(), "mirostat");
}

TEST(LlamaCpp, EndsInAdaptivePWhereverThatIsListed) {
  const char* listed = R"({"samplers":["adaptive_p","top_k"],"adaptive_target":0.4,"seed":7})";
  EXPECT_EQ(steps(listed), R"([{"type":"top_k","k":40}])");
  EXPECT_EQ(lk::to_json(llama_cpp_json(json(listed)).spec.steps.back()).dump(),
            R"({"type":"adaptive_p","target":0.4,"decay":0.9,"seed":7})");
  EXPECT_EQ(llama_cpp_json(json(R"({"samplers":["adaptive_p"],"seed":7})")).spec.steps.back().type(),
            "llama_cpp_dist");  // a target below 0 is a plain draw
}

TEST(LlamaCpp, RunsDryXtcTypicalAndDynamicTemperature) {
  EXPECT_EQ(
      steps(R"({"samplers":"dxyst","seed":7,"dry_multiplier":0.8,"dry_base":0.5,"dry_sequence_breakers":[[13]],
                "xtc_probability":0.5,"typical_p":0.9,"top_n_sigma":1.5,"dynatemp_range":0.5})"),
      R"([{"type":"dry","multiplier":0.8,"window":64,"breakers":[[13]]},{"type":"xtc","probability":0.5,"threshold":0.1,"seed":7},{"type":"typical_p","p":0.9},{"type":"top_n_sigma","n":1.5},{"type":"dynamic_temperature","temperature":0.8,"range":0.5}])");
  EXPECT_EQ(
      notes_of(
          R"({"samplers":"dx","seed":7,"dry_multiplier":0.8,"dry_base":0.5,"xtc_probability":0.5,"xtc_threshold":0.6})"),
      "adjusted dry_base\ndeviates dry_sequence_breakers\nignored xtc_probability\n");
  // temperature 0 and range 1: between 0 and 1, as 0.5 +- 0.5
  EXPECT_EQ(steps(R"({"samplers":"t","temperature":0,"dynatemp_range":1})"),
            R"([{"type":"dynamic_temperature","temperature":0.5,"range":0.5}])");
}

TEST(LlamaCpp, KeepsTheMostTypicalTokensAtATypicalPBelow0) {
  const lk::Decoding d = llama_cpp_json(json(R"({"samplers":"y","typical_p":-0.5,"seed":7})"));
  EXPECT_EQ(notes(d), "adjusted typical_p\n");
  const auto left = [](const lk::Decoding& decoding) {
    const std::vector<float> row = {-0.9f, -1.2f, -1.3f, -0.8f};
    const std::vector<float> out = lk::build(decoding).process(row, lk::Request({1}, {.seed = 1}));
    return std::count_if(out.begin(), out.end(), [](float x) { return x > -100; });
  };
  EXPECT_EQ(left(d), 1);
  EXPECT_EQ(left(llama_cpp_json(json(R"({"samplers":"y","typical_p":0,"min_keep":3,"seed":7})"))), 3);
}

TEST(LlamaCpp, CarriesWhatLiesAroundTheChain) {
  lk::Decoding d = llama_cpp_json(json(R"({"n_predict":12,"n_probs":4})"));
  EXPECT_EQ(d.max_new_tokens, 12);
  EXPECT_EQ(d.logprobs, 4);
  d = llama_cpp_json(json(R"({"max_tokens":9,"logprobs":3})"));
  EXPECT_EQ(d.max_new_tokens, 9);
  EXPECT_EQ(d.logprobs, 3);
}

TEST(LlamaCppJson, NotesWhatIsNotOffered) {
  EXPECT_EQ(notes_of(R"({"prompt":"x","stream":true,"grammar":"root ::= \"a\"","stop":["."],"ignore_eos":false,
                         "dry_sequence_breakers":["\n"],"mirostatt":1})"),
            "not_offered dry_sequence_breakers\nnot_offered grammar\nnot_offered stop\nunknown_field mirostatt\n");
}

TEST(LlamaCppJson, NamesTheFieldItRefuses) {
  EXPECT_EQ(error_of(R"({"repeat_last_n":-1})"), "llama.cpp: repeat_last_n is -1, allowed is at least 0 and finite");
  EXPECT_EQ(error_of(R"({"dry_penalty_last_n":-1})"),
            "llama.cpp: dry_penalty_last_n is -1, allowed is at least 0 and finite");
  EXPECT_EQ(error_of(R"({"repeat_penalty":0})"), "llama.cpp: repeat_penalty: penalty is 0, allowed is 1e-30 to 3e+38");
  EXPECT_EQ(error_of(R"({"seed":-2})"), "llama.cpp: seed is -2, allowed is -1 to 4294967295");
  EXPECT_EQ(error_of(R"({"samplers":"i"})"),
            "llama.cpp: samplers: infill needs the texts of the vocabulary and is not offered");
  EXPECT_EQ(error_of(R"({"samplers":[1]})"), "llama.cpp: samplers is [1], allowed is a list of texts");
  EXPECT_EQ(error_of(R"({"logit_bias":[["no",1]]})"),
            "llama.cpp: logit_bias: \"no\" is a text; give the ids of its tokens");
  EXPECT_EQ(error_of(R"({"ignore_eos":true})"),
            "llama.cpp: ignore_eos: needs the model's end tokens; put them into logit_bias with false");
}

}  // namespace llama_cpp_test
