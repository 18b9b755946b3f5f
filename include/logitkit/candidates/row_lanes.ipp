// SPDX-License-Identifier: MIT
#pragma once
// WholeRow: the maxima of its lanes, kept up to date when someone asks.
#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

inline void WholeRow::leave_lane(std::uint32_t id, float x) {
  if (lanes_are_stale_)
    max_is_stale_ |= x >= row_max_;
  else if (x >= ws_->lane_max[lane_of(id)])
    renew_lane(id);
}

inline void WholeRow::renew_lane(std::uint32_t id) {
  float most = kMasked;
  const std::size_t first = id / kGroup * kGroup + id % kLanes, end = std::min(id / kGroup * kGroup + kGroup, size());
  const bool is_plain = row_.dtype() == Dtype::float32 && mask_ == nullptr && cut_.is_open();
  const float* const row = is_plain ? row_.as<float>() : nullptr;
  for (std::size_t i = first; i < end; i += kLanes) {
    if (ws_->edits.contains(static_cast<std::uint32_t>(i))) continue;
    const float x = is_plain ? row[i] : row_[i];
    most = x > most && (is_plain || is_in(x, static_cast<std::uint32_t>(i))) ? x : most;
  }
  float& lane = ws_->lane_max[lane_of(id)];
  if (lane == row_max_) max_is_stale_ = true;
  lane = most;
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
