// SPDX-License-Identifier: MIT
#pragma once
#include <variant>

#include "logitkit/preset/decoding_builder.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace presets {

/// Hugging Face's GenerationConfig (Transformers 5): the fields that decide which tokens come out, by their own names
/// and with their own defaults. An empty list is a field that is not set.
struct GenerationConfig {
  bool do_sample = false;
  std::int64_t num_beams = 1;
  std::int64_t num_return_sequences = 1;
  std::variant<bool, std::string> early_stopping = false;  ///< or "never"
  double length_penalty = 1;
  std::optional<std::int64_t> max_length;      ///< prompt + output
  std::optional<std::int64_t> max_new_tokens;  ///< wins over max_length; neither: 20
  std::int64_t min_length = 0;
  std::optional<std::int64_t> min_new_tokens;  ///< wins over min_length
  TokenIds eos_token_id;

  std::optional<double> guidance_scale;
  SequenceBiases sequence_bias;
  double repetition_penalty = 1;
  std::int64_t no_repeat_ngram_size = 0;
  TokenSequences bad_words_ids;
  std::optional<TokenId> forced_bos_token_id;
  TokenIds forced_eos_token_id;
  bool remove_invalid_values = false;
  std::optional<std::pair<std::int64_t, double>> exponential_decay_length_penalty;  ///< start, factor
  TokenIds suppress_tokens;
  TokenIds begin_suppress_tokens;

  double temperature = 1;
  std::optional<double> top_h;
  std::int64_t top_k = 50;  ///< 0 = off
  double top_p = 1;
  std::optional<double> min_p;
  double typical_p = 1;
  double epsilon_cutoff = 0;
  double eta_cutoff = 0;
  bool renormalize_logits = false;

  /// Calls f(name, member) for every field: what the JSON form reads.
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("do_sample", self.do_sample);
    f("num_beams", self.num_beams);
    f("num_return_sequences", self.num_return_sequences);
    f("early_stopping", self.early_stopping);
    f("length_penalty", self.length_penalty);
    f("max_length", self.max_length);
    f("max_new_tokens", self.max_new_tokens);
    f("min_length", self.min_length);
    f("min_new_tokens", self.min_new_tokens);
    f("eos_token_id", self.eos_token_id);
    f("guidance_scale", self.guidance_scale);
    f("sequence_bias", self.sequence_bias);
    f("repetition_penalty", self.repetition_penalty);
    f("no_repeat_ngram_size", self.no_repeat_ngram_size);
    f("bad_words_ids", self.bad_words_ids);
    f("forced_bos_token_id", self.forced_bos_token_id);
    f("forced_eos_token_id", self.forced_eos_token_id);
    f("remove_invalid_values", self.remove_invalid_values);
    f("exponential_decay_length_penalty", self.exponential_decay_length_penalty);
    f("suppress_tokens", self.suppress_tokens);
    f("begin_suppress_tokens", self.begin_suppress_tokens);
    f("temperature", self.temperature);
    f("top_h", self.top_h);
    f("top_k", self.top_k);
    f("top_p", self.top_p);
    f("min_p", self.min_p);
    f("typical_p", self.typical_p);
    f("epsilon_cutoff", self.epsilon_cutoff);
    f("eta_cutoff", self.eta_cutoff);
    f("renormalize_logits", self.renormalize_logits);
  }
};

}  // namespace presets

namespace detail {

class HuggingFacePreset {
 public:
  explicit HuggingFacePreset(const presets::GenerationConfig& config) : c_(config), build_("huggingface") {}

  Decoding make(const Chain& customs) {
    lengths();
    mode();
    add_processors();
    build_.merge(customs);
    if (c_.do_sample)
      add_sampling_steps();
    else
      note_sampling_fields();
    if (c_.renormalize_logits) build_.add("renormalize_logits", "log_softmax");
    if (c_.do_sample)
      build_.add("do_sample", "multinomial");
    else if (!has_beams())
      build_.add("do_sample", "greedy", {}, "false");
    return std::move(build_.decoding);
  }

 private:
  bool has_beams() const { return c_.num_beams > 1; }
  static bool is_off(double cutoff) { return cutoff <= 0 || cutoff >= 1; }  // NaN is not: the step refuses it

  void lengths() {
    if (c_.max_new_tokens) build_.require("max_new_tokens", *c_.max_new_tokens, at_least(1));
    if (c_.max_length) build_.require("max_length", *c_.max_length, at_least(1));
    build_.require("min_length", c_.min_length, at_least(0));
    Decoding& d = build_.decoding;
    d.end_ids = c_.eos_token_id;
    if (c_.max_new_tokens || !c_.max_length) d.max_new_tokens = c_.max_new_tokens.value_or(kDefaultNewTokens);
    if (!d.max_new_tokens) d.max_length = c_.max_length;
    if (c_.max_new_tokens && c_.max_length) build_.ignored("max_length", "max_new_tokens wins");
  }

