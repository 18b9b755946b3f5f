// SPDX-License-Identifier: MIT
#include "logitkit/preset/convert.hpp"

#include <gtest/gtest.h>

#include "preset/decoding_text.hpp"

namespace convert_test {

namespace lk = logitkit;
using decoding_text::json;
using lk::convert;
using lk::Engine;
using List = std::vector<std::string>;

/// The types of the steps, in order.
std::string types(const lk::Spec& spec) {
  std::string text;
  for (const lk::Step& step : spec) text += (text.empty() ? "" : " ") + std::string(step.type());
  return text;
}
/// What convert() says, without vLLM's sentence on the defaults of its server.
List differences(const lk::Spec& spec, Engine target) {
  List list = convert(spec, target).differences;
  std::erase_if(list, [](const std::string& text) { return text.starts_with("defaults:"); });
  return list;
}
lk::Spec spec_of(std::initializer_list<lk::Step> steps) { return {{steps}}; }

constexpr Engine kAll[] = {Engine::huggingface, Engine::vllm,   Engine::llama_cpp,
                           Engine::openai,      Engine::sglang, Engine::ollama};

/// Each preset with all that it has switched on.
lk::Decoding everything(Engine engine) {
  switch (engine) {
    case Engine::huggingface:
      return lk::presets::huggingface_json(
          json(R"({"do_sample":true,"guidance_scale":1.5,"sequence_bias":[[[5,6],1.5]],"repetition_penalty":1.1,
                   "no_repeat_ngram_size":3,"bad_words_ids":[[7,8]],"min_new_tokens":2,"forced_bos_token_id":4,
                   "forced_eos_token_id":3,"remove_invalid_values":true,"exponential_decay_length_penalty":[4,1.1],
                   "suppress_tokens":[9],"begin_suppress_tokens":[10],"eos_token_id":3,"temperature":0.7,"top_h":0.9,
                   "top_p":0.9,"min_p":0.1,"typical_p":0.9,"epsilon_cutoff":0.01,"eta_cutoff":0.01,
                   "renormalize_logits":true})"));
    case Engine::vllm:
      return lk::presets::vllm_json(
          json(R"({"allowed_token_ids":[5,6],"bad_words_token_ids":[[7]],"min_tokens":2,"logit_bias":{"5":1},
                   "repetition_penalty":1.1,"frequency_penalty":0.1,"presence_penalty":0.1,"temperature":0.7,
                   "min_p":0.1,"top_k":20,"top_p":0.9})"));
    case Engine::llama_cpp:
      return lk::presets::llama_cpp_json(
          json(R"({"seed":3,"logit_bias":{"5":1},"repeat_penalty":1.1,"frequency_penalty":0.1,"presence_penalty":0.1,
                   "dry_multiplier":0.8,"top_n_sigma":2,"typical_p":0.9,"xtc_probability":0.5})"));
    case Engine::openai:
      return lk::presets::openai_json(json(R"({"logit_bias":{"5":1},"frequency_penalty":0.1,"presence_penalty":0.1,
                                               "temperature":0.7,"top_p":0.9})"));
    case Engine::sglang:
      return lk::presets::sglang_json(
          json(R"({"min_new_tokens":2,"logit_bias":{"5":1},"repetition_penalty":1.1,"frequency_penalty":0.1,
                   "presence_penalty":0.1,"temperature":0.7,"min_p":0.1,"top_k":20,"top_p":0.9})"));
    case Engine::ollama:
      break;
  }
  return lk::presets::ollama_json(json(R"({"seed":3,"repeat_penalty":1.1,"frequency_penalty":0.1,
                                           "presence_penalty":0.1,"typical_p":0.9,"min_p":0.1})"));
}

TEST(Convert, LeavesAPresetsSpecAsItIs) {
  for (const Engine engine : kAll) {
    const lk::Decoding d = everything(engine);
    EXPECT_EQ(lk::to_json(convert(d, engine).spec).dump(), lk::to_json(d.spec).dump()) << lk::name(engine);
    EXPECT_EQ(differences(d, engine), List{}) << lk::name(engine);
  }
}

TEST(Convert, OrdersAsTheTargetDoes) {
  const lk::Spec spec = spec_of({lk::MinP(0.1), lk::Temperature(0.7), lk::TopP(0.9), lk::Multinomial()});
  EXPECT_EQ(types(convert(spec, Engine::huggingface).spec), "temperature top_p min_p multinomial");
  EXPECT_EQ(types(convert(spec, Engine::vllm).spec), "temperature min_p top_p multinomial");
  EXPECT_EQ(types(convert(spec, Engine::llama_cpp).spec), "top_p min_p temperature multinomial");
  EXPECT_EQ(differences(spec, Engine::vllm),
            List{"order: temperature runs before min_p in vLLM, after it in the spec"});
  EXPECT_EQ(differences(spec, Engine::huggingface),
            (List{"top_k: is 50 in Hugging Face unless it is set; set it to 0",
                  "order: temperature runs before min_p in Hugging Face, after it in the spec",
                  "order: top_p runs before min_p in Hugging Face, after it in the spec"}));
}

TEST(Convert, IsSilentOnOrdersThatDoNotMatter) {
  // Masks and penalties, top-k and temperature, two masks, two additions: the same set and values either way.
  EXPECT_EQ(differences(spec_of({lk::PresencePenalty(0.1), lk::LogitBias({{4, 1.0}}), lk::BanTokens({5}),
                                 lk::ForceTokens({4, 6}), lk::TopK(5, {.ties = lk::Ties::keep}), lk::Temperature(0.5),
                                 lk::Multinomial()}),
                        Engine::vllm),
            List{});
}

TEST(Convert, NamesWhatTheTargetDoesNotHave) {
  const lk::Spec spec = spec_of({lk::NoRepeatNgram(3), lk::TypicalP(0.9), lk::TopP(1), lk::Mirostat(5, 0.1)});
  const lk::Conversion c = convert(spec, Engine::vllm);
  EXPECT_EQ(types(c.spec), "multinomial");
  EXPECT_EQ(differences(spec, Engine::vllm), (List{"no_repeat_ngram: vLLM has no such step; it is left out",
                                                   "typical_p: vLLM has no such step; it is left out",
                                                   "mirostat: vLLM has no such draw; multinomial takes its place"}));
  EXPECT_EQ(
      types(convert(spec_of({lk::TopK(5), lk::Temperature(0.5), lk::MirostatV2(5, 0.1)}), Engine::llama_cpp).spec),
      "temperature mirostat_v2");
}

TEST(Convert, SetsTiesAndScopesToTheTargets) {
  const lk::Spec spec = spec_of({lk::RepetitionPenalty(1.1, {.window = 64}), lk::FrequencyPenalty(0.2),
                                 lk::Temperature(0.5), lk::TopP(0.9), lk::MinP(0.1), lk::TopK(20), lk::Multinomial()});
  const lk::Conversion c = convert(spec, Engine::llama_cpp);
  EXPECT_EQ(
      lk::to_json(c.spec).dump(),
      R"([{"type":"repetition_penalty","penalty":1.1,"window":64},{"type":"frequency_penalty","penalty":0.2,"scope":"prompt+output"},{"type":"top_k","k":20},{"type":"top_p","p":0.9},{"type":"min_p","p":0.1},{"type":"temperature","temperature":0.5},{"type":"multinomial"}])");
  EXPECT_EQ(c.differences,
            (List{"frequency_penalty: scope is \"output\", in llama.cpp always \"prompt+output\"",
                  "order: top_k runs before top_p in llama.cpp, after it in the spec",
                  "order: top_p runs before temperature in llama.cpp, after it in the spec",
                  "order: min_p runs before temperature in llama.cpp, after it in the spec",
                  "frequency_penalty: sees the whole history; set repeat_last_n, which is 64, to at least the "
                  "context's length",
                  "window: llama.cpp has one repeat_last_n for the three penalties"}));
  EXPECT_EQ(differences(spec, Engine::vllm)[0], "repetition_penalty: window is 64, in vLLM always 0");
  EXPECT_EQ(differences(spec, Engine::vllm)[1], "top_k: ties is \"exact\", in vLLM always \"keep\"");
  EXPECT_EQ(differences(spec, Engine::sglang)[0],
            "repetition_penalty: scope is \"prompt+output\", in SGLang always \"output\"");
}

TEST(Convert, NamesTheTargetsDefaultsAndRanges) {
  EXPECT_EQ(differences(spec_of({lk::Temperature(3), lk::FrequencyPenalty(2.5), lk::Multinomial()}), Engine::vllm)[0],
            "temperature: temperature is 3, allowed is 0.01 to 2 in vLLM");
  EXPECT_EQ(differences(spec_of({lk::TopK(5), lk::Multinomial()}), Engine::ollama),
            (List{"top_p: is 0.9 in Ollama unless it is set; set it to 1",
                  "temperature: is 0.8 in Ollama unless it is set; set it to 1"}));
  EXPECT_EQ(
      convert(spec_of({lk::Greedy()}), Engine::vllm).differences,
      (List{"defaults: vLLM's server takes repetition_penalty, temperature, top_k, top_p and min_p that a request "
            "leaves out from the model's generation_config.json",
            "greedy: is temperature 0 in vLLM"}));
}

TEST(Convert, NamesNoDefaultsThatGreedyDoesNotNeed) {
  EXPECT_EQ(differences(spec_of({lk::Greedy()}), Engine::huggingface), List{});
  EXPECT_EQ(differences(spec_of({lk::Greedy()}), Engine::llama_cpp), List{"greedy: is temperature 0 in llama.cpp"});
}

TEST(Convert, RunsAStepOfATypeOnce) {
  const lk::Conversion c = convert(spec_of({lk::TopP(0.9), lk::TopP(0.5), lk::Multinomial()}), Engine::openai);
  EXPECT_EQ(types(c.spec), "top_p multinomial");
  EXPECT_EQ(c.differences, List{"top_p: a Chat Completions request runs it once; the second one is left out"});
}

TEST(Convert, IsWrittenAsJson) {
  EXPECT_EQ(lk::to_json(convert(spec_of({lk::TopP(0.9), lk::Multinomial()}), Engine::openai)).dump(),
            R"({"spec":[{"type":"top_p","p":0.9},{"type":"multinomial"}],"differences":[]})");
}

}  // namespace convert_test
