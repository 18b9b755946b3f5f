// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/preset/decoding_builder.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace presets {

/// llama.cpp's sampling fields, by the names and with the defaults of its server. An empty list is a field that is not
/// set, but for `samplers`.
struct LlamaCppSampling {
  /// The samplers that run, in this order; those left out do not run.
  std::vector<std::string> samplers = {"penalties", "dry",   "top_n_sigma", "top_k",      "typ_p",
                                       "top_p",     "min_p", "xtc",         "temperature"};
  std::int64_t seed = -1;  ///< 32 bits; -1 = a random one
  std::int64_t min_keep = 0;
  TokenBiases logit_bias;

  std::int64_t repeat_last_n = 64;  ///< window of the three penalties; 0 = off
  double repeat_penalty = 1;
  double frequency_penalty = 0;
  double presence_penalty = 0;
  double dry_multiplier = 0;
  double dry_base = 1.75;
  std::int64_t dry_allowed_length = 2;
  std::int64_t dry_penalty_last_n = 64;
  TokenSequences dry_sequence_breakers;  ///< as tokens; llama.cpp takes texts, by default \n : " *
  double top_n_sigma = -1;
  std::int64_t top_k = 40;
  double typical_p = 1;
  double top_p = 0.95;
  double min_p = 0.05;
  double xtc_probability = 0;
  double xtc_threshold = 0.1;
  double temperature = 0.8;
  double dynatemp_range = 0;
  double dynatemp_exponent = 1;

  std::int64_t mirostat = 0;  ///< 1, 2: replaces all samplers but temperature
  double mirostat_tau = 5;
  double mirostat_eta = 0.1;
  double adaptive_target = -1;  ///< below 0: a plain draw
  double adaptive_decay = 0.9;

  std::int64_t n_predict = -1;  ///< output length; -1 = no limit
  std::int64_t n_probs = 0;     ///< alternatives to report

  /// Calls f(name, member) for every field: what the JSON form reads.
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("samplers", self.samplers);
    f("seed", self.seed);
    f("min_keep", self.min_keep);
    f("logit_bias", self.logit_bias);
    f("repeat_last_n", self.repeat_last_n);
    f("repeat_penalty", self.repeat_penalty);
    f("frequency_penalty", self.frequency_penalty);
    f("presence_penalty", self.presence_penalty);
    f("dry_multiplier", self.dry_multiplier);
    f("dry_base", self.dry_base);
    f("dry_allowed_length", self.dry_allowed_length);
    f("dry_penalty_last_n", self.dry_penalty_last_n);
    f("dry_sequence_breakers", self.dry_sequence_breakers);
    f("top_n_sigma", self.top_n_sigma);
    f("top_k", self.top_k);
    f("typical_p", self.typical_p);
    f("top_p", self.top_p);
    f("min_p", self.min_p);
    f("xtc_probability", self.xtc_probability);
    f("xtc_threshold", self.xtc_threshold);
    f("temperature", self.temperature);
    f("dynatemp_range", self.dynatemp_range);
    f("dynatemp_exponent", self.dynatemp_exponent);
    f("mirostat", self.mirostat);
    f("mirostat_tau", self.mirostat_tau);
    f("mirostat_eta", self.mirostat_eta);
    f("adaptive_target", self.adaptive_target);
    f("adaptive_decay", self.adaptive_decay);
    f("n_predict", self.n_predict);
    f("n_probs", self.n_probs);
  }
};

}  // namespace presets