  void mode() {
    build_.require("num_beams", c_.num_beams, within(1, 1e6));
    build_.require("num_return_sequences", c_.num_return_sequences,
                   c_.do_sample && !has_beams() ? at_least(1) : within(1, static_cast<double>(c_.num_beams)));
    build_.require("length_penalty", c_.length_penalty, within(-1e6, 1e6));
    const auto* word = std::get_if<std::string>(&c_.early_stopping);
    if (word != nullptr && *word != "never")
      build_.refuse("early_stopping", "is \"" + *word + "\", allowed is true, false or \"never\"");
    Decoding& d = build_.decoding;
    d.n = c_.num_return_sequences;
    d.mode =
        has_beams() ? (c_.do_sample ? Mode::beam_sample : Mode::beam) : (c_.do_sample ? Mode::sample : Mode::greedy);
    if (!has_beams()) {
      if (c_.early_stopping != presets::GenerationConfig{}.early_stopping)
        build_.ignored("early_stopping", "there is one beam only");
      if (c_.length_penalty != 1) build_.ignored("length_penalty", "there is one beam only");
      return;
    }
    d.beams.width = static_cast<int>(c_.num_beams);
    d.beams.length = LengthRule::power(c_.length_penalty);
    d.beams.stop = word != nullptr                     ? StopRule::exhaustive
                   : std::get<bool>(c_.early_stopping) ? StopRule::as_soon_as_full
                                                       : StopRule::estimated;
    d.beams.scores = BeamScores::log_softmax;
    if (d.max_new_tokens)
      d.beams.max_new_tokens = static_cast<int>(std::min<std::int64_t>(*d.max_new_tokens, 1 << 30));
    else
      build_.deviates("max_length", "counts the prompt: set beams.max_new_tokens to it less the prompt's length");
  }

  /// What runs in every mode, in Hugging Face's order.
  void add_processors() {
    const FieldValue ends = c_.eos_token_id;
    const bool has_ends = !c_.eos_token_id.empty();
    if (c_.guidance_scale.value_or(1) != 1) build_.add("guidance_scale", "guidance", {{"scale", *c_.guidance_scale}});
    if (!c_.sequence_bias.empty())
      build_.add("sequence_bias", "sequence_bias", {{"biases", c_.sequence_bias}, {"short_history", "hf"}});
    if (c_.repetition_penalty != 1)
      build_.add("repetition_penalty", "repetition_penalty", {{"penalty", c_.repetition_penalty}});
    if (c_.no_repeat_ngram_size != 0)
      build_.add("no_repeat_ngram_size", "no_repeat_ngram", {{"n", c_.no_repeat_ngram_size}});
    if (const TokenSequences words = bad_words(); !words.empty())
      build_.add("bad_words_ids", "ban_sequences", {{"sequences", words}, {"short_history", "hf"}});
    if (c_.min_length > 0 && needs_ends("min_length") && !replaced_by_min_new_tokens())
      build_.add("min_length", "min_length", {{"min_length", c_.min_length}, {"end_ids", ends}});
    if (c_.min_new_tokens.value_or(0) != 0 && needs_ends("min_new_tokens"))
      build_.add("min_new_tokens", "min_new_tokens", {{"min_new_tokens", *c_.min_new_tokens}, {"end_ids", ends}});
    if (c_.forced_bos_token_id)
      build_.add("forced_bos_token_id", "forced_bos", {{"token", std::int64_t{*c_.forced_bos_token_id}}});
    if (!c_.forced_eos_token_id.empty()) add_forced_eos();
    if (c_.remove_invalid_values) build_.add("remove_invalid_values", "remove_invalid", {{"mode", "hf"}});
    if (const auto& decay = c_.exponential_decay_length_penalty) {
      if (!has_ends) build_.refuse("exponential_decay_length_penalty", "needs eos_token_id, which is not set");
      build_.add("exponential_decay_length_penalty", "exponential_decay_length_penalty",
                 {{"start", decay->first}, {"factor", decay->second}, {"end_ids", ends}});
    }
    if (!c_.suppress_tokens.empty()) build_.add("suppress_tokens", "ban_tokens", {{"ids", c_.suppress_tokens}});
    if (!c_.begin_suppress_tokens.empty()) {
      build_.add("begin_suppress_tokens", "suppress_at_begin", {{"ids", c_.begin_suppress_tokens}});
      if (c_.forced_bos_token_id)
        build_.deviates("begin_suppress_tokens",
                        "with forced_bos_token_id and a prompt of one token, Hugging Face "
                        "takes the second new token for the beginning; set begin_index to 2");
    }
  }

