// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How much a finding matters: an error cannot be built, a warning is probably not what was meant, a note is good to
/// know.
enum class Severity : std::uint8_t { error, warning, note };

/// The severity as it is spelled here.
constexpr std::string_view name(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

/// One finding about a spec, or about the parameters of an engine that a preset was made from.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;     ///< stable name of the kind of finding, for example "neutral"
  int step = -1;        ///< index in the spec; -1: no step in particular
  std::string key;      ///< the parameter, or the engine's field; may be empty
  std::string message;  ///< one sentence with the value and what is allowed or why

  bool operator==(const Diagnostic&) const = default;
  /// The message with the step's index before it.
  std::string text() const { return (step < 0 ? "" : "step " + std::to_string(step) + ": ") + message; }
};

LOGITKIT_NAMESPACE_END
