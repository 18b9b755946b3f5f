// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/preset/decoding_builder.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace presets {

/// vLLM's SamplingParams: the fields that decide which tokens come out, by their own names and with their own defaults.
/// An empty list is a field that is not set.
struct VllmSamplingParams {
  std::int64_t n = 1;
  double presence_penalty = 0;
  double frequency_penalty = 0;
  double repetition_penalty = 1;
  double temperature = 1;  ///< 0 = greedy; above 0 and below 0.01: 0.01
  double top_p = 1;
  std::int64_t top_k = 0;  ///< 0, -1 = off
  double min_p = 0;
  std::optional<std::int64_t> seed;  ///< -1 = none
  TokenIds stop_token_ids;
  bool ignore_eos = false;
  std::optional<std::int64_t> max_tokens = 16;
  std::int64_t min_tokens = 0;
  std::optional<std::int64_t> logprobs;  ///< -1 = all
  TokenBiases logit_bias;
  std::optional<TokenIds> allowed_token_ids;
  TokenSequences bad_words_token_ids;  ///< vLLM's own `bad_words` are texts: each, tokenised bare and after a space

  /// Calls f(name, member) for every field: what the JSON form reads.
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("n", self.n);
    f("presence_penalty", self.presence_penalty);
    f("frequency_penalty", self.frequency_penalty);
    f("repetition_penalty", self.repetition_penalty);
    f("temperature", self.temperature);
    f("top_p", self.top_p);
    f("top_k", self.top_k);
    f("min_p", self.min_p);
    f("seed", self.seed);
    f("stop_token_ids", self.stop_token_ids);
    f("ignore_eos", self.ignore_eos);
    f("max_tokens", self.max_tokens);
    f("min_tokens", self.min_tokens);
    f("logprobs", self.logprobs);
    f("logit_bias", self.logit_bias);
    f("allowed_token_ids", self.allowed_token_ids);
    f("bad_words_token_ids", self.bad_words_token_ids);
  }
};

}  // namespace presets

namespace detail {

class VllmPreset {
 public:
  /// `engine` is whose name errors begin with.
  explicit VllmPreset(const presets::VllmSamplingParams& params, std::string_view engine = "vllm")
      : p_(params), build_(engine) {}

  Decoding make() {
    check_ranges();
    lengths_and_seed();
    add_masks_and_penalties();
    if (is_greedy())
      note_greedy_reset();
    else
      add_sampling_steps();
    return std::move(build_.decoding);
  }

 private:
  static constexpr double kLeastTemperature = 0.01;
  bool is_greedy() const { return p_.temperature == 0; }

  void check_ranges() const {
    build_.require("n", p_.n, within(1, 16384));
    build_.require("presence_penalty", p_.presence_penalty, within(-2, 2));
    build_.require("frequency_penalty", p_.frequency_penalty, within(-2, 2));
    build_.require("temperature", p_.temperature, within(0, 2));
    build_.require("top_p", p_.top_p, {0, 1, true, false});
    build_.require("top_k", p_.top_k, at_least(-1));
    build_.require("min_p", p_.min_p, within(0, 1));
    if (p_.max_tokens) build_.require("max_tokens", *p_.max_tokens, at_least(1));
    build_.require("min_tokens", p_.min_tokens,
                   p_.max_tokens ? within(0, static_cast<double>(*p_.max_tokens)) : at_least(0));
    if (p_.logprobs) build_.require("logprobs", *p_.logprobs, at_least(-1));
    if (is_greedy() && p_.n > 1) build_.refuse("n", "is " + std::to_string(p_.n) + ", allowed is 1 at temperature 0");
  }

