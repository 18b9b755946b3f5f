// SPDX-License-Identifier: MIT
#pragma once
#include <logitkit/random/uniform.hpp>
#include <vector>

/// What each translation unit computes with the flags it is compiled with.
std::vector<double> baseline_numbers();
std::vector<double> native_numbers();

// Static, so that each unit keeps its own; what the library defines inline, the linker may still merge.
static inline std::vector<double> numbers() {
  std::vector<double> result;
  for (std::uint64_t seed = 0; seed < 100; ++seed) result.push_back(logitkit::uniform(seed, 0, 7, 0));
  return result;
}
