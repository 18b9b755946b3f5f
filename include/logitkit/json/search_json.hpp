// SPDX-License-Identifier: MIT
#pragma once
// The results of search/ as JSON, with their members' names as keys.
#include <vector>

#include "logitkit/json/result_json.hpp"
#include "logitkit/search/generate.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// One hypothesis, or those of a search.
inline nlohmann::ordered_json to_json(const Hypothesis& hypothesis) {
  nlohmann::ordered_json step_logprobs = nlohmann::ordered_json::array();
  for (const float x : hypothesis.step_logprobs) step_logprobs.push_back(detail::number_json(static_cast<double>(x)));
  return {{"tokens", hypothesis.tokens},
          {"score", detail::number_json(hypothesis.score)},
          {"sum_logprob", detail::number_json(hypothesis.sum_logprob)},
          {"step_logprobs", step_logprobs},
          {"finished", hypothesis.finished}};
}
inline nlohmann::ordered_json to_json(const std::vector<Hypothesis>& hypotheses) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Hypothesis& hypothesis : hypotheses) json.push_back(to_json(hypothesis));
  return json;
}

/// How many drafts stand, and the token that follows them.
inline nlohmann::ordered_json to_json(const DraftResult& result) {
  nlohmann::ordered_json picks = nlohmann::ordered_json::array();
  for (const Pick& pick : result.picks) picks.push_back(to_json(pick));
  return {{"accepted", result.accepted},
          {"token", result.token},
          {"status", std::string(name(result.status))},
          {"picks", picks}};
}

/// What was generated. Bytes of `text` that are no UTF-8 become U+FFFD when it is dumped with
/// error_handler_t::replace; the default throws.
inline nlohmann::ordered_json to_json(const Generation& generation) {
  nlohmann::ordered_json logprobs = nlohmann::ordered_json::array();
  for (const Logprobs& one : generation.logprobs) logprobs.push_back(to_json(one));
  return {{"tokens", generation.tokens},
          {"reason", std::string(name(generation.reason))},
          {"status", std::string(name(generation.status))},
          {"text", generation.text},
          {"logprobs", logprobs},
          {"hypotheses", to_json(generation.hypotheses)}};
}

LOGITKIT_NAMESPACE_END
