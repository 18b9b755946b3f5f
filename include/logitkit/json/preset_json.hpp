// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/json/decoding_json.hpp"
#include "logitkit/json/engine_keys.hpp"
#include "logitkit/preset/huggingface.hpp"
#include "logitkit/preset/ollama.hpp"
#include "logitkit/preset/openai.hpp"
#include "logitkit/preset/sglang.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// The notes of reading come before those of the preset.
template <class Reader>
Decoding with_notes(Decoding decoding, Reader& reader) {
  std::vector<Diagnostic> notes = reader.take_notes();
  decoding.notes.insert(decoding.notes.begin(), notes.begin(), notes.end());
  return decoding;
}

/// llama.cpp's forms of some fields, brought to those of the struct.
class LlamaCppForms {
 public:
  using Reader = ParametersReader<presets::LlamaCppSampling>;
  LlamaCppForms(const Json& json, Reader& reader) : json_(json), reader_(&reader) {
    if (!json_.is_object()) return;
    rename("max_tokens", "n_predict");
    rename("logprobs", "n_probs");
    if (json_.contains("samplers")) letters_to_names(json_["samplers"]);
    if (json_.contains("logit_bias")) json_["logit_bias"] = biases(json_["logit_bias"]);
    if (json_.contains("dry_sequence_breakers")) check_breakers(json_["dry_sequence_breakers"]);
  }
  const Json& json() const { return json_; }

 private:
  void rename(const char* alias, const char* key) {
    if (!json_.contains(alias)) return;
    if (!json_.contains(key)) json_[key] = json_[alias];
    json_.erase(alias);
  }
  static void letters_to_names(Json& samplers) {
    constexpr std::pair<char, const char*> kLetters[] = {
        {'d', "dry"},         {'k', "top_k"}, {'y', "typ_p"},  {'p', "top_p"},     {'s', "top_n_sigma"}, {'m', "min_p"},
        {'t', "temperature"}, {'x', "xtc"},   {'i', "infill"}, {'e', "penalties"}, {'a', "adaptive_p"}};
    if (!samplers.is_string()) return;
    Json names = Json::array();
    for (const char letter : samplers.get<std::string>()) {
      std::string name(1, letter);  // an unknown one is no sampler's name either
      for (const auto& [known, its_name] : kLetters)
        if (letter == known) name = its_name;
      names.push_back(name);
    }
    samplers = names;
  }

  /// [[id, x], ...] or {"id": x}, x a number or false for -inf; biases of one id add up.
  Json biases(const Json& json) {
    Json sums = Json::object();
    const auto add = [&](const Json& id_json, const Json& x) {
      TokenId id = 0;
      const bool is_id =
          id_json.is_string() ? read_id(id_json.get_ref<const std::string&>(), id) : read_id(id_json, id);
      if (!is_id && id_json.is_string())
        fail(InvalidParameter("llama.cpp: logit_bias: " + id_json.dump() + " is a text; give the ids of its tokens"));
      if (!is_id || id < 0 || !(x.is_number() || x == false))
        return reader_->note(Severity::note, "ignored", "logit_bias",
                             "[" + id_json.dump() + "," + x.dump() + "] is not a token id and a number or false");
      Json& sum = sums.emplace(std::to_string(id), 0.0).first.value();
      if (!sum.is_null()) sum = x.is_number() ? Json(sum.get<double>() + x.get<double>()) : Json(nullptr);
    };
    if (json.is_object())
      for (const auto& [key, x] : json.items()) add(key, x);
    else if (json.is_array())
      for (const Json& pair : json) pair.is_array() && pair.size() == 2 ? add(pair[0], pair[1]) : add(pair, Json());
    return sums;
  }

  void check_breakers(Json& breakers) {
    if (!breakers.is_array() ||
        !std::any_of(breakers.begin(), breakers.end(), [](const Json& b) { return b.is_string(); }))
      return;
    reader_->note(Severity::warning, "not_offered", "dry_sequence_breakers",
                  "texts need a tokenizer; give lists of token ids");
    breakers = Json::array();
  }

  Json json_;
  Reader* reader_;
};

}  // namespace detail

namespace presets {

/// presets::huggingface from a generation_config.json, arguments of `generate()` merged into it. Fields that are not
/// about decoding are passed over, unknown ones noted, removed or unoffered ones refused or noted.
inline Decoding huggingface_json(const nlohmann::ordered_json& json, const Chain& customs = {}) {
  detail::ParametersReader<GenerationConfig> reader("huggingface", detail::kHuggingFaceOthers);
  return detail::with_notes(huggingface(reader.read(json), customs), reader);
}

/// presets::vllm from the JSON of SamplingParams.
inline Decoding vllm_json(const nlohmann::ordered_json& json) {
  detail::ParametersReader<VllmSamplingParams> reader("vllm", detail::kVllmOthers);
  return detail::with_notes(vllm(reader.read(json)), reader);
}

/// presets::llama_cpp from a request to its server: samplers as names or letters, biases as pairs or as an object.
inline Decoding llama_cpp_json(const nlohmann::ordered_json& json) {
  detail::ParametersReader<LlamaCppSampling> reader("llama.cpp", detail::kLlamaCppOthers);
  const detail::LlamaCppForms forms(json, reader);
  return detail::with_notes(llama_cpp(reader.read(forms.json())), reader);
}

/// presets::openai from the body of a Chat Completions request. A field that is none of its own is an error: those that
/// vLLM adds belong to vllm_json.
inline Decoding openai_json(const nlohmann::ordered_json& json) {
  detail::ParametersReader<OpenAiRequest> reader("openai", detail::kOpenAiOthers, detail::UnknownKeys::refused);
  return detail::with_notes(openai(reader.read(json)), reader);
}

/// presets::sglang from the JSON of sampling_params. An unknown field is an error.
inline Decoding sglang_json(const nlohmann::ordered_json& json) {
  detail::ParametersReader<SglangSamplingParams> reader("sglang", detail::kSglangOthers, detail::UnknownKeys::refused);
  return detail::with_notes(sglang(reader.read(json)), reader);
}

/// presets::ollama from `options`, or from the body of a request that holds them. An unknown field is an error.
inline Decoding ollama_json(const nlohmann::ordered_json& json) {
  detail::ParametersReader<OllamaOptions> reader("ollama", detail::kOllamaOthers, detail::UnknownKeys::refused);
  nlohmann::ordered_json flat = json;
  if (json.is_object() && json.contains("options") && json["options"].is_object()) {
    flat.erase("options");
    flat.update(json["options"]);
  }
  return detail::with_notes(ollama(reader.read(flat)), reader);
}

}  // namespace presets
LOGITKIT_NAMESPACE_END
