// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/json/result_json.hpp"
#include "logitkit/json/spec_json.hpp"
#include "logitkit/preset/convert.hpp"
#include "logitkit/preset/decoding.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A length rule as {"formula":"power","exponent":1.0,"counts":"generated"}.
inline nlohmann::ordered_json to_json(const LengthRule& rule) {
  return {{"formula", rule.formula() == LengthRule::Formula::power ? "power" : "gnmt"},
          {"exponent", rule.exponent()},
          {"counts", rule.counts() == LengthCounts::generated ? "generated" : "prompt_and_generated"}};
}

/// Beam options with their members' names as keys; enumerators as they are spelled.
inline nlohmann::ordered_json to_json(const BeamOptions& options) {
  constexpr const char* kStops[] = {"as_soon_as_full", "estimated", "exhaustive", "run_to_limit"};
  constexpr const char* kScores[] = {"log_softmax", "raw", "processed"};
  nlohmann::ordered_json initial = nlohmann::ordered_json::array();
  for (const InitialBeam& beam : options.initial) initial.push_back({{"tokens", beam.tokens}, {"score", beam.score}});
  return {{"width", options.width},
          {"max_new_tokens", options.max_new_tokens},
          {"length", to_json(options.length)},
          {"stop", kStops[static_cast<std::size_t>(options.stop)]},
          {"scores", kScores[static_cast<std::size_t>(options.scores)]},
          {"initial", initial},
          {"groups", options.groups},
          {"diversity", options.diversity}};
}

/// A preset's result with its members' names as keys; what the engine leaves open is null.
inline nlohmann::ordered_json to_json(const Decoding& decoding) {
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  return {{"spec", to_json(decoding.spec)},   {"mode", std::string(name(decoding.mode))},
          {"end_ids", decoding.end_ids},      {"max_new_tokens", or_null(decoding.max_new_tokens)},
          {"beams", to_json(decoding.beams)}, {"n", decoding.n},
          {"seed", or_null(decoding.seed)},   {"logprobs", or_null(decoding.logprobs)},
          {"notes", to_json(decoding.notes)}, {"max_length", or_null(decoding.max_length)},
          {"reasons", decoding.reasons}};
}

/// A conversion with its members' names as keys.
inline nlohmann::ordered_json to_json(const Conversion& conversion) {
  return {{"spec", to_json(conversion.spec)}, {"differences", conversion.differences}};
}

LOGITKIT_NAMESPACE_END