  void lengths_and_seed() {
    Decoding& d = build_.decoding;
    d.mode = is_greedy() ? Mode::greedy : Mode::sample;
    d.n = p_.n;
    d.max_new_tokens = p_.max_tokens;
    d.end_ids = p_.stop_token_ids;
    d.logprobs = p_.logprobs;
    if (p_.seed && *p_.seed != -1) build_.take_seed("seed", *p_.seed, "vLLM", is_greedy() ? "temperature is 0" : "");
    if (p_.n > 1) build_.deviates("n", "sample i draws from stream i of the seed; vLLM gives it the seed + i");
    if (p_.ignore_eos) build_.ignored("ignore_eos", "leave the model's end tokens out of the request's end_ids");
  }

  /// What runs in every mode, in vLLM's order.
  void add_masks_and_penalties() {
    build_.add_constraint();
    if (p_.allowed_token_ids) build_.add("allowed_token_ids", "force_tokens", {{"ids", *p_.allowed_token_ids}});
    if (!p_.bad_words_token_ids.empty())
      build_.add("bad_words_token_ids", "ban_sequences", {{"sequences", p_.bad_words_token_ids}, {"scope", "output"}});
    if (p_.min_tokens > 0) build_.add("min_tokens", "min_new_tokens", {{"min_new_tokens", p_.min_tokens}});
    if (!p_.logit_bias.empty()) build_.add("logit_bias", "logit_bias", {{"bias", p_.logit_bias}});
    if (p_.repetition_penalty != 1)
      build_.add("repetition_penalty", "repetition_penalty", {{"penalty", p_.repetition_penalty}});
    if (p_.frequency_penalty != 0)
      build_.add("frequency_penalty", "frequency_penalty", {{"penalty", p_.frequency_penalty}});
    if (p_.presence_penalty != 0)
      build_.add("presence_penalty", "presence_penalty", {{"penalty", p_.presence_penalty}});
  }

  /// What runs at temperatures above 0, in vLLM's order.
  void add_sampling_steps() {
    const double t = std::max(p_.temperature, kLeastTemperature);
    if (t != p_.temperature)
      build_.adjusted("temperature", "is " + number_text(p_.temperature) + ", raised to 0.01 as vLLM does");
    if (t != 1) build_.add("temperature", "temperature", {{"temperature", t}});
    if (p_.min_p != 0) build_.add("min_p", "min_p", {{"p", p_.min_p}});
    if (p_.top_k > 0) build_.add("top_k", "top_k", {{"k", p_.top_k}, {"ties", "keep"}});
    if (p_.top_p != 1) build_.add("top_p", "top_p", {{"p", p_.top_p}});
    build_.add("temperature", "multinomial", {}, "above 0");
  }

  void note_greedy_reset() {
    const auto unused = [&](std::string_view field, bool is_set) {
      if (is_set) build_.ignored(field, "temperature is 0");
    };
    unused("top_p", p_.top_p != 1);
    unused("top_k", p_.top_k > 0);
    unused("min_p", p_.min_p != 0);
    build_.add("temperature", "greedy", {}, "0");
  }

  const presets::VllmSamplingParams& p_;
  DecodingBuilder build_;
};

}  // namespace detail

namespace presets {

/// What vLLM runs for its SamplingParams, in its order. Throws InvalidParameter naming the field.
///   order   the request's constraint, allowed ids, bad words, minimum length, bias, repetition, frequency and presence
///           penalty | temperature, min-p, top-k, top-p
///   scope   repetition: prompt and output; frequency, presence and bad words: output only
///   edge    temperature 0 is greedy and resets top_p, top_k and min_p; above 0 and below 0.01 it becomes 0.01
///   ties    top-k keeps all ties, as vLLM's PyTorch path does; where top-p cuts among equal logits, lower ids stay
///   draws   our own Multinomial: the same distribution, not the tokens of a torch seed
///   ends    stop_token_ids; the model's end tokens come with the request, and min_tokens masks those too
///   numbers penalties divide, where one of vLLM's kernels multiplies by 1 / r: a last bit may differ
inline Decoding vllm(const VllmSamplingParams& params) { return detail::VllmPreset(params).make(); }

}  // namespace presets
LOGITKIT_NAMESPACE_END
