// SPDX-License-Identifier: MIT
#include "logitkit/preset/openai.hpp"

#include <gtest/gtest.h>

#include "preset/decoding_text.hpp"

namespace openai_test {

namespace lk = logitkit;
using decoding_text::json;
using decoding_text::notes;
using decoding_text::spec;
using lk::presets::openai;
using lk::presets::openai_json;

std::string error_of(const char* text) {
  return decoding_text::error([&] { openai_json(json(text)); });
}

TEST(OpenAi, SamplesPlainlyAndWithoutALimitByDefault) {
  const lk::Decoding d = openai({});
  EXPECT_EQ(spec(d), R"([{"type":"allow_mask"},{"type":"multinomial"}])");
  EXPECT_EQ(d.mode, lk::Mode::sample);
  EXPECT_EQ(d.max_new_tokens, std::nullopt);
  EXPECT_EQ(d.logprobs, std::nullopt);
  EXPECT_EQ(notes(d), "");
}

TEST(OpenAi, RunsInVllmsOrder) {
  EXPECT_EQ(
      spec(openai_json(json(R"({"model":"m","messages":[],"temperature":0.7,"top_p":0.9,"presence_penalty":0.3,
                                "frequency_penalty":0.2,"logit_bias":{"5":-100,"9":1.5},"user":"u"})"))),
      R"([{"type":"allow_mask"},{"type":"logit_bias","bias":{"5":-100.0,"9":1.5}},{"type":"frequency_penalty","penalty":0.2},{"type":"presence_penalty","penalty":0.3},{"type":"temperature","temperature":0.7},{"type":"top_p","p":0.9},{"type":"multinomial"}])");
}

TEST(OpenAi, ClampsBiases) {
  const lk::Decoding d = openai_json(json(R"({"logit_bias":{"5":-250,"6":100.5,"7":100}})"));
  EXPECT_EQ(
      spec(d),
      R"([{"type":"allow_mask"},{"type":"logit_bias","bias":{"5":-100.0,"6":100.0,"7":100.0}},{"type":"multinomial"}])");
  EXPECT_EQ(notes(d), "adjusted logit_bias\nadjusted logit_bias\n");
  EXPECT_EQ(d.notes[0].message, "logit_bias: of id 5 is -250, set to -100");
}

TEST(OpenAi, IsGreedyAtTemperature0) {
  const lk::Decoding d = openai_json(json(R"({"temperature":0,"top_p":0.5,"seed":3})"));
  EXPECT_EQ(spec(d), R"([{"type":"allow_mask"},{"type":"greedy"}])");
  EXPECT_EQ(d.mode, lk::Mode::greedy);
  EXPECT_EQ(notes(d), "ignored seed\nignored top_p\n");
}

TEST(OpenAi, CarriesWhatLiesAroundTheChain) {
  lk::Decoding d = openai_json(json(R"({"n":3,"seed":7,"max_tokens":9,"logprobs":true,"top_logprobs":5})"));
  EXPECT_EQ(d.n, 3);
  EXPECT_EQ(d.seed, 7u);
  EXPECT_EQ(d.max_new_tokens, 9);
  EXPECT_EQ(d.logprobs, 5);
  EXPECT_EQ(notes(d), "deviates seed\ndeviates n\n");
  d = openai_json(json(R"({"max_tokens":9,"max_completion_tokens":4,"logprobs":true})"));
  EXPECT_EQ(d.max_new_tokens, 4);
  EXPECT_EQ(d.logprobs, 0) << "the chosen token alone";
  EXPECT_EQ(notes(d), "ignored max_tokens\n");
  EXPECT_EQ(openai_json(json(R"({"max_tokens":null,"logprobs":false,"top_logprobs":null})")).logprobs, std::nullopt);
}

TEST(OpenAiJson, NotesWhatIsNotOffered) {
  EXPECT_EQ(notes(openai_json(json(R"({"stop":["\n"],"response_format":{"type":"json_object"},"stream":true})"))),
            "not_offered stop\nnot_offered response_format\n");
  EXPECT_EQ(notes(openai_json(json(R"({"stop":null,"tools":[]})"))), "");
}

TEST(OpenAiJson, NamesTheFieldItRefuses) {
  EXPECT_EQ(error_of(R"({"temperature":2.5})"), "openai: temperature is 2.5, allowed is 0 to 2");
  EXPECT_EQ(error_of(R"({"frequency_penalty":2.5})"), "openai: frequency_penalty is 2.5, allowed is -2 to 2");
  EXPECT_EQ(error_of(R"({"top_logprobs":5})"), "openai: top_logprobs: needs logprobs, which is false");
  EXPECT_EQ(error_of(R"({"logprobs":true,"top_logprobs":21})"), "openai: top_logprobs is 21, allowed is 0 to 20");
  EXPECT_EQ(error_of(R"({"max_completion_tokens":0})"),
            "openai: max_completion_tokens is 0, allowed is at least 1 and finite");
  EXPECT_EQ(error_of(R"({"logit_bias":{"a":1}})").substr(0, 37), "openai: logit_bias is {\"a\":1}, allowe");
  EXPECT_EQ(error_of(R"({"top_k":20})"), "openai: top_k: is not a field that this preset knows");
}

}  // namespace openai_test
