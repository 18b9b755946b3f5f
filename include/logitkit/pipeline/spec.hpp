// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <vector>

#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A chain (steps) or a pipeline (steps and a selector at the end) as plain data: to print, edit, compare, store as
/// JSON
/// (`json.hpp`), and `build`. What presets return.
struct Spec {
  std::vector<Step> steps;

  std::size_t size() const { return steps.size(); }
  const Step& operator[](std::size_t i) const { return steps[i]; }
  auto begin() const { return steps.begin(); }
  auto end() const { return steps.end(); }
  bool operator==(const Spec&) const = default;
};

LOGITKIT_NAMESPACE_END
