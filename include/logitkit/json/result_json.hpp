// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "logitkit/json/field_json.hpp"
#include "logitkit/pipeline/device_plan.hpp"
#include "logitkit/pipeline/diagnostic.hpp"
#include "logitkit/pipeline/score_tokens.hpp"
#include "logitkit/state/pick.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A pick with its members' names as keys; a log-probability that was not asked for (NaN) is null.
inline nlohmann::ordered_json to_json(const Pick& pick) {
  return {{"token", pick.token},         {"status", std::string(name(pick.status))},
          {"step", pick.step},           {"id", pick.id},
          {"survivors", pick.survivors}, {"logprob", detail::number_json(static_cast<double>(pick.logprob))},
          {"rank", pick.rank},           {"exact", pick.exact}};
}

/// A token's log-probability (or logit) and rank, or a list of them; -inf is null.
inline nlohmann::ordered_json to_json(const TokenLogprob& token) {
  return {{"token", token.token},
          {"logprob", detail::number_json(static_cast<double>(token.logprob))},
          {"rank", token.rank}};
}
inline nlohmann::ordered_json to_json(const std::vector<TokenLogprob>& tokens) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const TokenLogprob& token : tokens) json.push_back(to_json(token));
  return json;
}
/// Log-probabilities with their members' names as keys.
inline nlohmann::ordered_json to_json(const Logprobs& logprobs) {
  return {{"status", std::string(name(logprobs.status))},
          {"tokens", to_json(logprobs.tokens)},
          {"top", to_json(logprobs.top)}};
}
/// A scored text with its members' names as keys; what is infinite or NaN is null.
inline nlohmann::ordered_json to_json(const TokenScores& scores) {
  return {{"status", std::string(name(scores.status))},
          {"tokens", to_json(scores.tokens)},
          {"sum_logprob", detail::number_json(scores.sum_logprob)},
          {"perplexity", detail::number_json(scores.perplexity)}};
}

/// A plan without its rest, with its members' names as keys; an edit that removes has the value null.
inline nlohmann::ordered_json to_json(const DevicePlan& plan) {
  nlohmann::ordered_json edits = nlohmann::ordered_json::array();
  for (const DeviceEdit& edit : plan.edits)
    edits.push_back({{"kind", edit.kind == DeviceEdit::Kind::add ? "add" : "scale"},
                     {"id", edit.id},
                     {"value", detail::number_json(static_cast<double>(edit.value))}});
  return {{"vocabulary_size", plan.vocabulary_size},
          {"mask", plan.mask},
          {"edits", edits},
          {"temperature", plan.temperature},
          {"top_k", plan.top_k},
          {"top_k_ties", plan.top_k_ties == Ties::exact ? "exact" : "keep"},
          {"top_p", plan.top_p},
          {"min_p", plan.min_p},
          {"min_p_first", plan.min_p_first},
          {"steps", plan.steps},
          {"complete", plan.complete}};
}

/// A finding with its members' names as keys.
inline nlohmann::ordered_json to_json(const Diagnostic& diagnostic) {
  return {{"severity", std::string(name(diagnostic.severity))},
          {"code", diagnostic.code},
          {"step", diagnostic.step},
          {"key", diagnostic.key},
          {"message", diagnostic.message}};
}
inline nlohmann::ordered_json to_json(const std::vector<Diagnostic>& diagnostics) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics) json.push_back(to_json(diagnostic));
  return json;
}

LOGITKIT_NAMESPACE_END
