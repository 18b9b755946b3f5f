// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/preset/decoding_builder.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace presets {

/// SGLang's sampling_params: the fields that decide which tokens come out, by their own names and with their own
/// defaults. An empty list is a field that is not set.
struct SglangSamplingParams {
  double temperature = 1;  ///< below 1e-6 = greedy; no upper limit
  double top_p = 1;
  std::int64_t top_k = -1;  ///< -1 = off
  double min_p = 0;
  double frequency_penalty = 0;
  double presence_penalty = 0;
  double repetition_penalty = 1;
  std::int64_t min_new_tokens = 0;
  std::optional<std::int64_t> max_new_tokens = 128;
  std::int64_t n = 1;
  TokenIds stop_token_ids;
  bool ignore_eos = false;
  TokenBiases logit_bias;
  std::optional<std::int64_t> sampling_seed;

  /// Calls f(name, member) for every field: what the JSON form reads.
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("temperature", self.temperature);
    f("top_p", self.top_p);
    f("top_k", self.top_k);
    f("min_p", self.min_p);
    f("frequency_penalty", self.frequency_penalty);
    f("presence_penalty", self.presence_penalty);
    f("repetition_penalty", self.repetition_penalty);
    f("min_new_tokens", self.min_new_tokens);
    f("max_new_tokens", self.max_new_tokens);
    f("n", self.n);
    f("stop_token_ids", self.stop_token_ids);
    f("ignore_eos", self.ignore_eos);
    f("logit_bias", self.logit_bias);
    f("sampling_seed", self.sampling_seed);
  }
};

}  // namespace presets

namespace detail {

class SglangPreset {
 public:
  explicit SglangPreset(const presets::SglangSamplingParams& params) : p_(params), build_("sglang") {}

  Decoding make() {
    check_ranges();
    lengths_and_seed();
    add_penalties_and_masks();
    if (is_greedy())
      note_greedy();
    else
      add_sampling_steps();
    return std::move(build_.decoding);
  }

 private:
  static constexpr double kGreedyBelow = 1e-6;
  bool is_greedy() const { return p_.temperature < kGreedyBelow; }

  void check_ranges() const {
    build_.require("temperature", p_.temperature, at_least(0));
    build_.require("top_p", p_.top_p, {0, 1, true, false});
    if (p_.top_k != -1) build_.require("top_k", p_.top_k, at_least(1));
    build_.require("min_p", p_.min_p, within(0, 1));
    build_.require("frequency_penalty", p_.frequency_penalty, within(-2, 2));
    build_.require("presence_penalty", p_.presence_penalty, within(-2, 2));
    build_.require("repetition_penalty", p_.repetition_penalty, {0, 2, true, false});
    if (p_.max_new_tokens) build_.require("max_new_tokens", *p_.max_new_tokens, at_least(0));
    build_.require("min_new_tokens", p_.min_new_tokens,
                   p_.max_new_tokens ? within(0, static_cast<double>(*p_.max_new_tokens)) : at_least(0));
    build_.require("n", p_.n, at_least(1));
  }

  void lengths_and_seed() {
    Decoding& d = build_.decoding;
    d.mode = is_greedy() ? Mode::greedy : Mode::sample;
    d.n = p_.n;
    d.max_new_tokens = p_.max_new_tokens;
    d.end_ids = p_.stop_token_ids;
    if (p_.sampling_seed)
      build_.take_seed("sampling_seed", *p_.sampling_seed, "SGLang", is_greedy() ? "temperature is below 1e-6" : "");
    if (p_.ignore_eos) build_.ignored("ignore_eos", "leave the model's end tokens out of the request's end_ids");
  }

  /// What runs in every mode, in SGLang's order.
  void add_penalties_and_masks() {
    if (p_.frequency_penalty != 0)
      build_.add("frequency_penalty", "frequency_penalty", {{"penalty", p_.frequency_penalty}});
    if (p_.presence_penalty != 0)
      build_.add("presence_penalty", "presence_penalty", {{"penalty", p_.presence_penalty}});
    if (p_.min_new_tokens > 0) build_.add("min_new_tokens", "min_new_tokens", {{"min_new_tokens", p_.min_new_tokens}});
    if (p_.repetition_penalty != 1)
      build_.add("repetition_penalty", "repetition_penalty", {{"penalty", p_.repetition_penalty}, {"scope", "output"}});
    build_.add_constraint();
    if (!p_.logit_bias.empty()) build_.add("logit_bias", "logit_bias", {{"bias", p_.logit_bias}});
  }

  /// top_p looks at the whole distribution, not at what top_k leaves: it comes first, and the two keep what both allow.
  void add_sampling_steps() {
    if (p_.temperature != 1) build_.add("temperature", "temperature", {{"temperature", p_.temperature}});
    if (p_.top_p != 1) build_.add("top_p", "top_p", {{"p", p_.top_p}}, "of the whole distribution");
    if (p_.top_k != -1) build_.add("top_k", "top_k", {{"k", p_.top_k}});
    if (p_.min_p != 0) build_.add("min_p", "min_p", {{"p", p_.min_p}});
    build_.add("temperature", "multinomial", {}, "not 0");
    if (p_.top_k != -1 && p_.top_p != 1 && p_.min_p != 0)
      build_.deviates("min_p",
                      "with it SGLang's FlashInfer backend measures top_p on what top_k leaves; its PyTorch backend, "
                      "and this preset, on the whole distribution");
  }

  void note_greedy() {
    if (p_.temperature != 0)
      build_.adjusted("temperature", "is " + number_text(p_.temperature) + ", below 1e-6, which is greedy");
    const auto unused = [&](std::string_view field, bool is_set) {
      if (is_set) build_.ignored(field, "temperature is below 1e-6, which keeps the best token only");
    };
    unused("top_p", p_.top_p != 1);
    unused("top_k", p_.top_k != -1);
    unused("min_p", p_.min_p != 0);
    build_.add("temperature", "greedy", {}, "0");
  }

  const presets::SglangSamplingParams& p_;
  DecodingBuilder build_;
};

}  // namespace detail

namespace presets {

/// What SGLang runs for its sampling_params, in its order (PyTorch backend). Throws InvalidParameter naming the field.
///   order   frequency and presence penalty, minimum length, repetition penalty, the request's constraint, bias |
///           temperature, top-p, top-k, min-p
///   scope   all penalties see the output only; vLLM's repetition penalty sees the prompt too
///   edge    a temperature below 1e-6 is greedy; no upper limit, and no least one as in vLLM; repetition_penalty is at
///           most 2; 128 new tokens by default
///   top-p   of the distribution before top-k, so both are measured on one distribution; where the mass before a token
///           is exactly p, SGLang keeps one token more
///   ties    top-k keeps exactly k; which of equal logits go depends on a sort there, here the lower ids stay
///   draws   our own Multinomial: the same distribution, not the tokens of a sampling_seed
///   ends    stop_token_ids; the model's end tokens come with the request, and min_new_tokens masks those too
inline Decoding sglang(const SglangSamplingParams& params) { return detail::SglangPreset(params).make(); }

}  // namespace presets
LOGITKIT_NAMESPACE_END
