// SPDX-License-Identifier: MIT
#pragma once
// The engines' recorded steps as specs of ours, the way their presets map them, and whole cases run and compared.
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "logitkit/json.hpp"
#include "logitkit/logitkit.hpp"
#include "support/golden.hpp"
#include "support/synthetic_rows.hpp"

namespace golden {

namespace lk = logitkit;
using Row = std::vector<float>;
inline constexpr float kMasked = -std::numeric_limits<float>::infinity();

inline float number(const Json& x) {
  if (x.is_null()) return kMasked;
  if (x.is_string())
    return x == "nan" ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  return x.get<float>();
}
/// A row written out, or one of the generator clt4 with bumps.
inline Row row(const Json& logits) {
  Row row;
  if (logits.is_array()) {
    for (const Json& x : logits) row.push_back(number(x));
    return row;
  }
  const double scale = logits.value("scale", 1.0);
  for (std::size_t id = 0; id < logits["vocab"]; ++id)
    row.push_back(static_cast<float>(scale * synthetic::noise(logits["seed"], id)));
  const Json bumps = logits.value("bumps", Json::object());
  for (const auto& [id, bump] : bumps.items()) row[std::stoul(id)] += bump.get<float>();
  return row;
}

/// Renames keys, and drops those with an empty new name.
inline Json renamed(Json step, const std::map<std::string, std::string>& names) {
  for (const auto& [from, to] : names) {
    if (!step.contains(from)) continue;
    if (!to.empty()) step[to] = step[from];
    step.erase(from);
  }
  return step;
}

/// Steps that are encoder-only have no counterpart: nothing.
inline std::optional<Json> hf_steps(const Json& step) {
  const std::string type = step["type"];
  if (type.starts_with("encoder_")) return std::nullopt;
  Json s = renamed(step, {{"min_tokens_to_keep", "min_keep"}, {"eos", "end_ids"}});
  if (type == "top_k" || type == "typical_p") s["ties"] = "keep";
  if (type == "sequence_bias" || type == "bad_words") s["short_history"] = "hf";
  if (type == "bad_words") {
    const Ids end_ids = ids(s, "eos_token_ids");
    Json kept = Json::array();  // an end token alone may not be banned
    for (const Ids& sequence : s["sequences"].get<std::vector<Ids>>())
      if (sequence.size() != 1 || std::find(end_ids.begin(), end_ids.end(), sequence[0]) == end_ids.end())
        kept.push_back(sequence);
    s["sequences"] = kept;
  }
  const std::map<std::string, std::string> types = {{"bad_words", "ban_sequences"},
                                                    {"suppress_tokens", "ban_tokens"},
                                                    {"suppress_tokens_at_begin", "suppress_at_begin"},
                                                    {"logit_normalization", "log_softmax"},
                                                    {"prefix_allowed", "force_tokens"},
                                                    {"classifier_free_guidance", "guidance"},
                                                    {"inf_nan_remove", "remove_invalid"}};
  if (types.contains(type)) s["type"] = types.at(type);
  if (type == "inf_nan_remove") s["mode"] = "hf";
  return Json::array({renamed(
      s, {{"eos_token_ids", ""}, {"allowed", "ids"}, {"guidance_scale", "scale"}, {"unconditional_logits", ""}})});
}

inline Json vllm_steps(const Json& step) {
  const std::string type = step["type"];
  Json s = step;
  if (type == "temperature" && s["temperature"] == 0) return Json::array();  // greedy instead
  if (type == "top_k" || type == "top_k_top_p") {
    const Json top_k = {{"type", "top_k"}, {"k", std::max(0, s["k"].get<int>())}, {"ties", "keep"}};
    return type == "top_k" ? Json::array({top_k}) : Json::array({top_k, {{"type", "top_p"}, {"p", s["p"]}}});
  }
  if (type == "bad_words") s["scope"] = "output";
  const std::map<std::string, std::string> types = {{"bad_words", "ban_sequences"},
                                                    {"allowed_token_ids", "force_tokens"},
                                                    {"min_tokens", "min_new_tokens"},
                                                    {"bitmask", "allow_mask"}};
  if (types.contains(type)) s["type"] = types.at(type);
  return Json::array({renamed(s, {{"min_tokens", "min_new_tokens"}, {"stop_token_ids", "end_ids"}})});
}

inline Json llama_cpp_steps(const Json& step) {
  const std::string type = step["type"];
  Json s = step;
  if (s.contains("min_keep")) s["min_keep"] = std::max(1, s["min_keep"].get<int>());
  const double p = s.value("p", 0.5);
  const bool is_off = (type == "top_k" && s["k"] <= 0) || ((type == "top_p" || type == "typical_p") && p >= 1) ||
                      (type == "min_p" && p <= 0) || (type == "penalties" && s["last_n"] <= 0) ||
                      (type == "dry" && (s["base"] < 1 || s["last_n"] <= 0)) ||
                      (type == "xtc" && s["probability"] <= 0);
  if (is_off) return Json::array();
  if (type == "dynatemp") s["range"] = std::max(0.0, s["range"].get<double>());
  if (type == "top_p") s["p"] = std::max(0.0, p);
  if (type == "min_p" && p > 1) return {{{"type", "top_k"}, {"k", s["min_keep"]}}};
  if (type == "dynatemp" && s["temperature"] == 0) s["temperature"] = s["range"] = s["range"].get<double>() / 2;
  if ((type == "temperature" || type == "dynatemp") && s["temperature"] <= 0) return {{{"type", "top_k"}, {"k", 1}}};
  if (type == "penalties") {
    Json steps = Json::array();
    for (const auto& [name, key] : {std::pair{"repetition_penalty", "repeat"},
                                    {"frequency_penalty", "frequency"},
                                    {"presence_penalty", "presence"}})
      steps.push_back({{"type", name}, {"penalty", s[key]}, {"scope", "prompt+output"}, {"window", s["last_n"]}});
    return steps;
  }
  if (type == "adaptive_p" && s["target"] < 0) return {{{"type", "llama_cpp_dist"}, {"seed", s["seed"]}}};
  if (type == "adaptive_p") s["decay"] = std::clamp(s["decay"].get<double>(), 0.0, 0.99);
  if (type == "dist") s["type"] = "llama_cpp_dist";
  if (type == "dynatemp") s["type"] = "dynamic_temperature";
  return Json::array({renamed(s, {{"last_n", "window"}})});
}

/// What differs from the recorded result; empty if nothing.
inline std::string difference(const Row& got, const Json& expected, bool count_only, double tolerance) {
  std::vector<std::int32_t> kept;
  for (std::size_t id = 0; id < got.size(); ++id)
    if (got[id] > kMasked) kept.push_back(static_cast<std::int32_t>(id));
  if (expected.contains("kept"))
    return kept == expected["kept"].get<Ids>() ? "" : "kept " + std::to_string(kept.size()) + " other ids";
  if (!expected.contains("logits")) {
    if (kept.size() != expected["kept_count"].get<std::size_t>()) return "kept " + std::to_string(kept.size());
    std::uint64_t fnv1a = 0xcbf29ce484222325;
    for (const std::int32_t id : kept)
      for (int byte = 0; byte < 4; ++byte)
        fnv1a = (fnv1a ^ (static_cast<std::uint32_t>(id) >> (8 * byte) & 0xff)) * 0x100000001b3;
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(fnv1a));
    return expected.value("kept_hash", hash) == hash ? "" : "kept as many, but other ids";
  }
  const Row want = row(expected["logits"]);
  if (count_only) {
    const auto n = std::count_if(want.begin(), want.end(), [](float x) { return x > kMasked; });
    return kept.size() == static_cast<std::size_t>(n) ? "" : "kept " + std::to_string(kept.size());
  }
  for (std::size_t id = 0; id < want.size(); ++id) {
    const auto a = static_cast<double>(got[id]), b = static_cast<double>(want[id]);
    if (a != b && !(std::isfinite(b) && std::abs(a - b) <= tolerance * (1 + std::abs(b))))
      return "id " + std::to_string(id) + " is " + std::to_string(a) + ", not " + std::to_string(b);
  }
  return "";
}