namespace detail {

/// llama.cpp's name of a sampler as it is spelled in its default list; empty if it has none of that name. Names are
/// read without regard to case; some have aliases.
inline std::string_view llama_cpp_sampler(std::string text) {
  struct Alias {
    std::string_view alias, name;
  };
  constexpr Alias kAliases[] = {
      {"topk", "top_k"},          {"topp", "top_p"}, {"nucleus", "top_p"}, {"minp", "min_p"},
      {"temp", "temperature"},    {"typ", "typ_p"},  {"typp", "typ_p"},    {"topnsigma", "top_n_sigma"},
      {"adaptivep", "adaptive_p"}};
  constexpr std::string_view kNames[] = {"penalties", "dry",         "top_n_sigma", "top_k",  "typ_p",     "top_p",
                                         "min_p",     "temperature", "xtc",         "infill", "adaptive_p"};
  for (char& c : text) c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view name : kNames)
    if (text == name) return name;
  for (const Alias& one : kAliases)
    if (text == one.alias) return one.name;
  return "";
}

class LlamaCppPreset {
 public:
  /// `engine` is whose name errors begin with.
  explicit LlamaCppPreset(const presets::LlamaCppSampling& sampling, std::string_view engine = "llama.cpp")
      : s_(sampling), build_(engine) {}

  Decoding make() {
    check_ranges();
    build_.add_constraint();
    if (!s_.logit_bias.empty()) build_.add("logit_bias", "logit_bias", {{"bias", s_.logit_bias}});
    const auto mirostat = clamped("mirostat", static_cast<double>(s_.mirostat), within(0, 2));
    list_samplers(mirostat > 0);
    for (const std::string_view name : samplers_) add_sampler(name);
    if (mirostat > 0)
      build_.add("mirostat", mirostat == 1 ? "mirostat" : "mirostat_v2",
                 with_seed({{"tau", s_.mirostat_tau}, {"eta", s_.mirostat_eta}}));
    else
      add_selector();
    note_unused();
    return std::move(build_.decoding);
  }

 private:
  void check_ranges() {
    for (const auto& [field, value] : {std::pair{"repeat_last_n", s_.repeat_last_n},
                                       {"dry_penalty_last_n", s_.dry_penalty_last_n},
                                       {"dry_allowed_length", s_.dry_allowed_length},
                                       {"min_keep", s_.min_keep},
                                       {"n_probs", s_.n_probs}})
      build_.require(field, value, at_least(0));
    build_.require("seed", s_.seed, within(-1, 4294967295.0));
    build_.require("n_predict", s_.n_predict, at_least(-1));
    Decoding& d = build_.decoding;
    if (s_.n_predict >= 0) d.max_new_tokens = s_.n_predict;
    if (s_.n_probs > 0) d.logprobs = s_.n_probs;
    if (has_seed()) d.seed = static_cast<std::uint64_t>(s_.seed);
  }
  bool has_seed() const { return s_.seed != -1 && s_.seed != 4294967295; }

  /// The server clamps these instead of refusing them.
  double clamped(std::string_view field, double value, const Range& range) {
    if (value != value) build_.require(field, value, range);
    const double inside = std::clamp(value, range.low, range.high);
    if (inside != value) build_.adjusted(field, "is " + number_text(value) + ", set to " + number_text(inside));
    return inside;
  }
  Field keep() const { return {"min_keep", std::max<std::int64_t>(s_.min_keep, 1)}; }
  /// Samplers that draw have a generator each, seeded with the same number.
  Fields with_seed(Fields fields) const {
    if (has_seed()) fields.push_back({"seed", s_.seed});
    return fields;
  }

