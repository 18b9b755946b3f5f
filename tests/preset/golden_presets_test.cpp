// SPDX-License-Identifier: MIT
// The presets against what the engines themselves derive from their parameters, refuse, and compute. The recorded
// files change only when an engine's version does; a case in which the library decides otherwise is named here with
// the reason.
#include <gtest/gtest.h>

#include <set>

#include "support/golden_steps.hpp"

namespace golden_presets_test {

using golden::Json;
namespace lk = logitkit;
using Ordered = nlohmann::ordered_json;

std::string notes_of(const lk::Decoding& decoding) {
  std::string text;
  for (const lk::Diagnostic& note : decoding.notes) text += note.key + " ";
  return text;
}

/// The steps between the request's constraint and the selector, which every preset adds.
Json steps_of(const lk::Decoding& decoding) {
  Json steps = Json::array();
  for (const lk::Step& step : decoding.spec)
    if (step.type() != "allow_mask" && !step.is_selector()) steps.push_back(Json(lk::to_json(step)));
  return steps;
}

// --- Hugging Face: the order
// ------------------------------------------------------------------------------------------

/// A class of the user's own.
lk::Step custom_step(const std::string& tag) {
  return lk::step(tag, [](lk::Candidates&, const lk::StepView&) {});
}
lk::StepRegistry customs_registry() {
  lk::StepRegistry registry;
  for (const char* tag : {"a", "b"}) registry.add(tag, [](lk::Candidates&, const lk::StepView&) {});
  return registry;
}

/// A recorded step as the preset writes it: without what depends on the prompt, defaults left out.
Json as_written(const Json& recorded, const Json& c) {
  if (recorded["type"] == "custom") return {{"type", "custom"}, {"name", recorded["tag"]}};
  Json step = golden::hf_steps(recorded)->at(0);
  step.erase("begin_index");  // the prompt's length by default
  if (step["type"] == "forced_eos" && !c["config"].contains("max_length")) step.erase("max_length");  // the request's
  return Json(lk::to_json(lk::spec_from_json(Ordered::array({Ordered(step)}))))[0];
}

TEST(GoldenPresets, HuggingFaceOrder) {
  const lk::StepRegistry registry = customs_registry();
  const std::set<std::string> late = {"temperature", "top_h",          "top_k",      "top_p",      "min_p",
                                      "typical_p",   "epsilon_cutoff", "eta_cutoff", "log_softmax"};
  for (const Json& c : golden::cases("hf", "config_order")) {
    SCOPED_TRACE(c["name"].get<std::string>());
    Json expected = Json::array(), customs = Json::array();
    for (const Json& step : c["expect"]["pipeline"]) {
      const std::string type = step["type"];
      if (type == "watermark" || type == "prefix_allowed_tokens_fn" || type.starts_with("encoder_")) continue;
      if (type == "min_length" && c["config"].contains("min_new_tokens")) continue;  // says the same again
      expected.push_back(as_written(step, c));
    }
    if (c.contains("custom_processors"))
      for (const Json& step : c["custom_processors"]) customs.push_back(as_written(step, c));
    const lk::Decoding d = lk::presets::huggingface_json(
        Ordered(c["config"]), lk::build_chain(lk::spec_from_json(Ordered(customs), registry)));

    EXPECT_EQ(steps_of(d), expected);
    EXPECT_EQ(lk::name(d.mode), c["expect"]["generation_mode"].get<std::string>());
    EXPECT_EQ(static_cast<int>(d.beams), c["config"].value("num_beams", 1));
    const std::string selector(d.spec.steps.empty() ? "" : d.spec.steps.back().type());
    EXPECT_EQ(selector == "multinomial", d.mode == lk::Mode::sample || d.mode == lk::Mode::beam_sample);
    EXPECT_EQ(selector == "greedy", d.mode == lk::Mode::greedy);
    for (const char* key : {"encoder_repetition_penalty", "encoder_no_repeat_ngram_size", "watermarking_config"})
      if (c["config"].contains(key) && c["config"][key] != 1.0) {
        EXPECT_NE(notes_of(d).find(key), std::string::npos) << key;
      }
    // The request's constraint: after the processors, before the sampling steps.
    if (!customs.empty()) continue;
    bool is_past = false;
    for (const lk::Step& step : d.spec) {
      is_past = is_past || step.type() == "allow_mask";
      if (step.type() == "allow_mask" || step.is_selector()) continue;
      EXPECT_EQ(late.contains(std::string(step.type())), is_past) << step.type();
    }
    EXPECT_TRUE(is_past);
  }
}

// --- Hugging Face: what is refused -----------------------------------------------------------------------------------

/// Cases in which we decide otherwise, with the reason.
std::map<std::string, std::string> hf_differences() {
  std::map<std::string, std::string> all;
  const auto add = [&](const char* why, std::initializer_list<const char*> names) {
    for (const char* name : names) all[name] = why;
  };
  add("a number is a number in C++ and JSON",
      {"temperature_2", "temperature_3", "top_k_7", "top_p_15", "repetition_penalty_37", "no_repeat_ngram_45",
       "gen_temperature_int_2", "gen_repetition_penalty_int", "sequence_bias_list_form_int_bias"});
  add("neutral and empty values are allowed", {"top_k_5", "typical_p_22", "epsilon_cutoff_25", "eta_cutoff_29",
                                               "no_repeat_ngram_42", "bad_words_47", "sequence_bias_51"});
  add("an empty sequence is an error", {"bad_words_50"});
  add("id 0 is an id", {"sequence_bias_list_form_token_0"});
  add("ids of the history may lie outside the row", {"repetition_id_outside_vocab_at_call"});
  add("a row without a candidate is an error", {"epsilon_all_neg_inf_at_call", "typical_all_neg_inf_at_call"});
  add("NaN in the row is an error", {"top_p_nan_input_at_call"});
  add("a preset is configuration and call in one",
      {"cfg_temperature_0_sampling_accepted_until_generate", "cfg_num_beams_0_accepted"});
  add("needs the prompt or the vocabulary", {"gen_max_length_le_prompt", "gen_beams_more_than_candidates"});
  return all;
}

/// Whether a step, or a pick with it, is refused.
bool is_refused(Json step) {
  const bool at_call = step.contains("at_call");
  const Json logits = step.value("logits", Json::array()), prompt = step.value("prompt", Json::array());
  for (const char* key : {"at_call", "logits", "prompt"}) step.erase(key);
  if (step["type"] == "sequence_bias_list_form") step["type"] = "sequence_bias";
  try {
    if (step["type"] == "generation_config" || step["type"] == "generate") {
      lk::presets::huggingface_json(Ordered(step["config"]));
      return false;
    }
    lk::Spec spec = lk::spec_from_json(Ordered(*golden::hf_steps(step)));
    if (!at_call) return false;
    spec.steps.emplace_back(lk::Multinomial());
    const auto ids = prompt.get<golden::Ids>();
    return !lk::build(spec).pick(golden::row(logits), lk::Request(std::span<const lk::TokenId>(ids), {.seed = 1}));
  } catch (const std::invalid_argument&) {
    return true;
  }
}

TEST(GoldenPresets, HuggingFaceErrors) {
  std::map<std::string, std::string> differences = hf_differences();
  int agreed = 0, not_offered = 0;
  for (const Json& c : golden::cases("hf", "errors")) {
    if (c["step"]["type"].get<std::string>().starts_with("encoder_")) {
      ++not_offered;
      continue;
    }
    const bool differs = differences.erase(c["name"]) == 1;
    const bool raises = !c["expect"]["raises"].is_null();
    EXPECT_EQ(is_refused(c["step"]), raises != differs) << c["name"];
    agreed += differs ? 0 : 1;
  }
  EXPECT_TRUE(differences.empty()) << differences.begin()->first;
  EXPECT_EQ(not_offered, 2);
  EXPECT_EQ(agreed, 67);
}

// --- vLLM: ranges and clamps -----------------------------------------------------------------------------------------

/// The parameters as the preset took them, in vLLM's words.
Json normalised(const lk::Decoding& d) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  Json all = {{"n", d.n},
              {"temperature", 1.0},
              {"top_p", 1.0},
              {"top_k", 0},
              {"min_p", 0.0},
              {"repetition_penalty", 1.0},
              {"min_tokens", 0},
              {"frequency_penalty", 0.0},
              {"presence_penalty", 0.0},
              {"seed", or_null(d.seed)},
              {"logprobs", or_null(d.logprobs)},
              {"max_tokens", or_null(d.max_new_tokens)}};
  const std::map<std::string, std::pair<const char*, const char*>> parameters = {
      {"temperature", {"temperature", "temperature"}},
      {"top_p", {"top_p", "p"}},
      {"top_k", {"top_k", "k"}},
      {"min_p", {"min_p", "p"}},
      {"repetition_penalty", {"repetition_penalty", "penalty"}},
      {"frequency_penalty", {"frequency_penalty", "penalty"}},
      {"presence_penalty", {"presence_penalty", "penalty"}},
      {"min_new_tokens", {"min_tokens", "min_new_tokens"}}};
  for (const Json& step : steps_of(d)) {
    const auto& [field, key] = parameters.at(step["type"]);
    all[field] = step[key];
  }
  if (d.mode == lk::Mode::greedy) all["temperature"] = 0.0;
  return all;
}

