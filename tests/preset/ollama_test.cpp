// SPDX-License-Identifier: MIT
#include "logitkit/preset/ollama.hpp"

#include <gtest/gtest.h>

#include "preset/decoding_text.hpp"

namespace ollama_test {

namespace lk = logitkit;
using decoding_text::json;
using decoding_text::notes;
using decoding_text::spec;
using lk::presets::ollama;
using lk::presets::ollama_json;

std::string error_of(const char* text) {
  return decoding_text::error([&] { ollama_json(json(text)); });
}

TEST(Ollama, HasItsOwnDefaults) {
  // top_p 0.9 and no min_p, where llama.cpp has 0.95 and 0.05
  const lk::Decoding d = ollama({});
  EXPECT_EQ(
      spec(d),
      R"([{"type":"allow_mask"},{"type":"top_k","k":40},{"type":"top_p","p":0.9},{"type":"temperature","temperature":0.8},{"type":"multinomial"}])");
  EXPECT_EQ(d.max_new_tokens, std::nullopt);
  EXPECT_EQ(notes(d), "deviates seed\n");
}

TEST(Ollama, RunsInLlamaCppsOrder) {
  EXPECT_EQ(
      spec(ollama_json(json(R"({"seed":42,"temperature":0.5,"min_p":0.1,"top_p":0.7,"typical_p":0.6,"top_k":30,
                                "presence_penalty":0.3,"frequency_penalty":0.2,"repeat_penalty":1.1,
                                "repeat_last_n":32})"))),
      R"([{"type":"allow_mask"},{"type":"repetition_penalty","penalty":1.1,"window":32},{"type":"frequency_penalty","penalty":0.2,"scope":"prompt+output","window":32},{"type":"presence_penalty","penalty":0.3,"scope":"prompt+output","window":32},{"type":"top_k","k":30},{"type":"typical_p","p":0.6},{"type":"top_p","p":0.7},{"type":"min_p","p":0.1},{"type":"temperature","temperature":0.5},{"type":"llama_cpp_dist","seed":42}])");
}

TEST(Ollama, LimitsTheOutput) {
  EXPECT_EQ(ollama_json(json(R"({"num_predict":12})")).max_new_tokens, 12);
  EXPECT_EQ(ollama_json(json(R"({"num_predict":-1})")).max_new_tokens, std::nullopt);
  EXPECT_EQ(ollama_json(json(R"({"num_predict":-2})")).max_new_tokens, std::nullopt);
}

TEST(OllamaJson, FindsItsOptionsInARequest) {
  const lk::Decoding d = ollama_json(json(
      R"({"model":"m","prompt":"x","stream":false,"format":"json","options":{"seed":7,"top_k":5,"num_ctx":4096}})"));
  EXPECT_EQ(d.spec, ollama_json(json(R"({"seed":7,"top_k":5})")).spec);
  EXPECT_EQ(notes(d), "not_offered format\n");
}

TEST(OllamaJson, NamesTheFieldItRefuses) {
  EXPECT_EQ(error_of(R"({"repeat_last_n":-1})"), "ollama: repeat_last_n is -1, allowed is at least 0 and finite");
  EXPECT_EQ(error_of(R"({"num_predict":-3})"), "ollama: num_predict is -3, allowed is at least -2 and finite");
  EXPECT_EQ(error_of(R"({"mirostat":2})"), "ollama: mirostat: is gone from Ollama's options; see presets::llama_cpp");
  EXPECT_EQ(error_of(R"({"options":{"min_keep":2}})"), "ollama: min_keep: is not a field that this preset knows");
  EXPECT_EQ(error_of(R"({"mirostat":0,"tfs_z":1})"), "none");
}

}  // namespace ollama_test
