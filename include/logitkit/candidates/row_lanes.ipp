// SPDX-License-Identifier: MIT
#pragma once
// WholeRow: the maxima of its lanes, kept up to date when someone asks.
#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

inline void WholeRow::leave_lane(std::uint32_t id, float x) {
  max_is_stale_ |= x >= row_max_;
  if (!lanes_are_stale_ && x >= ws_->lane_max[lane_of(id)]) ws_->left_lanes.push_back(id);
}

inline void WholeRow::renew_lane(std::uint32_t id) {
  float most = kMasked;
  const std::size_t first = id / kGroup * kGroup + id % kLanes, end = std::min(id / kGroup * kGroup + kGroup, size());
  with_row_values([&](auto row_value) {
    for (std::size_t i = first; i < end; i += kLanes) {
      const auto other = static_cast<std::uint32_t>(i);
      if (ws_->edits.contains(other)) continue;
      const float x = row_value(other);
      most = x > most && is_in(x, other) ? x : most;
    }
  });
  ws_->lane_max[lane_of(id)] = most;
}

inline bool WholeRow::renew_left_lanes(float least) {
  auto& left = ws_->left_lanes;
  const auto is_high = [&](std::uint32_t id) { return ws_->lane_max[lane_of(id)] >= least; };
  const auto high = std::partition(left.begin(), left.end(), [&](std::uint32_t id) { return !is_high(id); });
  const bool any = high != left.end();
  std::for_each(high, left.end(), [&](std::uint32_t id) { renew_lane(id); });
  left.erase(high, left.end());
  return any;
}

inline void WholeRow::refresh_bounds() {
  if (!lanes_are_stale_) return;
  float buffer[kBlock];
  for_blocks(size(), [&](std::size_t first, std::size_t n) {
    const float* x = row_block(first, n, buffer);
    if (has_edits(first, n)) {
      if (x != buffer) std::copy(x, x + n, buffer);
      x = buffer;
      for_edits(first, n, [&](std::uint32_t id) { buffer[id - first] = kMasked; });
    }
    k_->scan(x, n, ws_->lane_max.data() + lane_count(first));
  });
  lanes_are_stale_ = false;
  ws_->left_lanes.clear();
}

inline void WholeRow::refresh_max() {
  if (!max_is_stale_) return;
  refresh_bounds();
  do row_max_ = k_->scan(ws_->lane_max.data(), lane_count(size()), nullptr).max;
  while (renew_left_lanes(row_max_));
  max_is_stale_ = false;
}

inline void WholeRow::refresh() {
  refresh_bounds();
  renew_left_lanes(kMasked);
  refresh_max();
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
