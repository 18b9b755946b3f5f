// SPDX-License-Identifier: MIT
#pragma once
// WholeRow: what is summed over it, and what a sample of it tells.
#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

inline WholeRow::Sum WholeRow::sum(float max) {
  ws_->block_sums.clear();
  Sum sum;
  const float alive = pointwise_.empty() ? kLowest : std::max(row_threshold(kLowest), kLowest);
  float buffer[kBlock];
  for_blocks(size(), [&](std::size_t first, std::size_t n) {
    const bool is_plain =
        mask_ == nullptr && pointwise_.is_one_division() && !has_edits(first, n) && !cuts_inside(first, n);
    const ExpSum block_sum = is_plain ? k_->exp_sum(read_block(*k_, row_, first, n, buffer), n, pointwise_.divisor(),
                                                    max, std::max(alive, least_in(first)))
                                      : k_->exp_sum(block(first, n, buffer), n, 1.0f, max, kLowest);
    sum.total += static_cast<double>(block_sum.total);
    sum.count += block_sum.count;
    ws_->block_sums.push_back(sum.total);
  });
  return sum;
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