TEST(GoldenPresets, VllmParameters) {
  const std::set<std::string> differ = {"stop_empty_string", "stop_without_detokenize",     // text
                                        "thinking_budget_minus2", "thinking_budget_float",  // not offered
                                        "prompt_logprobs_minus2"};                          // of the prompt
  int refused = 0;
  for (const Json& c : golden::cases("vllm", "params")) {
    SCOPED_TRACE(c["name"].get<std::string>());
    Json params = c["params"];
    for (auto& [key, value] : params.items()) {
      if (value == "nan") value = std::numeric_limits<double>::quiet_NaN();
      if (value == "inf") value = std::numeric_limits<double>::infinity();
    }
    if (c["expect"]["valid"] || differ.contains(c["name"])) {
      const lk::Decoding d = lk::presets::vllm_json(Ordered(params));
      const Json ours = normalised(d);
      const Json expected = c["expect"].value("normalised", Json::object());
      for (const auto& [key, value] : expected.items()) {
        if (ours.contains(key)) {
          EXPECT_EQ(ours[key], value == -1 && key == "top_k" ? Json(0) : value) << key;
        }
      }
      continue;
    }
    ++refused;
    try {
      lk::presets::vllm_json(Ordered(params));
      ADD_FAILURE() << "is accepted";
    } catch (const lk::InvalidParameter& error) {
      bool is_named = false;
      for (const auto& [key, value] : params.items())
        is_named = is_named || std::string(error.what()).find(key) != std::string::npos;
      EXPECT_TRUE(is_named) << error.what();
    }
  }
  EXPECT_EQ(refused, 29);
}