  void list_samplers(bool has_mirostat) {
    if (has_mirostat) {
      samplers_ = {"temperature"};
      return build_.ignored("samplers", "mirostat replaces all of them but temperature");
    }
    for (const std::string& text : s_.samplers) {
      const std::string_view name = llama_cpp_sampler(text);
      if (name.empty())
        build_.ignored("samplers", "llama.cpp has no sampler \"" + text + "\"");
      else
        samplers_.push_back(name);
    }
  }
  bool is_listed(std::string_view name) const {
    return std::find(samplers_.begin(), samplers_.end(), name) != samplers_.end();
  }
  /// Fields that were set, but whose sampler is not listed.
  void note_unused() {
    const presets::LlamaCppSampling defaults;
    const auto unused = [&](std::string_view sampler, std::string_view field, auto value, auto default_value) {
      if (value != default_value && !is_listed(sampler))
        build_.ignored(field, "the sampler " + std::string(sampler) + " does not run");
    };
    unused("penalties", "repeat_penalty", s_.repeat_penalty, defaults.repeat_penalty);
    unused("penalties", "frequency_penalty", s_.frequency_penalty, defaults.frequency_penalty);
    unused("penalties", "presence_penalty", s_.presence_penalty, defaults.presence_penalty);
    unused("dry", "dry_multiplier", s_.dry_multiplier, defaults.dry_multiplier);
    unused("top_n_sigma", "top_n_sigma", s_.top_n_sigma, defaults.top_n_sigma);
    unused("top_k", "top_k", s_.top_k, defaults.top_k);
    unused("typ_p", "typical_p", s_.typical_p, defaults.typical_p);
    unused("top_p", "top_p", s_.top_p, defaults.top_p);
    unused("min_p", "min_p", s_.min_p, defaults.min_p);
    unused("xtc", "xtc_probability", s_.xtc_probability, defaults.xtc_probability);
    unused("temperature", "temperature", s_.temperature, defaults.temperature);
    unused("adaptive_p", "adaptive_target", s_.adaptive_target, defaults.adaptive_target);
  }

  void add_sampler(std::string_view name) {
    if (name == "penalties") {
      add_penalties();
    } else if (name == "dry") {
      add_dry();
    } else if (name == "top_n_sigma") {
      if (!(s_.top_n_sigma <= 0)) build_.add("top_n_sigma", "top_n_sigma", {{"n", s_.top_n_sigma}});
    } else if (name == "top_k") {
      if (s_.top_k > 0) build_.add("top_k", "top_k", {{"k", s_.top_k}});
      if (s_.top_k < 0) build_.adjusted("top_k", "is " + std::to_string(s_.top_k) + ", which is off");
    } else if (name == "typ_p") {
      add_typical_p();
    } else if (name == "top_p") {
      if (const double p = clamped("top_p", s_.top_p, within(0, 1)); p < 1)
        build_.add("top_p", "top_p", {{"p", p}, keep()});
    } else if (name == "min_p") {
      if (const double p = clamped("min_p", s_.min_p, within(0, 1)); p > 0)
        build_.add("min_p", "min_p", {{"p", p}, keep()});
    } else if (name == "xtc") {
      add_xtc();
    } else if (name == "temperature") {
      add_temperature();
    } else if (name == "infill") {
      build_.refuse("samplers", "infill needs the texts of the vocabulary and is not offered");
    }  // adaptive_p is the selector, wherever it is listed
  }

  void add_typical_p() {
    if (s_.typical_p >= 1) return;
    const double p = s_.typical_p <= 0 ? kLeastMass : s_.typical_p;
    if (p != s_.typical_p)
      build_.adjusted("typical_p", "is " + number_text(s_.typical_p) + ", which keeps the most typical tokens only");
    build_.add("typical_p", "typical_p", {{"p", p}, keep()});
  }

  void add_penalties() {
    if (s_.repeat_last_n == 0) return;
    const Field scope{"scope", "prompt+output"}, window{"window", s_.repeat_last_n};
    if (s_.repeat_penalty != 1)
      build_.add("repeat_penalty", "repetition_penalty", {{"penalty", s_.repeat_penalty}, scope, window});
    if (s_.frequency_penalty != 0)
      build_.add("frequency_penalty", "frequency_penalty", {{"penalty", s_.frequency_penalty}, scope, window});
    if (s_.presence_penalty != 0)
      build_.add("presence_penalty", "presence_penalty", {{"penalty", s_.presence_penalty}, scope, window});
  }

