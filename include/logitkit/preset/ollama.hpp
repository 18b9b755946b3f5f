// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/preset/llama_cpp.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace presets {

/// The `options` of an Ollama request: the fields that decide which tokens come out, by their own names and with
/// Ollama's defaults, which win over llama.cpp's.
struct OllamaOptions {
  std::int64_t seed = -1;         ///< 32 bits; -1 = a random one
  std::int64_t num_predict = -1;  ///< output length; -1 = no limit, -2 = what the context holds
  double temperature = 0.8;
  std::int64_t top_k = 40;
  double top_p = 0.9;
  double min_p = 0;
  double typical_p = 1;
  std::int64_t repeat_last_n = 64;  ///< window of the three penalties; 0 = off
  double repeat_penalty = 1;
  double presence_penalty = 0;
  double frequency_penalty = 0;

  /// Calls f(name, member) for every field: what the JSON form reads.
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("seed", self.seed);
    f("num_predict", self.num_predict);
    f("temperature", self.temperature);
    f("top_k", self.top_k);
    f("top_p", self.top_p);
    f("min_p", self.min_p);
    f("typical_p", self.typical_p);
    f("repeat_last_n", self.repeat_last_n);
    f("repeat_penalty", self.repeat_penalty);
    f("presence_penalty", self.presence_penalty);
    f("frequency_penalty", self.frequency_penalty);
  }
};

/// What Ollama has llama.cpp's server run for its options: llama.cpp's default samplers in their order, with Ollama's
/// defaults. Throws InvalidParameter naming the field.
///   order     llama.cpp's: the request's constraint, penalties, top-k, typical-p, top-p, min-p, temperature, the draw
///   defaults  temperature 0.8, top_k 40, top_p 0.9 (llama.cpp: 0.95), min_p 0 (llama.cpp: 0.05)
///   rest      scope, edges, ties, draws and grammar as in llama_cpp()
///   not here  its MLX engine, which orders penalties, top-k, temperature, top-p, min-p
inline Decoding ollama(const OllamaOptions& options) {
  const detail::DecodingBuilder ranges("ollama");
  ranges.require("num_predict", options.num_predict, at_least(-2));
  LlamaCppSampling sampling;
  sampling.seed = options.seed;
  sampling.n_predict = std::max<std::int64_t>(options.num_predict, -1);  // -2: the context is the caller's to limit
  sampling.temperature = options.temperature;
  sampling.top_k = options.top_k;
  sampling.top_p = options.top_p;
  sampling.min_p = options.min_p;
  sampling.typical_p = options.typical_p;
  sampling.repeat_last_n = options.repeat_last_n;
  sampling.repeat_penalty = options.repeat_penalty;
  sampling.presence_penalty = options.presence_penalty;
  sampling.frequency_penalty = options.frequency_penalty;
  return detail::LlamaCppPreset(sampling, "ollama").make();
}

}  // namespace presets
LOGITKIT_NAMESPACE_END
