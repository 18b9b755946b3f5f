// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "logitkit/numeric/blocks.hpp"
#include "logitkit/numeric/order.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// A threshold that at least k of the n values reach, and not many more where values are distinct: a bisection that
/// counts. -inf if fewer than k are above -inf. `max` is the largest value. Cost: about ten passes over n values.
inline float threshold_for(const Kernels& kernel, const float* values, std::size_t n, std::size_t k, float max) {
  if (k >= n || max == kMasked) return kMasked;
  const std::size_t enough = k + k / 4 + 8;
  std::uint32_t high = order_key(max), low = order_key(kLowest);
  std::uint32_t best = order_key(kMasked);
  if (kernel.count(values, n, max) >= k) return max;
  // Logits differ by a few units: a first guess there saves most of the steps.
  std::uint32_t probe = std::max(order_key(max - 12.0f), low);
  while (high - low > 1) {
    const std::size_t found = kernel.count(values, n, from_order_key(probe));
    if (found >= k) {
      best = low = probe;
      if (found <= enough) break;
    } else {
      high = probe;
    }
    probe = low + (high - low) / 2;
  }
  return from_order_key(best);
}

/// Sorts rank keys, first rank first. `keys` must come in ascending id order when there are more than 256 of them (a
/// stable radix sort on the logit then leaves ties in id order). `spare` holds as many.
inline void sort_ranks(std::span<std::uint64_t> keys, std::vector<std::uint64_t>& spare) {
  if (keys.size() <= 24) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
      const std::uint64_t key = keys[i];
      std::size_t j = i;
      for (; j > 0 && keys[j - 1] < key; --j) keys[j] = keys[j - 1];
      keys[j] = key;
    }
    return;
  }
  if (keys.size() <= 256) {
    std::sort(keys.begin(), keys.end(), std::greater<>());
    return;
  }
  if (spare.size() < keys.size()) spare.resize(keys.size());
  constexpr int kDigits = 3, kBits = 11;
  std::array<std::array<std::uint32_t, 1u << kBits>, kDigits> starts{};
  const auto digit = [](std::uint64_t key, int d) {  // inverted: descending
    return static_cast<std::uint32_t>(~key >> (32 + d * kBits)) & ((1u << kBits) - 1);
  };
  for (const std::uint64_t key : keys)
    for (int d = 0; d < kDigits; ++d) ++starts[static_cast<std::size_t>(d)][digit(key, d)];
  std::uint64_t* from = keys.data();
  std::uint64_t* to = spare.data();
  for (int d = 0; d < kDigits; ++d) {
    auto& start = starts[static_cast<std::size_t>(d)];
    if (start[digit(from[0], d)] == keys.size()) continue;  // one digit for all: nothing to do
    std::uint32_t sum = 0;
    for (std::uint32_t& s : start) s = std::exchange(sum, sum + s);
    for (std::size_t i = 0; i < keys.size(); ++i) to[start[digit(from[i], d)]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys.data()) std::memcpy(keys.data(), from, keys.size() * sizeof(std::uint64_t));
}

/// Calls found(id, value) in id order for every value >= threshold (above -inf) of the row, until it returns false;
/// `lane_max` are the row's lane maxima, so that only groups which reach the threshold are read.
template <class Found>
void for_each_reaching(const Kernels& k, LogitsView row, const float* lane_max, float threshold, Found found) {
  float values[kGroup + kLanes], buffer[kGroup];
  std::uint32_t ids[kGroup + kLanes];
  const std::size_t lanes = lane_count(row.size());
  float reaching[kBlock + kLanes];
  std::uint32_t reaching_lanes[kBlock + kLanes];
  for (std::size_t first_lane = 0; first_lane < lanes; first_lane += kBlock) {
    const std::size_t n = std::min(kBlock, lanes - first_lane);
    const std::size_t hits = k.collect(lane_max + first_lane, n, threshold, static_cast<std::uint32_t>(first_lane),
                                       reaching, reaching_lanes);
    std::size_t done = ~std::size_t{0};
    for (std::size_t i = 0; i < hits; ++i) {
      const std::size_t group = reaching_lanes[i] / kLanes;
      if (group == done) continue;
      done = group;
      const std::size_t first = group * kGroup, size = std::min(kGroup, row.size() - first);
      const float* x = read_block(k, row, first, size, buffer);
      const std::size_t m = k.collect(x, size, threshold, static_cast<std::uint32_t>(first), values, ids);
      for (std::size_t j = 0; j < m; ++j)
        if (!found(ids[j], values[j])) return;
    }
  }
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
