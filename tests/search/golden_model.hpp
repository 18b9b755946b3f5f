// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/logitkit.hpp"
#include "support/golden.hpp"
#include "support/synthetic_rows.hpp"

/// The toy models of golden/hf/beam.json and greedy.json.
namespace golden_model {

namespace lk = logitkit;

/// Logits after `context`: of the last token ("table"), or random ones of the last two ("clt4_last2").
inline std::vector<float> row(const golden::Json& model, std::span<const lk::TokenId> context) {
  if (model["type"] == "table") return golden::numbers(model["logits"].at(std::to_string(context.back())));
  const std::int64_t last = context.back(), other = context.size() > 1 ? context[context.size() - 2] : -1;
  const auto seed = static_cast<std::uint64_t>(model["seed"].get<std::int64_t>() + 1000003 * (other + 1) + last + 1);
  std::vector<float> logits(model["vocab"].get<std::size_t>());
  for (std::size_t id = 0; id < logits.size(); ++id)
    logits[id] = static_cast<float>(model.value("scale", 1.0) * synthetic::noise(seed, id));
  const golden::Json bumps = model.value("bumps", golden::Json::object());
  for (const auto& [id, bump] : bumps.items()) logits[std::stoul(id)] += bump.get<float>();
  return logits;
}
inline std::vector<float> row(const golden::Json& model, const lk::Request& request) {
  std::vector<lk::TokenId> context(request.prompt().begin(), request.prompt().end());
  context.insert(context.end(), request.output().begin(), request.output().end());
  return row(model, context);
}

inline int max_new_tokens(const golden::Json& config, std::size_t prompt) {
  if (config.contains("max_new_tokens")) return config["max_new_tokens"];
  return config.contains("max_length") ? config["max_length"].get<int>() - static_cast<int>(prompt) : 20;
}

/// The steps that Hugging Face makes of a configuration, in its order.
inline lk::Spec steps(const golden::Json& config, std::size_t prompt) {
  const golden::Ids ends = golden::ids(config, "eos_token_id");
  const int limit = max_new_tokens(config, prompt);
  lk::Spec spec;
  const auto add = [&](const char* type, lk::Fields fields) {
    lk::detail::StepProblem problem;
    auto step = lk::make_step(type, fields, problem);
    ASSERT_TRUE(step) << problem.message;
    spec.steps.push_back(*step);
  };
  const auto sequences = [](const golden::Json& list) { return list.get<lk::TokenSequences>(); };
  const auto whole = [](auto x) { return lk::FieldValue(static_cast<std::int64_t>(x)); };
  if (config.contains("sequence_bias")) {
    lk::SequenceBiases biases;
    for (const golden::Json& b : config["sequence_bias"]) biases.emplace_back(b[0].get<lk::TokenIds>(), b[1]);
    add("sequence_bias", {{"biases", biases}, {"short_history", "hf"}});
  }
  if (config.contains("repetition_penalty"))
    add("repetition_penalty", {{"penalty", config["repetition_penalty"].get<double>()}});
  if (config.contains("no_repeat_ngram_size"))
    add("no_repeat_ngram", {{"n", whole(config["no_repeat_ngram_size"].get<int>())}});
  if (config.contains("bad_words_ids"))
    add("ban_sequences", {{"sequences", sequences(config["bad_words_ids"])}, {"short_history", "hf"}});
  if (config.contains("min_new_tokens"))
    add("min_new_tokens", {{"min_new_tokens", whole(config["min_new_tokens"].get<int>())}, {"end_ids", ends}});
  if (config.contains("forced_bos_token_id"))
    add("forced_bos", {{"token", whole(config["forced_bos_token_id"].get<int>())}});
  if (config.contains("forced_eos_token_id"))
    add("forced_eos", {{"max_length", whole(limit + static_cast<int>(prompt))},
                       {"end_ids", golden::ids(config, "forced_eos_token_id")}});
  if (config.contains("exponential_decay_length_penalty")) {
    const golden::Json& decay = config["exponential_decay_length_penalty"];
    add("exponential_decay_length_penalty",
        {{"start", whole(decay[0].get<int>())}, {"factor", decay[1].get<double>()}, {"end_ids", ends}});
  }
  if (config.contains("suppress_tokens")) add("ban_tokens", {{"ids", config["suppress_tokens"].get<lk::TokenIds>()}});
  if (config.contains("begin_suppress_tokens"))
    add("suppress_at_begin", {{"ids", config["begin_suppress_tokens"].get<lk::TokenIds>()}});
  if (config.value("renormalize_logits", false)) add("log_softmax", {});
  return spec;
}

}  // namespace golden_model
