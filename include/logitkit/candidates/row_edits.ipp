// SPDX-License-Identifier: MIT
#pragma once
// WholeRow: single values of it, and how they change.
#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

template <class F>
void WholeRow::with_row_values(F f) const {
  if (row_.dtype() == Dtype::float32)
    f([row = row_.as<float>()](std::uint32_t id) { return row[id]; });
  else
    f([this](std::uint32_t id) { return row_[id]; });
}

inline void WholeRow::values_of(std::span<const std::uint32_t> ids, float* values) const {
  if (!ws_->edits.empty()) {
    for (std::size_t i = 0; i < ids.size(); ++i) values[i] = value(ids[i]);
    return;
  }
  with_row_values([&](auto row_value) {
    for (std::size_t i = 0; i < ids.size(); ++i) values[i] = row_value(ids[i]);
  });
  if (mask_ != nullptr || !cut_.is_open())
    for (std::size_t i = 0; i < ids.size(); ++i) values[i] = is_in(values[i], ids[i]) ? values[i] : kMasked;
  pointwise_.apply(*k_, values, values, ids.size());
}

inline float* WholeRow::edit(std::uint32_t id) {
  PointEdits& edits = ws_->edits;
  if (edits.contains(id)) {
    float& value = edits.at(id);
    return value == kMasked ? nullptr : &value;
  }
  const float x = row_[id];
  if (!is_in(x, id)) return nullptr;
  float& value = edits.insert(id, pointwise_(x));
  leave_strip(id, x);
  return value == kMasked ? nullptr : &value;
}

inline std::span<float> WholeRow::edit(std::span<const TokenId> ids) {
  PointEdits& edits = ws_->edits;
  if (const std::span<float> known = edits.stretch(ids); !known.empty()) return known;
  const auto last = static_cast<std::uint32_t>(size() - 1);
  std::uint32_t outside = 0;  // its sign bit
  for (const TokenId id : ids) outside |= static_cast<std::uint32_t>(id) | (last - static_cast<std::uint32_t>(id));
  if (ids.empty() || outside >> 31 != 0) return {};
  if (!edits.empty() &&
      std::any_of(ids.begin(), ids.end(), [&](TokenId id) { return edits.contains(static_cast<std::uint32_t>(id)); }))
    return {};
  const std::span<float> values = edits.insert(ids);
  if (row_.dtype() == Dtype::float32 && mask_ == nullptr && cut_.is_open() && pointwise_.empty() &&
      !strips_are_stale_) {  // a row that nothing was done to: half the time
    const float* const row = row_.as<float>();
    const float* const strip_max = ws_->strip_max.data();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto id = static_cast<std::uint32_t>(ids[i]);
      values[i] = row[id];
      if (values[i] >= strip_max[strip_of(id)]) leave_strip(id, values[i]);
    }
    return values;
  }
  with_row_values([&](auto row_value) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto id = static_cast<std::uint32_t>(ids[i]);
      const float x = row_value(id);
      values[i] = is_in(x, id) ? pointwise_(x) : kMasked;
      leave_strip(id, x);
    }
  });
  return values;
}

inline void WholeRow::remove(std::span<const TokenId> ids) {
  with_row_values([&](auto row_value) {
    ws_->edits.assign(ids, kMasked, [&](std::uint32_t id) {
      const float x = row_value(id);
      if (strips_are_stale_ || x >= ws_->strip_max[strip_of(id)]) leave_strip(id, x);
      return x != kMasked;
    });
  });
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
