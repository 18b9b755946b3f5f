// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "logitkit/json.hpp"

/// What the preset tests compare: a result as text.
namespace decoding_text {

namespace lk = logitkit;

inline std::string spec(const lk::Decoding& decoding) { return lk::to_json(decoding.spec).dump(); }

/// "code field" of each note, one a line.
inline std::string notes(const lk::Decoding& decoding) {
  std::string text;
  for (const lk::Diagnostic& note : decoding.notes) text += note.code + " " + note.key + "\n";
  return text;
}

inline nlohmann::ordered_json json(const char* text) { return nlohmann::ordered_json::parse(text); }

/// The text of the InvalidParameter that `make` throws, "none" if it throws none.
template <class F>
std::string error(F make) {
  try {
    make();
  } catch (const lk::InvalidParameter& e) {
    return e.what();
  }
  return "none";
}

}  // namespace decoding_text
