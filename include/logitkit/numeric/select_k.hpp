// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "logitkit/numeric/blocks.hpp"
#include "logitkit/numeric/order.hpp"
#include "logitkit/numeric/scalar_math.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// A threshold that at least k of the n values reach, and not many more where values are distinct: a search that
/// counts. -inf if fewer than k are above -inf. `max` is the largest value. Cost: about five passes over n values.
inline float threshold_for(const Kernels& kernel, const float* values, std::size_t n, std::size_t k, float max) {
  if (k >= n || max == kMasked) return kMasked;
  const std::size_t enough = k + k / 4 + 8;
  const double wanted = math::log(static_cast<double>(k + enough) / 2);
  std::uint32_t high = order_key(max) + 1, low = order_key(kMasked);  // fewer than k reach `high`, k or more `low`
  double high_log = 0, low_log = 0;                                   // logarithms of how many
  std::uint32_t probe = order_key(std::max(max - 12.0f, kLowest));    // logits differ by a few units
  for (int round = 0; high - low > 1; ++round) {
    const std::size_t found = kernel.count(values, n, from_order_key(probe));
    const double found_log = math::log(static_cast<double>(std::max<std::size_t>(found, 1)));
    if (found >= k) {
      low = probe;
      low_log = found_log;
      if (found <= enough) break;
    } else {
      high = probe;
      high_log = found_log;
    }
    // The number grows about exponentially; where it does not, halving comes to an end.
    probe = low + (high - low) / 2;
    constexpr int kMostGuesses = 6;
    if (round >= kMostGuesses || !(low_log > high_log)) continue;
    const auto distance = static_cast<double>(from_order_key(high)) - static_cast<double>(from_order_key(low));
    const double share = (low_log - wanted) / (low_log - high_log);
    const std::uint32_t guess =
        order_key(static_cast<float>(static_cast<double>(from_order_key(low)) + distance * share));
    if (guess > low && guess < high) probe = guess;
  }
  return from_order_key(low);
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
  const auto logit = [](std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); };
  std::uint32_t low = logit(keys[0]), high = low;
  for (const std::uint64_t key : keys) {
    low = std::min(low, logit(key));
    high = std::max(high, logit(key));
  }
  const int bits = keys.size() < 8192 ? 8 : 11;  // small tables where few keys would not pay for large ones
  std::array<std::uint32_t, 1u << 11> starts;
  std::uint64_t* from = keys.data();
  std::uint64_t* to = spare.data();
  for (int shift = 0; shift < 32 && (high - low) >> shift != 0; shift += bits) {
    const auto digit = [&](std::uint64_t key) { return (high - logit(key)) >> shift & ((1u << bits) - 1); };
    std::fill_n(starts.begin(), 1u << bits, 0u);
    for (std::size_t i = 0; i < keys.size(); ++i) ++starts[digit(from[i])];
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < 1u << bits; ++d) starts[d] = std::exchange(sum, sum + starts[d]);
    for (std::size_t i = 0; i < keys.size(); ++i) to[starts[digit(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys.data()) std::memcpy(keys.data(), from, keys.size() * sizeof(std::uint64_t));
}

/// Calls found(id, value) in id order for every value >= threshold (above -inf) of the row, until it returns false;
/// `strip_max` are the maxima of the row's strips, so that only strips which reach the threshold are read.
template <class Found>
void for_each_reaching(const Kernels& k, LogitsView row, const float* strip_max, float threshold, Found found) {
  float values[kBlock + kLanes], reaching[kBlock + kLanes], buffer[kStrip];
  std::uint32_t ids[kBlock + kLanes], strips[kBlock + kLanes];
  bool go_on = true;
  const auto tell = [&](std::size_t n) {
    for (std::size_t i = 0; i < n && go_on; ++i) go_on = found(ids[i], values[i]);
  };
  for (std::size_t first = 0, all = strip_count(row.size()); first < all && go_on; first += kBlock) {
    const std::size_t hits = k.collect(strip_max + first, std::min(kBlock, all - first), threshold,
                                       static_cast<std::uint32_t>(first), reaching, strips);
    if (row.dtype() == Dtype::float32) {
      for (std::size_t i = 0; i < hits && go_on; i += kStrip)
        tell(k.collect_strips(row.as<float>(), row.size(), strips + i, std::min(kStrip, hits - i), threshold, values,
                              ids));
      continue;
    }
    for (std::size_t i = 0; i < hits && go_on; ++i) {
      const std::size_t id = strips[i] * kStrip, n = std::min(kStrip, row.size() - id);
      tell(k.collect(read_block(k, row, id, n, buffer), n, threshold, static_cast<std::uint32_t>(id), values, ids));
    }
  }
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