  /// What runs when sampling, in Hugging Face's order.
  void add_sampling_steps() {
    const auto ends = static_cast<std::int64_t>(c_.eos_token_id.size());
    const Field keep{"min_keep", has_beams() ? std::max<std::int64_t>(ends, 1) + 1 : 1};
    const Field ties{"ties", "keep"};
    if (c_.temperature != 1) build_.add("temperature", "temperature", {{"temperature", c_.temperature}});
    if (c_.top_h) build_.add("top_h", "top_h", {{"h", *c_.top_h}});
    if (c_.top_k != 0)
      build_.add("top_k", "top_k", {{"k", c_.top_k}, ties, keep}, c_.top_k == 50 ? "on by default" : "");
    if (!(c_.top_p >= 1)) build_.add("top_p", "top_p", {{"p", c_.top_p}, keep});
    if (c_.min_p) build_.add("min_p", "min_p", {{"p", *c_.min_p}, keep});
    if (!(c_.typical_p >= 1)) build_.add("typical_p", "typical_p", {{"p", c_.typical_p}, ties, keep});
    if (!is_off(c_.epsilon_cutoff))
      build_.add("epsilon_cutoff", "epsilon_cutoff", {{"epsilon", c_.epsilon_cutoff}, keep});
    if (!is_off(c_.eta_cutoff)) build_.add("eta_cutoff", "eta_cutoff", {{"epsilon", c_.eta_cutoff}, keep});

    const auto off = [&](std::string_view field, double value, const std::string& allowed) {
      build_.ignored(field, "is " + number_text(value) + ", which switches it off; its range is " + allowed);
    };
    if (c_.top_p > 1) off("top_p", c_.top_p, "0 to 1");
    if (c_.typical_p > 1) off("typical_p", c_.typical_p, "above 0 to 1");
    if (c_.epsilon_cutoff != 0 && is_off(c_.epsilon_cutoff))
      off("epsilon_cutoff", c_.epsilon_cutoff, "above 0 to below 1");
    if (c_.eta_cutoff != 0 && is_off(c_.eta_cutoff)) off("eta_cutoff", c_.eta_cutoff, "above 0 to below 1");
  }

  void note_sampling_fields() {
    const auto unused = [&](std::string_view field, bool is_set) {
      if (is_set) build_.ignored(field, "do_sample is false");
    };
    unused("temperature", c_.temperature != 1);
    unused("top_h", c_.top_h.has_value());
    unused("top_k", c_.top_k != 50);
    unused("top_p", c_.top_p != 1);
    unused("min_p", c_.min_p.has_value());
    unused("typical_p", c_.typical_p != 1);
    unused("epsilon_cutoff", c_.epsilon_cutoff != 0);
    unused("eta_cutoff", c_.eta_cutoff != 0);
  }

  bool needs_ends(std::string_view field) {
    if (c_.eos_token_id.empty()) build_.ignored(field, "eos_token_id is not set");
    return !c_.eos_token_id.empty();
  }
  bool replaced_by_min_new_tokens() {
    if (c_.min_new_tokens.value_or(0) == 0) return false;
    build_.ignored("min_length", "min_new_tokens wins");
    return true;
  }
  /// At the final length limit. Where that counts new tokens, it is the request's: one limit, in one place.
  void add_forced_eos() {
    Fields fields{{"end_ids", c_.forced_eos_token_id}};
    if (const auto& length = build_.decoding.max_length) fields.push_back({"max_length", *length});
    build_.add("forced_eos_token_id", "forced_eos", fields);
    if (!build_.decoding.max_length)
      build_.adjusted("forced_eos_token_id",
                      "acts at RequestOptions::max_new_tokens, which request_options() of this result gives");
  }
  TokenSequences bad_words() {
    TokenSequences words = c_.bad_words_ids;
    const TokenIds& ends = c_.eos_token_id;
    const auto dropped = std::erase_if(words, [&](const TokenIds& word) {
      return word.size() == 1 && std::find(ends.begin(), ends.end(), word[0]) != ends.end();
    });
    if (dropped > 0) build_.ignored("bad_words_ids", "a word that is an end token alone is not banned");
    return words;
  }

  static constexpr std::int64_t kDefaultNewTokens = 20;
  const presets::GenerationConfig& c_;
  DecodingBuilder build_;
};

}  // namespace detail

namespace presets {

/// What `generate()` of Hugging Face Transformers runs for a configuration, in its order: processors, custom steps and
/// the request's constraint, sampling steps, renormalisation. Throws InvalidParameter naming the field.
///   customs   steps of the user's own; the first of each type takes the place of a processor of that type, the others
///             follow the processors, before temperature
///   order     guidance, sequence bias, repetition penalty, n-grams, bad words, minimum lengths, forced tokens, invalid
///             values, length penalty, suppressed tokens | customs | temperature, top-h, top-k, top-p, min-p,
///             typical-p, epsilon, eta | log-softmax
///   defaults  top_k is 50 when sampling, 20 new tokens; do_sample = false runs no sampling step
///   ties      top-k and typical-p keep all ties, as Hugging Face does; where top-p cuts among equal logits, which go
///             depends on a sort there, here the lower ids stay
///   draws     our own Multinomial: the same distribution, not the tokens of a torch seed
///   not here  encoder-only steps, watermarking, assisted generation
inline Decoding huggingface(const GenerationConfig& config, const Chain& customs = {}) {
  return detail::HuggingFacePreset(config).make(customs);
}

}  // namespace presets
LOGITKIT_NAMESPACE_END
