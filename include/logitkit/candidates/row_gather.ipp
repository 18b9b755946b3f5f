// SPDX-License-Identifier: MIT
#pragma once
// WholeRow: which candidates reach a value.
#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

inline std::size_t WholeRow::count(float y) {
  const float threshold = row_threshold(y);
  std::size_t found = 0;
  if (mask_ == nullptr && cut_.is_open() && row_.dtype() == Dtype::float32) {
    found = k_->count(row_.as<float>(), size(), std::max(threshold, kLowest));
    const auto ids = ws_->edits.ids();
    for (const std::uint32_t id : ids) found -= row_[id] >= threshold && row_[id] > kMasked ? 1 : 0;
    for (const float v : std::as_const(ws_->edits).values()) found += v >= y ? 1 : 0;
    return found;
  }
  float buffer[kBlock];
  for_blocks(size(), [&](std::size_t first, std::size_t n) { found += k_->count(block(first, n, buffer), n, y); });
  return found;
}

inline float WholeRow::value_reached_by(std::size_t k) {
  refresh();
  const std::size_t lanes = lane_count(size());
  if (k * 10 >= lanes * 9) return kMasked;
  const float x = threshold_for(*k_, ws_->lane_max.data(), lanes, k, row_max_);
  return x == kMasked ? kMasked : pointwise_(x);
}

inline std::size_t WholeRow::lanes_reaching(float y) {
  refresh();
  return k_->count(ws_->lane_max.data(), lane_count(size()), row_threshold(y));
}

inline std::size_t WholeRow::gather(float y, std::size_t most) {
  ws_->ids.clear();
  ws_->values.clear();
  gather_unedited(y, most, [](float, std::uint32_t) { return true; });
  return merge_late([y](float v, std::uint32_t) { return v >= y; });
}

inline std::size_t WholeRow::gather_to(float y, std::uint32_t last_id, std::size_t most) {
  ws_->ids.clear();
  ws_->values.clear();
  const std::size_t above = gather_unedited(next_above(y), most, [](float, std::uint32_t) { return true; });
  if (above > most) return above;
  bool is_behind = false;
  const std::size_t found = gather_unedited(
      y, most,
      [&](float v, std::uint32_t id) {
        is_behind = id > last_id;
        return v == y && !is_behind;
      },
      is_behind);
  if (found > most) return found;
  auto& keys = ws_->keys;  // ids with their values, to be brought into one order
  keys.clear();
  for (std::size_t i = 0; i < found; ++i)
    keys.push_back(std::uint64_t{ws_->ids[i]} << 32 | std::bit_cast<std::uint32_t>(ws_->values[i]));
  std::inplace_merge(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(above), keys.end());
  for (std::size_t i = 0; i < found; ++i) {
    ws_->ids[i] = static_cast<std::uint32_t>(keys[i] >> 32);
    ws_->values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(keys[i]));
  }
  return merge_late([&](float v, std::uint32_t id) { return v > y || (v == y && id <= last_id); });
}

template <class Wanted>
std::size_t WholeRow::gather_unedited(float y, std::size_t most, Wanted wanted, const bool& enough) {
  refresh_bounds();
  for_each_reaching(*k_, row_, ws_->lane_max.data(), row_threshold(y), [&](std::uint32_t id, float x) {
    if (ws_->edits.contains(id) || !is_in(x, id)) return true;
    const float v = pointwise_(x);
    if (v == kMasked || !wanted(v, id)) return !enough;
    ws_->ids.push_back(id);
    ws_->values.push_back(v);
    return ws_->ids.size() <= most;
  });
  return ws_->ids.size();
}

template <class Wanted>
std::size_t WholeRow::merge_late(Wanted wanted) {
  auto& ids = ws_->ids;
  auto& values = ws_->values;
  const PointEdits& edits = ws_->edits;
  const std::size_t unedited = ids.size();
  auto& late = ws_->keys;  // id and slot
  late.clear();
  for (std::size_t i = 0; i < edits.size(); ++i)
    if (edits.values()[i] > kMasked && wanted(edits.values()[i], edits.ids()[i]))
      late.push_back(static_cast<std::uint64_t>(edits.ids()[i]) << 32 | i);
  if (late.empty()) return unedited;
  std::sort(late.begin(), late.end());
  ids.resize(unedited + late.size());
  values.resize(ids.size());
  std::size_t to = ids.size(), from = unedited;
  for (std::size_t i = late.size(); i > 0;) {  // from the back, so that nothing is overwritten
    const auto id = static_cast<std::uint32_t>(late[i - 1] >> 32);
    --to;
    if (from > 0 && ids[from - 1] > id) {
      --from;
      ids[to] = ids[from];
      values[to] = values[from];
    } else {
      --i;
      ids[to] = id;
      values[to] = edits.values()[static_cast<std::uint32_t>(late[i])];
    }
  }
  return ids.size();
}

inline std::size_t WholeRow::ties_before(float y, std::uint32_t id) const {
  std::size_t ties = 0;
  float buffer[kBlock];
  for_blocks(id, [&](std::size_t first, std::size_t n) {
    const float* x = block(first, n, buffer);
    ties += k_->count(x, n, y) - k_->count(x, n, next_above(y));
  });
  return ties;
}

inline std::uint32_t WholeRow::id_of_tie(float y, std::size_t n) const {
  float buffer[kBlock];
  for (std::size_t first = 0; first < size(); first += kBlock) {
    const std::size_t length = std::min(kBlock, size() - first);
    const float* x = block(first, length, buffer);
    const std::size_t ties = k_->count(x, length, y) - k_->count(x, length, next_above(y));
    if (n > ties) {
      n -= ties;
      continue;
    }
    for (std::size_t i = 0;; ++i)
      if (x[i] == y && --n == 0) return static_cast<std::uint32_t>(first + i);
  }
  return ~std::uint32_t{0};
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