// --- The recorded rows through the presets ---------------------------------------------------------------------------

/// The preset's steps, with its selector where the case draws.
Json spec_for(const lk::Decoding& d, const Json& c) {
  Json steps = steps_of(d);
  if (c["expect"].contains("tokens")) steps.push_back(Json(lk::to_json(d.spec.steps.back())));
  return steps;
}

TEST(GoldenPresets, HuggingFaceConfigurations) {
  int passed = 0;
  for (const Json& c : golden::cases("hf", "processors")) {
    if (!c.contains("config")) continue;
    const lk::Decoding d = lk::presets::huggingface_json(Ordered(c["config"]));
    EXPECT_EQ(golden::run_case(c, spec_for(d, c), 2e-6, d.request_options()), "") << c["name"];
    ++passed;
  }
  EXPECT_EQ(passed, 23);
}

/// SamplingParams that mean the recorded pipeline; nothing if there are none (a bit mask comes with the request).
std::optional<Json> vllm_params(const Json& c) {
  Json params = {{"max_tokens", nullptr}};
  const std::map<std::string, const char*> same_name = {{"temperature", "temperature"},
                                                        {"top_p", "p"},
                                                        {"min_p", "p"},
                                                        {"repetition_penalty", "penalty"},
                                                        {"frequency_penalty", "penalty"},
                                                        {"presence_penalty", "penalty"},
                                                        {"allowed_token_ids", "ids"},
                                                        {"logit_bias", "bias"}};
  for (const Json& step : c["pipeline"]) {
    const std::string type = step["type"];
    if (type == "bitmask") return std::nullopt;
    if (const auto found = same_name.find(type); found != same_name.end()) params[type] = step[found->second];
    if (type == "bad_words") params["bad_words_token_ids"] = step["sequences"];
    if (type == "top_k" || type == "top_k_top_p") params["top_k"] = std::max(step["k"].get<int>(), 0);
    if (type == "top_k_top_p") params["top_p"] = step["p"];
    if (type == "min_tokens") {
      params["min_tokens"] = step["min_tokens"];
      params["stop_token_ids"] = step["stop_token_ids"];
    }
  }
  return params;
}

TEST(GoldenPresets, VllmPipelines) {
  int passed = 0, masked = 0;
  for (const char* file : {"pipelines", "large_vocab"}) {
    for (const Json& c : golden::cases("vllm", file)) {
      const std::optional<Json> params = vllm_params(c);
      if (!params) {
        ++masked;
        continue;
      }
      const lk::Decoding d = lk::presets::vllm_json(Ordered(*params));
      Json steps = spec_for(d, c);
      for (Json& step : steps)  // the request of a recorded case has no end ids
        if (step["type"] == "min_new_tokens") step["end_ids"] = d.end_ids;
      EXPECT_EQ(golden::run_case(c, steps, 3e-6), "") << c["name"] << " " << steps.dump();
      ++passed;
    }
  }
  EXPECT_EQ(passed, 60);
  EXPECT_EQ(masked, 10);
}

