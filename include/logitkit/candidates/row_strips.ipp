// SPDX-License-Identifier: MIT
#pragma once
// WholeRow: the maxima of its strips, kept up to date when someone asks.
#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

inline void WholeRow::leave_strip(std::uint32_t id, float x) {
  max_is_stale_ |= x >= row_max_;
  if (!strips_are_stale_ && x >= ws_->strip_max[strip_of(id)]) ws_->left_strips.push_back(id);
}

inline void WholeRow::renew_strips(std::size_t first, std::size_t n) {
  float buffer[kBlock];
  const float* x = row_block(first, n, buffer);
  if (has_edits(first, n)) {
    if (x != buffer) std::copy(x, x + n, buffer);
    x = buffer;
    for_edits(first, n, [&](std::uint32_t id) { buffer[id - first] = kMasked; });
  }
  k_->scan(x, n, ws_->strip_max.data() + strip_count(first));
}

inline bool WholeRow::renew_left_strips(float least) {
  auto& left = ws_->left_strips;
  const auto is_high = [&](std::uint32_t id) { return ws_->strip_max[strip_of(id)] >= least; };
  const auto high = std::partition(left.begin(), left.end(), [&](std::uint32_t id) { return !is_high(id); });
  const bool any = high != left.end();
  std::for_each(high, left.end(), [&](std::uint32_t id) {
    const std::size_t first = id / kStrip * kStrip;
    renew_strips(first, std::min(kStrip, size() - first));
  });
  left.erase(high, left.end());
  return any;
}

inline void WholeRow::refresh_bounds() {
  if (!strips_are_stale_) return;
  for_blocks(size(), [&](std::size_t first, std::size_t n) { renew_strips(first, n); });
  strips_are_stale_ = false;
  ws_->left_strips.clear();
}

inline void WholeRow::refresh_max() {
  if (!max_is_stale_) return;
  refresh_bounds();
  do row_max_ = k_->scan(ws_->strip_max.data(), strip_count(size()), nullptr).max;
  while (renew_left_strips(row_max_));
  max_is_stale_ = false;
}

inline void WholeRow::refresh() {
  refresh_bounds();
  renew_left_strips(kMasked);
  refresh_max();
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
