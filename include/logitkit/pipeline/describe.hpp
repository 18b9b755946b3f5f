// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "logitkit/pipeline/spec.hpp"
#include "logitkit/process/field_text.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// One line: type, parameters that are not at their default, what it does; for example
/// "top_k (k 20, ties "keep"): keeps the k largest logits".
inline std::string describe(const Step& step) {
  std::string parameters;
  for (const Field& field : step.fields())
    if (!field.is_default)
      parameters += (parameters.empty() ? "" : ", ") + std::string(field.key) + " " + detail::value_text(field.value);
  return std::string(step.type()) + (parameters.empty() ? "" : " (" + parameters + ")") + ": " +
         std::string(step.summary()) + (step.is_neutral() ? "; changes nothing with these parameters" : "");
}

/// A spec for people: one line a step, with the index that diagnostics use.
inline std::string describe(const Spec& spec) {
  std::string text;
  for (std::size_t i = 0; i < spec.size(); ++i) text += std::to_string(i) + "  " + describe(spec[i]) + "\n";
  return text;
}

LOGITKIT_NAMESPACE_END