/// Server fields that mean the recorded samplers; nothing if there are none: a sampler twice, greedy at the end, seeds
/// or min_keep that differ, a bias that is not first.
std::optional<Json> llama_cpp_fields(const Json& c) {
  const std::map<std::string, std::map<std::string, const char*>> fields = {
      {"temperature", {{"temperature", "temperature"}}},
      {"dynatemp", {{"temperature", "temperature"}, {"range", "dynatemp_range"}, {"exponent", "dynatemp_exponent"}}},
      {"top_k", {{"k", "top_k"}}},
      {"top_p", {{"p", "top_p"}, {"min_keep", "min_keep"}}},
      {"min_p", {{"p", "min_p"}, {"min_keep", "min_keep"}}},
      {"typical_p", {{"p", "typical_p"}, {"min_keep", "min_keep"}}},
      {"top_n_sigma", {{"n", "top_n_sigma"}}},
      {"xtc",
       {{"probability", "xtc_probability"},
        {"threshold", "xtc_threshold"},
        {"min_keep", "min_keep"},
        {"seed", "seed"}}},
      {"penalties",
       {{"last_n", "repeat_last_n"},
        {"repeat", "repeat_penalty"},
        {"frequency", "frequency_penalty"},
        {"presence", "presence_penalty"}}},
      {"dry",
       {{"multiplier", "dry_multiplier"},
        {"base", "dry_base"},
        {"allowed_length", "dry_allowed_length"},
        {"last_n", "dry_penalty_last_n"},
        {"breakers", "dry_sequence_breakers"}}},
      {"logit_bias", {{"bias", "logit_bias"}}},
      {"dist", {{"seed", "seed"}}},
      {"mirostat", {{"tau", "mirostat_tau"}, {"eta", "mirostat_eta"}, {"seed", "seed"}}},
      {"mirostat_v2", {{"tau", "mirostat_tau"}, {"eta", "mirostat_eta"}, {"seed", "seed"}}},
      {"adaptive_p", {{"target", "adaptive_target"}, {"decay", "adaptive_decay"}, {"seed", "seed"}}},
  };
  const std::map<std::string, std::string> names = {{"dynatemp", "temperature"}, {"typical_p", "typ_p"}};
  Json request = {{"samplers", Json::array()}};
  std::set<std::string> seen;
  bool has_mirostat = false, has_draw = false;
  for (const Json& step : c["pipeline"]) {
    const std::string type = step["type"];
    const std::string name = names.contains(type) ? names.at(type) : type;
    if (step.value("m", 100) != 100) return std::nullopt;  // no field of the server
    if (!fields.contains(type) || !seen.insert(name).second) return std::nullopt;
    if (type == "logit_bias" && &step != &c["pipeline"][0]) return std::nullopt;
    for (const auto& [key, field] : fields.at(type)) {
      Json value = step.value(key, Json());
      if (key == "min_keep") value = std::max(1, step.value("min_keep", 1));
      if (type == "logit_bias")
        for (auto& [id, bias] : value.items())
          if (bias.is_null()) bias = false;
      if (request.contains(field) && request[field] != value) return std::nullopt;
      request[field] = value;
    }
    if (type.starts_with("mirostat")) {
      request["mirostat"] = type == "mirostat" ? 1 : 2;
      has_mirostat = true;
    }
    has_draw = has_draw || type == "dist" || type == "adaptive_p" || type.starts_with("mirostat");
    if (type != "dist" && type != "logit_bias") request["samplers"].push_back(name);
  }
  if (has_draw != c["expect"].contains("tokens")) return std::nullopt;
  // mirostat runs with temperature alone, which is 0.8 unless it is said
  if (has_mirostat && (seen.size() > (seen.contains("temperature") ? 2u : 1u))) return std::nullopt;
  if (has_mirostat && !seen.contains("temperature")) request["temperature"] = 1.0;
  return request;
}

TEST(GoldenPresets, LlamaCppSamplers) {
  // The library of llama.cpp switches these off, its server refuses them (or, for the base, takes its default).
  const std::set<std::string> server_differs = {"dry_window_negative_disabled", "window_negative_disabled",
                                                "adaptive_p_decay_clamped", "dry_base_below_1_disabled"};
  int passed = 0, no_request = 0;
  for (const char* file : {"chains", "dist_sequences", "dry", "mirostat", "penalties", "temperature", "truncation",
                           "vocab_151936_tokens"}) {
    for (const Json& c : golden::cases("llama_cpp", file)) {
      const std::optional<Json> fields = llama_cpp_fields(c);
      if (!fields) {
        ++no_request;
        continue;
      }
      if (server_differs.contains(c["name"])) continue;
      const lk::Decoding d = lk::presets::llama_cpp_json(Ordered(*fields));
      EXPECT_EQ(golden::run_case(c, spec_for(d, c), 2e-6), "") << c["name"] << " " << fields->dump();
      ++passed;
    }
  }
  EXPECT_EQ(passed, 198);
  EXPECT_EQ(no_request, 18);
}

}  // namespace golden_presets_test
