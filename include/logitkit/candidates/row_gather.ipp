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
  const std::size_t strips = strip_count(size());
  if (k * 10 >= strips * 9) return kMasked;
  const float x = threshold_for(*k_, ws_->strip_max.data(), strips, k, row_max_);
  return x == kMasked ? kMasked : pointwise_(x);
}

inline std::size_t WholeRow::strips_reaching(float y) {
  refresh();
  return k_->count(ws_->strip_max.data(), strip_count(size()), row_threshold(y));
}

inline std::size_t WholeRow::gather(float y, std::size_t most) {
  ws_->ids.clear();
  ws_->values.clear();
  const std::size_t unedited = gather_unedited(y, most, [](float, std::uint32_t) { return true; });
  gather_edited(y, [](float, std::uint32_t) { return true; });
  return merge_from(unedited);
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
  gather_edited(y, [&](float v, std::uint32_t id) { return v > y || id <= last_id; });
  return merge_from(above);
}

template <class Wanted>
std::size_t WholeRow::gather_unedited(float y, std::size_t most, Wanted wanted, const bool& enough) {
  refresh_bounds();
  for_each_reaching(*k_, row_, ws_->strip_max.data(), row_threshold(y), [&](std::uint32_t id, float x) {
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
void WholeRow::gather_edited(float y, Wanted wanted) {
  const PointEdits& edits = ws_->edits;
  float values[kBlock + kLanes];
  std::uint32_t positions[kBlock + kLanes];
  for_blocks(edits.size(), [&](std::size_t first, std::size_t n) {
    const std::size_t found =
        k_->collect(edits.values().data() + first, n, y, static_cast<std::uint32_t>(first), values, positions);
    for (std::size_t i = 0; i < found; ++i) {
      const std::uint32_t id = edits.ids()[positions[i]];
      if (!wanted(values[i], id)) continue;
      ws_->ids.push_back(id);
      ws_->values.push_back(values[i]);
    }
  });
}

inline std::size_t WholeRow::merge_from(std::size_t sorted) {
  auto& ids = ws_->ids;
  auto& values = ws_->values;
  auto& late = ws_->keys;
  late.clear();
  for (std::size_t i = sorted; i < ids.size(); ++i) late.push_back(listed_key(ids[i], values[i]));
  std::sort(late.begin(), late.end());
  std::size_t to = ids.size(), from = sorted;
  for (std::size_t i = late.size(); i > 0;) {  // from the back, so that nothing is overwritten
    --to;
    if (from > 0 && ids[from - 1] > listed_id(late[i - 1])) {
      --from;
      ids[to] = ids[from];
      values[to] = values[from];
    } else {
      --i;
      ids[to] = listed_id(late[i]);
      values[to] = listed_value(late[i]);
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
