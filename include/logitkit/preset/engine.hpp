// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "logitkit/process/field.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The engines that have a preset.
enum class Engine : std::uint8_t { huggingface, vllm, llama_cpp, openai, sglang, ollama };

/// The engine as its preset is called: "huggingface", "llama_cpp".
constexpr std::string_view name(Engine engine) {
  constexpr std::string_view kNames[] = {"huggingface", "vllm", "llama_cpp", "openai", "sglang", "ollama"};
  return kNames[static_cast<std::size_t>(engine)];
}

namespace detail {

/// A step that an engine has: our JSON type, and the engine's own parameter for it.
struct EngineStep {
  std::string_view type, parameter;
};
/// A parameter that an engine does not offer, or has in one form only.
struct FixedField {
  std::string_view type, key;
  FieldValue value;
};
/// What an engine accepts, where that is less than the step takes.
struct EngineRange {
  std::string_view type, key;
  Range range;
};
/// A step that an engine runs without being asked, the value it has then and the one that switches it off.
struct EngineDefault {
  std::string_view type, parameter, value, off;
};

// Each engine's steps in its own order, the ones that only some inputs build included. "custom" is the place of the
// user's own steps.

inline constexpr EngineStep kHuggingFaceOrder[] = {
    {"guidance", "guidance_scale"},
    {"sequence_bias", "sequence_bias"},
    {"logit_bias", "sequence_bias"},
    {"repetition_penalty", "repetition_penalty"},
    {"no_repeat_ngram", "no_repeat_ngram_size"},
    {"ban_sequences", "bad_words_ids"},
    {"min_length", "min_length"},
    {"min_new_tokens", "min_new_tokens"},
    {"force_tokens", "prefix_allowed_tokens_fn"},
    {"prefix_force", "prefix_allowed_tokens_fn"},
    {"forced_bos", "forced_bos_token_id"},
    {"forced_eos", "forced_eos_token_id"},
    {"remove_invalid", "remove_invalid_values"},
    {"exponential_decay_length_penalty", "exponential_decay_length_penalty"},
    {"ban_tokens", "suppress_tokens"},
    {"suppress_at_begin", "begin_suppress_tokens"},
    {"allow_mask", "a logits processor"},
    {"custom", "a logits processor"},
    {"temperature", "temperature"},
    {"top_h", "top_h"},
    {"top_k", "top_k"},
    {"top_p", "top_p"},
    {"min_p", "min_p"},
    {"typical_p", "typical_p"},
    {"epsilon_cutoff", "epsilon_cutoff"},
    {"eta_cutoff", "eta_cutoff"},
    {"log_softmax", "renormalize_logits"},
    {"greedy", "do_sample"},
    {"multinomial", "do_sample"}};

inline constexpr EngineStep kVllmOrder[] = {{"allow_mask", "structured_outputs"},
                                            {"force_tokens", "allowed_token_ids"},
                                            {"ban_sequences", "bad_words"},
                                            {"ban_tokens", "bad_words"},
                                            {"min_new_tokens", "min_tokens"},
                                            {"logit_bias", "logit_bias"},
                                            {"custom", "a logits processor"},
                                            {"repetition_penalty", "repetition_penalty"},
                                            {"frequency_penalty", "frequency_penalty"},
                                            {"presence_penalty", "presence_penalty"},
                                            {"temperature", "temperature"},
                                            {"min_p", "min_p"},
                                            {"top_k", "top_k"},
                                            {"top_p", "top_p"},
                                            {"greedy", "temperature"},
                                            {"multinomial", "temperature"},
                                            {"exponential_race", "temperature"}};

inline constexpr EngineStep kLlamaCppOrder[] = {{"allow_mask", "grammar"},
                                                {"logit_bias", "logit_bias"},
                                                {"ban_tokens", "logit_bias"},
                                                {"repetition_penalty", "repeat_penalty"},
                                                {"frequency_penalty", "frequency_penalty"},
                                                {"presence_penalty", "presence_penalty"},
                                                {"dry", "dry_multiplier"},
                                                {"top_n_sigma", "top_n_sigma"},
                                                {"top_k", "top_k"},
                                                {"typical_p", "typical_p"},
                                                {"top_p", "top_p"},
                                                {"min_p", "min_p"},
                                                {"xtc", "xtc_probability"},
                                                {"temperature", "temperature"},
                                                {"dynamic_temperature", "dynatemp_range"},
                                                {"greedy", "temperature"},
                                                {"multinomial", "seed"},
                                                {"llama_cpp_dist", "seed"},
                                                {"mirostat", "mirostat"},
                                                {"mirostat_v2", "mirostat"},
                                                {"adaptive_p", "adaptive_target"}};

inline constexpr EngineStep kOpenAiOrder[] = {{"allow_mask", "response_format"},
                                              {"logit_bias", "logit_bias"},
                                              {"frequency_penalty", "frequency_penalty"},
                                              {"presence_penalty", "presence_penalty"},
                                              {"temperature", "temperature"},
                                              {"top_p", "top_p"},
                                              {"greedy", "temperature"},
                                              {"multinomial", "temperature"}};

inline constexpr EngineStep kSglangOrder[] = {{"frequency_penalty", "frequency_penalty"},
                                              {"presence_penalty", "presence_penalty"},
                                              {"min_new_tokens", "min_new_tokens"},
                                              {"repetition_penalty", "repetition_penalty"},
                                              {"allow_mask", "json_schema, regex, ebnf"},
                                              {"logit_bias", "logit_bias"},
                                              {"custom", "a custom logit processor"},
                                              {"temperature", "temperature"},
                                              {"top_p", "top_p"},
                                              {"top_k", "top_k"},
                                              {"min_p", "min_p"},
                                              {"greedy", "temperature"},
                                              {"multinomial", "temperature"}};

inline constexpr EngineStep kOllamaOrder[] = {{"allow_mask", "format"},
                                              {"repetition_penalty", "repeat_penalty"},
                                              {"frequency_penalty", "frequency_penalty"},
                                              {"presence_penalty", "presence_penalty"},
                                              {"top_k", "top_k"},
                                              {"typical_p", "typical_p"},
                                              {"top_p", "top_p"},
                                              {"min_p", "min_p"},
                                              {"temperature", "temperature"},
                                              {"greedy", "temperature"},
                                              {"multinomial", "seed"},
                                              {"llama_cpp_dist", "seed"}};

inline constexpr EngineRange kVllmRanges[] = {{"temperature", "temperature", {0.01, 2}},
                                              {"frequency_penalty", "penalty", {-2, 2}},
                                              {"presence_penalty", "penalty", {-2, 2}},
                                              {"top_p", "p", {0, 1, true, false}}};
inline constexpr EngineRange kSglangRanges[] = {{"repetition_penalty", "penalty", {0, 2, true, false}},
                                                {"frequency_penalty", "penalty", {-2, 2}},
                                                {"presence_penalty", "penalty", {-2, 2}},
                                                {"top_p", "p", {0, 1, true, false}}};

inline constexpr EngineDefault kHuggingFaceDefaults[] = {{"top_k", "top_k", "50", "0"}};
inline constexpr EngineDefault kLlamaCppDefaults[] = {{"top_k", "top_k", "40", "0"},
                                                      {"top_p", "top_p", "0.95", "1"},
                                                      {"min_p", "min_p", "0.05", "0"},
                                                      {"temperature", "temperature", "0.8", "1"}};
inline constexpr EngineDefault kOllamaDefaults[] = {
    {"top_k", "top_k", "40", "0"}, {"top_p", "top_p", "0.9", "1"}, {"temperature", "temperature", "0.8", "1"}};

/// What is known about an engine: for convert() and the tables.
struct EngineProfile {
  std::string_view title;  ///< the engine in a sentence
  std::span<const EngineStep> order;
  std::span<const EngineRange> ranges;
  std::span<const EngineDefault> defaults;  ///< of sampling
};

inline EngineProfile profile(Engine engine) {
  switch (engine) {
    case Engine::huggingface:
      return {"Hugging Face", kHuggingFaceOrder, {}, kHuggingFaceDefaults};
    case Engine::vllm:
      return {"vLLM", kVllmOrder, kVllmRanges, {}};
    case Engine::llama_cpp:
      return {"llama.cpp", kLlamaCppOrder, {}, kLlamaCppDefaults};
    case Engine::openai:
      return {"a Chat Completions request", kOpenAiOrder, kVllmRanges, {}};
    case Engine::sglang:
      return {"SGLang", kSglangOrder, kSglangRanges, {}};
    case Engine::ollama:
      break;
  }
  return {"Ollama", kOllamaOrder, {}, kOllamaDefaults};
}

/// The parameters that an engine has in one form only, with that form.
inline std::vector<FixedField> fixed_fields(Engine engine) {
  const bool is_llama = engine == Engine::llama_cpp || engine == Engine::ollama;
  const bool keeps_ties = engine == Engine::huggingface || engine == Engine::vllm;
  const FieldValue zero = std::int64_t{0}, one = std::int64_t{1};
  const std::string everywhere = "prompt+output";
  std::vector<FixedField> fixed;
  for (const std::string_view type : {"top_k", "typical_p"})
    fixed.push_back({type, "ties", keeps_ties ? "keep" : "exact"});
  fixed.push_back({"top_k", "min_keep", one});
  if (engine != Engine::llama_cpp)
    for (const std::string_view type : {"top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff"})
      fixed.push_back({type, "min_keep", one});
  fixed.push_back({"repetition_penalty", "scope", engine == Engine::sglang ? "output" : everywhere});
  fixed.push_back({"repetition_penalty", "prompt_ignore_length", zero});
  for (const std::string_view type : {"frequency_penalty", "presence_penalty"})
    fixed.push_back({type, "scope", is_llama ? everywhere : "output"});
  for (const std::string_view type : {"repetition_penalty", "frequency_penalty", "presence_penalty"}) {
    fixed.push_back({type, "exempt", TokenIds{}});
    if (!is_llama) fixed.push_back({type, "window", zero});
  }
  const bool is_hf = engine == Engine::huggingface;
  fixed.push_back({"ban_sequences", "scope", is_hf ? everywhere : "output"});
  for (const std::string_view type : {"ban_sequences", "sequence_bias"})
    fixed.push_back({type, "short_history", is_hf ? "hf" : "match"});
  fixed.push_back({"remove_invalid", "mode", "hf"});
  return fixed;
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
