// SPDX-License-Identifier: MIT
#pragma once
#include <logitkit/logitkit.hpp>
#include <vector>

// What each of the two units computes with the flags it is compiled with. Static, so that each unit keeps its own; what
// the library defines inline, the linker may still merge.
static inline std::vector<float> numbers() {
  std::vector<float> row(5000);
  for (std::size_t id = 0; id < row.size(); ++id) row[id] = static_cast<float>(id * 7919 % 1000) / 37.0f;
  const logitkit::Chain chain = logitkit::Temperature(0.7) | logitkit::TopP(0.9);
  row = chain.process(row, logitkit::Request(std::vector<logitkit::TokenId>{1}, {.seed = 1}));
  logitkit::softmax(row, row, 0.7);
  return row;
}
