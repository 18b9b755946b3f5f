// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "logitkit/pipeline/describe.hpp"
#include "logitkit/pipeline/diagnostic.hpp"
#include "logitkit/search/beam_options.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How tokens are chosen.
enum class Mode : std::uint8_t { greedy, sample, beam, beam_sample };

/// The mode in the words of Hugging Face: "greedy_search", "sample", "beam_search", "beam_sample".
constexpr std::string_view name(Mode mode) {
  constexpr std::string_view kNames[] = {"greedy_search", "sample", "beam_search", "beam_sample"};
  return kNames[static_cast<std::size_t>(mode)];
}

/// What a preset makes of an engine's parameters: the chain, and what lies around it. Converts to its spec, so that
/// `build(presets::vllm(params))` works. What the engine leaves open is a std::optional.
struct Decoding {
  Spec spec;                                   ///< steps in the engine's order, and the selector (none in Mode::beam)
  Mode mode = Mode::sample;                    ///< how tokens are chosen
  TokenIds end_ids;                            ///< the end tokens that the parameters name
  std::optional<std::int64_t> max_new_tokens;  ///< output length at most
  BeamOptions beams{.width = 1};               ///< width 1: no beam search
  std::int64_t n = 1;                          ///< number of sequences asked for
  std::optional<std::uint64_t> seed;           ///< of all draws
  std::optional<std::int64_t> logprobs;        ///< number of alternatives to report, -1 = all
  std::vector<Diagnostic> notes;               ///< every field that was adjusted, ignored or deviates, and why
  std::optional<std::int64_t> max_length;      ///< prompt + output at most, where the engine limits that instead
  std::vector<std::string> reasons;            ///< for each step of `spec` as the preset made it: why it is there

  /// What to open a request with: seed, end tokens, length limit. `more_end_ids` are those of the model, where the
  /// engine takes them from there.
  RequestOptions request_options(const TokenIds& more_end_ids = {}) const {
    RequestOptions options{.seed = seed, .end_ids = end_ids};
    options.end_ids.insert(options.end_ids.end(), more_end_ids.begin(), more_end_ids.end());
    options.max_new_tokens = static_cast<std::size_t>(max_new_tokens.value_or(0));
    return options;
  }
  operator const Spec&() const { return spec; }  // NOLINT(google-explicit-constructor)
};

/// A preset's result for people: mode, one line a step with the field it comes from, and the notes.
inline std::string describe(const Decoding& decoding) {
  std::string text = std::string(name(decoding.mode)) + "\n";
  for (std::size_t i = 0; i < decoding.spec.size(); ++i)
    text += std::to_string(i) + "  " + describe(decoding.spec[i]) +
            (i < decoding.reasons.size() ? " [" + decoding.reasons[i] + "]" : "") + "\n";
  for (const Diagnostic& note : decoding.notes) text += std::string(name(note.severity)) + ": " + note.message + "\n";
  return text;
}

LOGITKIT_NAMESPACE_END
