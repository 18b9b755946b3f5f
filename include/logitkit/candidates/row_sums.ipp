// SPDX-License-Identifier: MIT
#pragma once
// WholeRow: what is summed over it, and what a sample of it tells.
#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

template <class F>
auto WholeRow::with_summands(std::size_t first, std::size_t n, float alive, F f) const {
  float buffer[kBlock];
  const bool is_plain =
      mask_ == nullptr && pointwise_.is_one_division() && !has_edits(first, n) && !cuts_inside(first, n);
  return is_plain ? f(read_block(*k_, row_, first, n, buffer), pointwise_.divisor(), std::max(alive, least_in(first)))
                  : f(block(first, n, buffer), 1.0f, kLowest);
}

inline ExpSum WholeRow::block_sum(std::size_t first, std::size_t n, float alive, float max) const {
  return with_summands(first, n, alive, [&](const float* x, float divisor, float least) {
    return k_->exp_sum(x, n, divisor, max, least);
  });
}

inline WholeRow::Sum WholeRow::sum(float max) {
  ws_->block_sums.clear();
  Sum sum;
  const float alive = least_alive();
  for_blocks(size(), [&](std::size_t first, std::size_t n) {
    const ExpSum part = block_sum(first, n, alive, max);
    sum.total += static_cast<double>(part.total);
    sum.count += part.count;
    ws_->block_sums.push_back(sum.total);
  });
  return sum;
}

inline WholeRow::ExactSum WholeRow::sum_and_lows(float max) {
  auto& lows = ws_->packed;
  if (const std::size_t needed = size() / kBlock * kLanes + kLanes; lows.size() < needed) lows.resize(needed);
  ws_->exps.clear();
  ws_->block_sums.clear();
  ExactSum sum;
  const float alive = least_alive();
  for_blocks(size(), [&](std::size_t first, std::size_t n) {
    float* const to = lows.data() + first / kBlock * kLanes;
    const ExactExpSum part = with_summands(first, n, alive, [&](const float* x, float divisor, float least) {
      const ExactExpSum all = k_->exp_lows(x, n, divisor, max, least, to);
      if (divisor != 1.0f) k_->divide(to, to, kLanes, divisor);
      return all;
    });
    sum.exact += part.exact;
    sum.total += static_cast<double>(part.total);
    sum.count += part.count;
    ws_->exps.push_back(part.total);
    ws_->block_sums.push_back(sum.total);
  });
  return sum;
}

inline void WholeRow::find_low(float y) {
  auto& keys = ws_->keys;
  keys.clear();
  float buffer[kBlock];
  for_blocks(size(), [&](std::size_t first, std::size_t n) {
    const float* const lows = ws_->packed.data() + first / kBlock * kLanes;
    const float* x = nullptr;
    const auto of_others = static_cast<std::ptrdiff_t>(keys.size());
    for (std::size_t lane = 0; lane < std::min(n, kLanes); ++lane) {
      if (!(lows[lane] <= y)) continue;
      if (x == nullptr) x = block(first, n, buffer);
      for (std::size_t i = lane; i < n; i += kLanes)
        if (x[i] <= y && x[i] > kMasked) keys.push_back(rank_key(x[i], static_cast<std::uint32_t>(first + i)));
    }
    std::sort(keys.begin() + of_others, keys.end(),
              [](std::uint64_t a, std::uint64_t b) { return id_of(a) < id_of(b); });
  });
}

inline double WholeRow::sum_without(float max, std::span<const std::uint64_t> removed) {
  for (const std::uint64_t key : removed) ws_->exps[id_of(key) / kBlock] = -1;
  ws_->block_sums.clear();
  double total = 0;
  const float alive = least_alive();
  for_blocks(size(), [&](std::size_t first, std::size_t n) {
    float part = ws_->exps[first / kBlock];
    if (part < 0) part = block_sum(first, n, alive, max).total;
    total += static_cast<double>(part);
    ws_->block_sums.push_back(total);
  });
  return total;
}

inline double WholeRow::sum_and_pack(float max, float y) {
  auto& packed = ws_->packed;
  ws_->packed_masks.resize(size() / kLanes + kBlock / kLanes);
  ws_->packed_starts.assign(1, 0);
  const float least = row_threshold(y);
  double total = 0;
  float buffer[kBlock];
  for_blocks(size(), [&](std::size_t first, std::size_t n) {
    const std::size_t start = ws_->packed_starts.back();
    if (const std::size_t needed = start + kBlock + kLanes; packed.size() < needed)
      packed.resize(std::max(needed, packed.size() * 3 / 2));
    std::uint16_t* masks = ws_->packed_masks.data() + first / kLanes;
    const bool is_plain = mask_ == nullptr && pointwise_.is_one_division() && !has_edits(first, n) && cut_.is_open();
    const ExpSum block_sum = is_plain
                                 ? k_->exp_pack(read_block(*k_, row_, first, n, buffer), n, pointwise_.divisor(), max,
                                                least, packed.data() + start, masks)
                                 : k_->exp_pack(block(first, n, buffer), n, 1.0f, max, y, packed.data() + start, masks);
    total += static_cast<double>(block_sum.total);
    ws_->packed_starts.push_back(start + block_sum.count);
  });
  return total;
}

inline void WholeRow::sample_tops(float* tops) {
  refresh();
  std::copy_n(ws_->strip_max.begin(), strip_total(), tops);
  pointwise_.apply(*k_, tops, tops, strip_total());
}

inline void WholeRow::sample_others(float* others) {
  constexpr std::size_t kFromStrip = 4;  // of every fourth: neighbours share a cache line
  refresh();
  const std::size_t strips = strip_total(), whole = size() / kStrip / kFromStrip * kFromStrip;
  std::fill(others + whole, others + strips, kMasked);
  with_row_values([&](auto row_value) {
    for (std::size_t strip = 0; strip < whole; strip += kFromStrip) {
      const std::uint32_t place = static_cast<std::uint32_t>(strip) * 2654435769u >> 29;  // eighths in no order
      float x[kFromStrip];  // a copy: `others` could overlap the row, for all the compiler knows
      for (std::size_t i = 0; i < kFromStrip; ++i)
        x[i] = row_value(static_cast<std::uint32_t>(strip * kStrip + place * kFromStrip + i));
      const float top = ws_->strip_max[strip];
      for (std::size_t i = 0; i < kFromStrip; ++i) others[strip + i] = x[i] < top ? x[i] : kMasked;
    }
  });
  pointwise_.apply(*k_, others, others, strips);
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
