// SPDX-License-Identifier: MIT
#pragma once
#include <logitkit/numeric/softmax.hpp>
#include <vector>

/// What each translation unit computes with the flags it is compiled with.
std::vector<float> baseline_numbers();
std::vector<float> native_numbers();

// Static, so that each unit keeps its own; what the library defines inline, the linker may still merge.
static inline std::vector<float> numbers() {
  std::vector<float> row(5000);
  for (std::size_t id = 0; id < row.size(); ++id) row[id] = static_cast<float>(id * 7919 % 1000) / 37.0f;
  logitkit::softmax(row, row, 0.7);
  return row;
}
