// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/preset/vllm.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace presets {

/// A Chat Completions request: the fields that decide which tokens come out, by their own names and with their own
/// defaults. An empty list is a field that is not set.
struct OpenAiRequest {
  double temperature = 1;  ///< 0 = greedy
  double top_p = 1;
  double presence_penalty = 0;
  double frequency_penalty = 0;
  TokenBiases logit_bias;                             ///< each clamped to -100 .. 100
  std::optional<std::int64_t> seed;                   ///< -1 = none
  std::int64_t n = 1;                                 ///< number of sequences
  std::optional<std::int64_t> max_completion_tokens;  ///< wins over max_tokens; neither: no limit
  std::optional<std::int64_t> max_tokens;
  bool logprobs = false;
  std::optional<std::int64_t> top_logprobs;  ///< 0 to 20, only with logprobs

  /// Calls f(name, member) for every field: what the JSON form reads.
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("temperature", self.temperature);
    f("top_p", self.top_p);
    f("presence_penalty", self.presence_penalty);
    f("frequency_penalty", self.frequency_penalty);
    f("logit_bias", self.logit_bias);
    f("seed", self.seed);
    f("n", self.n);
    f("max_completion_tokens", self.max_completion_tokens);
    f("max_tokens", self.max_tokens);
    f("logprobs", self.logprobs);
    f("top_logprobs", self.top_logprobs);
  }
};

}  // namespace presets

namespace detail {

class OpenAiPreset {
 public:
  explicit OpenAiPreset(const presets::OpenAiRequest& request) : r_(request), build_(kEngine) {}

  Decoding make() {
    presets::VllmSamplingParams params;
    params.temperature = r_.temperature;
    params.top_p = r_.top_p;
    params.presence_penalty = r_.presence_penalty;
    params.frequency_penalty = r_.frequency_penalty;
    params.seed = r_.seed;
    params.n = r_.n;
    params.logit_bias = biases();
    params.max_tokens = limit();
    params.logprobs = logprobs();
    Decoding decoding = VllmPreset(params, kEngine).make();
    std::vector<Diagnostic>& notes = build_.decoding.notes;
    decoding.notes.insert(decoding.notes.begin(), notes.begin(), notes.end());
    return decoding;
  }

 private:
  static constexpr std::string_view kEngine = "openai";
  static constexpr double kMostBias = 100;

  TokenBiases biases() {
    TokenBiases biases = r_.logit_bias;
    for (auto& [id, bias] : biases) {
      const double asked = bias;
      bias = std::clamp(asked, -kMostBias, kMostBias);
      if (bias != asked)
        build_.adjusted("logit_bias",
                        "of id " + std::to_string(id) + " is " + number_text(asked) + ", set to " + number_text(bias));
    }
    return biases;
  }
  std::optional<std::int64_t> limit() {
    if (r_.max_completion_tokens) build_.require("max_completion_tokens", *r_.max_completion_tokens, at_least(1));
    if (r_.max_completion_tokens && r_.max_tokens) build_.ignored("max_tokens", "max_completion_tokens wins");
    return r_.max_completion_tokens ? r_.max_completion_tokens : r_.max_tokens;
  }
  std::optional<std::int64_t> logprobs() const {
    if (!r_.top_logprobs) return r_.logprobs ? std::optional<std::int64_t>(0) : std::nullopt;
    build_.require("top_logprobs", *r_.top_logprobs, within(0, 20));
    if (!r_.logprobs) build_.refuse("top_logprobs", "needs logprobs, which is false");
    return r_.top_logprobs;
  }

  const presets::OpenAiRequest& r_;
  DecodingBuilder build_;
};

}  // namespace detail

namespace presets {

/// What vLLM's server runs for a Chat Completions request: OpenAI's own order is not published. Throws
/// InvalidParameter naming the field.
///   order   vLLM's: the request's constraint, bias, frequency and presence penalty | temperature, top-p
///   scope   both penalties count the output only
///   edge    biases are clamped to -100 .. 100 and added: -100 is no ban; ranges are vLLM's (temperature 0 to 2,
///           penalties -2 to 2, top_p above 0), so n above 1 is refused at temperature 0
///   draws   our own Multinomial; sample i of n draws from stream i of the seed
///   report  logprobs without top_logprobs is 0 alternatives: the chosen token alone
inline Decoding openai(const OpenAiRequest& request) { return detail::OpenAiPreset(request).make(); }

}  // namespace presets
LOGITKIT_NAMESPACE_END