/// Runs a case through `steps` of ours; what differs from the recorded result, or the error.
inline std::string run_case(const Json& c, const Json& steps, double tolerance,
                            const lk::RequestOptions& options = {.seed = 1}) try {
  const lk::Spec spec = lk::spec_from_json(nlohmann::ordered_json(steps));
  const Row logits = row(c["logits"]);
  lk::Request request(std::span<const lk::TokenId>(ids(c, "prompt")), options);
  for (const lk::TokenId id : ids(c, "output")) request.accept(id);
  if (c["expect"].contains("tokens")) {
    const lk::Pipeline pipeline = lk::build(spec);
    Ids drawn;
    for (std::size_t i = 0; i < c["expect"]["tokens"].size(); ++i) {
      const lk::Pick pick = pipeline.pick(logits, request);
      drawn.push_back(pick.token);
      request.accept(pick);
    }
    return drawn == c["expect"]["tokens"].get<Ids>() ? "" : "other tokens";
  }
  Row unconditional, got(logits.size());
  for (const Json& step : c["pipeline"])
    if (step.contains("unconditional_logits")) unconditional = row(step["unconditional_logits"]);
  const lk::Status status =
      lk::build_chain(spec).process(logits, request, got, {.unconditional = lk::LogitsView(unconditional)});
  if (status != lk::Status::ok && status != lk::Status::no_candidates) return std::string(lk::name(status));
  return difference(got, c["expect"], c.value("tie_ambiguous", false), tolerance);
} catch (const std::exception& error) {
  return error.what();
}

}  // namespace golden
