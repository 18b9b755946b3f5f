// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What one step of a chain remembers from token to token: numbers whose meaning is the step's own, and how many words
/// of its generator were drawn.
struct RunningValue {
  int step = -1;  ///< index in the chain; the selector's is the number of steps
  bool is_set = false;
  std::array<float, 2> numbers{};
  std::uint64_t words = 0;
  bool operator==(const RunningValue&) const = default;
};

/// The running values of a pipeline: they travel in the Pick, and accept(pick) commits them. Small and of fixed size.
class RunningValues {
 public:
  static constexpr std::size_t kMost = 4;

  bool empty() const { return size_ == 0; }
  /// Where the step's value is kept, fresh if it has none yet. A chain has at most kMost steps that ask.
  std::size_t slot(int step) {
    std::size_t i = 0;
    while (i < size_ && values_[i].step != step) ++i;
    i = std::min(i, kMost - 1);
    if (i == size_) values_[size_++].step = step;
    return i;
  }
  RunningValue& operator[](std::size_t slot) { return values_[slot]; }
  bool operator==(const RunningValues&) const = default;

 private:
  std::array<RunningValue, kMost> values_{};
  std::size_t size_ = 0;
};

LOGITKIT_NAMESPACE_END
