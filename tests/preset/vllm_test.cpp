// SPDX-License-Identifier: MIT
#include "logitkit/preset/vllm.hpp"

#include <gtest/gtest.h>

#include "preset/decoding_text.hpp"

namespace vllm_test {

namespace lk = logitkit;
using decoding_text::json;
using decoding_text::notes;
using decoding_text::spec;
using lk::presets::vllm;
using lk::presets::vllm_json;
using lk::presets::VllmSamplingParams;

std::string error_of(const char* text) {
  return decoding_text::error([&] { vllm_json(json(text)); });
}
bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Vllm, OrdersBiasPenaltiesTemperatureMinPTopKTopP) {
  VllmSamplingParams params;
  params.top_p = 0.9;
  params.top_k = 20;
  params.min_p = 0.05;
  params.temperature = 0.7;
  params.presence_penalty = 0.3;
  params.frequency_penalty = 0.2;
  params.repetition_penalty = 1.1;
  params.logit_bias = {{5, -200}};
  params.allowed_token_ids = lk::TokenIds{5, 6};
  EXPECT_PRED2(
      contains, spec(vllm(params)),
      R"({"type":"force_tokens","ids":[5,6]},{"type":"logit_bias","bias":{"5":-200.0}},{"type":"repetition_penalty","penalty":1.1},{"type":"frequency_penalty","penalty":0.2},{"type":"presence_penalty","penalty":0.3},{"type":"temperature","temperature":0.7},{"type":"min_p","p":0.05},{"type":"top_k","k":20,"ties":"keep"},{"type":"top_p","p":0.9},{"type":"multinomial"}])");
  EXPECT_NO_THROW(lk::build(vllm(params)));
}

TEST(Vllm, SamplesPlainlyByDefault) {
  const lk::Decoding d = vllm({});
  EXPECT_PRED2(contains, spec(d), R"({"type":"multinomial"}])");
  EXPECT_EQ(spec(d).find("temperature"), std::string::npos);
  EXPECT_EQ(d.mode, lk::Mode::sample);
  EXPECT_EQ(d.max_new_tokens, 16);
  EXPECT_EQ(d.logprobs, std::nullopt);
  EXPECT_EQ(notes(d), "");
}

TEST(Vllm, IsGreedyAtTemperature0) {
  const lk::Decoding d = vllm_json(json(R"({"temperature":0,"top_p":0.5,"top_k":10,"min_p":0.3,"seed":3,
                                            "presence_penalty":0.5})"));
  EXPECT_EQ(d.mode, lk::Mode::greedy);
  EXPECT_PRED2(contains, spec(d), R"({"type":"presence_penalty","penalty":0.5},{"type":"greedy"}])");
  EXPECT_EQ(notes(d), "ignored seed\nignored top_p\nignored top_k\nignored min_p\n");
}

TEST(Vllm, RaisesTinyTemperatures) {
  const lk::Decoding d = vllm_json(json(R"({"temperature":1e-6})"));
  EXPECT_PRED2(contains, spec(d), R"({"type":"temperature","temperature":0.01},{"type":"multinomial"}])");
  EXPECT_EQ(notes(d), "adjusted temperature\n");
  EXPECT_EQ(d.notes[0].message, "temperature: is 1e-06, raised to 0.01 as vLLM does");
  EXPECT_EQ(notes(vllm_json(json(R"({"temperature":0.01})"))), "");
}

TEST(Vllm, CarriesWhatLiesAroundTheChain) {
  const lk::Decoding d = vllm_json(json(R"({"n":3,"seed":7,"max_tokens":null,"logprobs":5,"stop_token_ids":[9,8],
                                            "top_k":-1,"ignore_eos":true})"));
  EXPECT_EQ(d.n, 3);
  EXPECT_EQ(d.seed, 7u);
  EXPECT_EQ(d.max_new_tokens, std::nullopt);
  EXPECT_EQ(d.logprobs, 5);
  EXPECT_EQ(d.end_ids, (lk::TokenIds{9, 8}));
  EXPECT_EQ(spec(d).find("top_k"), std::string::npos);
  EXPECT_EQ(notes(d), "deviates seed\ndeviates n\nignored ignore_eos\n");
  EXPECT_EQ(vllm_json(json(R"({"seed":-1})")).seed, std::nullopt);
}

TEST(VllmJson, NotesWhatIsNotOffered) {
  EXPECT_EQ(notes(vllm_json(json(R"({"stop":["\n"],"structured_outputs":{"regex":"a"},"thinking_token_budget":10,
                                     "prompt_logprobs":2,"detokenize":true,"top_n":5})"))),
            "not_offered stop\nnot_offered structured_outputs\nnot_offered thinking_token_budget\n"
            "not_offered prompt_logprobs\nunknown_field top_n\n");
  EXPECT_EQ(notes(vllm_json(json(R"({"stop":[],"thinking_token_budget":-1,"bad_words":[]})"))), "");
}

TEST(VllmJson, NamesTheFieldItRefuses) {
  EXPECT_EQ(error_of(R"({"temperature":2.5})"), "vllm: temperature is 2.5, allowed is 0 to 2");
  EXPECT_EQ(error_of(R"({"top_p":0})"), "vllm: top_p is 0, allowed is above 0 to 1");
  EXPECT_EQ(error_of(R"({"top_k":-2})"), "vllm: top_k is -2, allowed is at least -1 and finite");
  EXPECT_EQ(error_of(R"({"top_k":2.5})"), "vllm: top_k is 2.5, allowed is a whole number");
  EXPECT_EQ(error_of(R"({"min_p":1.5})"), "vllm: min_p is 1.5, allowed is 0 to 1");
  EXPECT_EQ(error_of(R"({"presence_penalty":3})"), "vllm: presence_penalty is 3, allowed is -2 to 2");
  EXPECT_EQ(error_of(R"({"frequency_penalty":-3})"), "vllm: frequency_penalty is -3, allowed is -2 to 2");
  EXPECT_EQ(error_of(R"({"repetition_penalty":0})"),
            "vllm: repetition_penalty: penalty is 0, allowed is 1e-30 to 3e+38");
  EXPECT_EQ(error_of(R"({"n":20000})"), "vllm: n is 20000, allowed is 1 to 16384");
  EXPECT_EQ(error_of(R"({"n":2,"temperature":0})"), "vllm: n: is 2, allowed is 1 at temperature 0");
  EXPECT_EQ(error_of(R"({"max_tokens":0})"), "vllm: max_tokens is 0, allowed is at least 1 and finite");
  EXPECT_EQ(error_of(R"({"max_tokens":3,"min_tokens":4})"), "vllm: min_tokens is 4, allowed is 0 to 3");
  EXPECT_EQ(error_of(R"({"logprobs":-2})"), "vllm: logprobs is -2, allowed is at least -1 and finite");
  EXPECT_EQ(error_of(R"({"allowed_token_ids":[]})"),
            "vllm: allowed_token_ids: ids is empty, allowed is at least one id");
  EXPECT_EQ(error_of(R"({"stop_token_ids":[1,"a"]})"),
            "vllm: stop_token_ids is [1,\"a\"], allowed is a token id or a list of token ids");
  EXPECT_EQ(error_of(R"({"bad_words":["no"]})"),
            "vllm: bad_words: are texts; give each, tokenised bare and after a space, in bad_words_token_ids");
}

}  // namespace vllm_test