  void add_dry() {
    if (s_.dry_multiplier == 0 || s_.dry_penalty_last_n == 0) return;
    const double default_base = presets::LlamaCppSampling{}.dry_base;
    const double base = s_.dry_base < 1 ? default_base : s_.dry_base;
    if (base != s_.dry_base) build_.adjusted("dry_base", "is below 1, set to the default " + number_text(base));
    build_.add("dry_multiplier", "dry",
               {{"multiplier", s_.dry_multiplier},
                {"base", base},
                {"allowed_length", s_.dry_allowed_length},
                {"window", s_.dry_penalty_last_n},
                {"breakers", s_.dry_sequence_breakers}});
    if (s_.dry_sequence_breakers.empty())
      build_.deviates("dry_sequence_breakers",
                      "none are given as tokens; llama.cpp breaks at the texts \\n : \" * by default");
  }

  void add_xtc() {
    const double probability = clamped("xtc_probability", s_.xtc_probability, within(0, 1));
    const double threshold = clamped("xtc_threshold", s_.xtc_threshold, within(0, 1));
    if (probability == 0) return;
    if (threshold > 0.5) return build_.ignored("xtc_probability", "xtc_threshold is above 0.5");
    build_.add("xtc_probability", "xtc", with_seed({{"probability", probability}, {"threshold", threshold}, keep()}));
  }

  void add_temperature() {
    double t = clamped("temperature", s_.temperature, at_least(0));
    double range = s_.dynatemp_range;
    if (!(range <= 0)) {
      if (t == 0) t = range = range / 2;  // the same interval, [0, range], around a temperature above 0
      return build_.add("dynatemp_range", "dynamic_temperature",
                        {{"temperature", t}, {"range", range}, {"exponent", s_.dynatemp_exponent}});
    }
    if (t == 0) {
      build_.decoding.mode = Mode::greedy;
      return build_.add("temperature", "top_k", {{"k", 1}}, "0: the first of the largest stays");
    }
    if (t != 1) build_.add("temperature", "temperature", {{"temperature", t}});
  }

  void add_selector() {
    if (is_listed("adaptive_p") && !(s_.adaptive_target < 0)) {
      const double target = clamped("adaptive_target", s_.adaptive_target, within(0, 1));
      build_.require("adaptive_decay", s_.adaptive_decay, within(0, 0.99));
      return build_.add("adaptive_target", "adaptive_p", with_seed({{"target", target}, {"decay", s_.adaptive_decay}}));
    }
    if (has_seed()) return build_.add("seed", "llama_cpp_dist", {{"seed", s_.seed}});
    build_.add("seed", "multinomial", {}, "none");
    build_.deviates("seed",
                    "none is given, so the draws are the request's own, by position, not llama.cpp's generator");
  }

  /// Less than any token's probability, so that the first one crosses it.
  static constexpr double kLeastMass = 1e-300;
  const presets::LlamaCppSampling& s_;
  std::vector<std::string_view> samplers_;
  DecodingBuilder build_;
};

}  // namespace detail

namespace presets {

/// What llama.cpp's server runs for its sampling fields. Throws InvalidParameter naming the field.
///   order   the request's constraint, logit bias, the `samplers` as listed, the draw; mirostat runs with temperature
///           alone
///   scope   the penalties see the last repeat_last_n tokens of prompt and output
///   edge    temperature 0 keeps the first of the largest logits; what the server clamps is clamped; unknown samplers
///           are left out with a note; `min_keep` 0 is 1
///   ties    equal logits: lower ids first; llama.cpp's sort leaves that open
///   draws   with a seed, llama.cpp's own generator and walk: its tokens; without one, Multinomial
///   grammar llama.cpp draws first and asks the grammar then; here the constraint masks before the draw
inline Decoding llama_cpp(const LlamaCppSampling& sampling) { return detail::LlamaCppPreset(sampling).make(); }

}  // namespace presets
LOGITKIT_NAMESPACE_END
