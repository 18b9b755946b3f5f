// SPDX-License-Identifier: MIT
#pragma once
// Candidates: what changes logits, one by one or all.
#include "logitkit/candidates/candidates.hpp"

LOGITKIT_NAMESPACE_BEGIN

template <class F>
bool Candidates::change(TokenId id, F f) {
  if (!in_range(id)) return false;
  const auto i = static_cast<std::uint32_t>(id);
  will_change();
  for (auto& [invalid_id, value] : workspace_->invalid)  // what is set aside lives on: +inf may become NaN
    if (invalid_id == id) value = f(value);
  if (!is_compact_) {
    float* const x = row_.edit(i);
    return x != nullptr && (*x = checked(id, f(*x)), true);
  }
  const std::size_t at = list_.find(i);
  if (at == list_.size()) return false;
  const float y = checked(id, f(list_.values()[at]));
  if (y == detail::kMasked)
    list_.erase(at);
  else
    list_.values()[at] = y;
  return true;
}

template <class F>
void Candidates::change_counted(std::span<const TokenId> ids, std::span<const std::uint32_t> counts, F f) {
  const std::span<float> values = is_compact_ ? std::span<float>{} : row_.edit(ids);
  if (values.empty()) {
    for (std::size_t i = 0; i < ids.size(); ++i) change(ids[i], [&](float x) { return f(&x, &counts[i], 1), x; });
    return;
  }
  will_change();
  f(values.data(), counts.data(), values.size());
  if (const detail::Scan scanned = kernels_->scan(values.data(), values.size(), nullptr); scanned.invalid)
    for (std::size_t i = 0; i < values.size(); ++i) checked(ids[i], values[i]);
}

inline void Candidates::remove(std::span<const TokenId> ids) {
  const bool are_inside = std::all_of(ids.begin(), ids.end(), [this](TokenId id) { return in_range(id); });
  if (is_compact_ || !are_inside) {
    for (const TokenId id : ids) remove(id);
    return;
  }
  will_change();
  row_.remove(ids);
}

inline void Candidates::divide(float divisor) {
  will_change();
  if (is_compact_) {
    kernels_->divide(list_.values().data(), list_.values().data(), list_.size(), divisor);
    list_.drop_masked();
  } else {
    make_room_for_pointwise();
    row_.pointwise().divide(divisor);
    const std::span<float> edited = row_.edits().values();
    kernels_->divide(edited.data(), edited.data(), edited.size(), divisor);
  }
  if (max() == std::numeric_limits<float>::infinity())
    for_each([&](TokenId id, float x) {
      if (x == std::numeric_limits<float>::infinity()) fail(Status::overflow, id);
    });
}

inline void Candidates::normalise() {
  const double total = log_sum_exp();
  will_change();
  if (is_compact_) {
    kernels_->subtract(list_.values().data(), list_.values().data(), list_.size(), total);
    list_.drop_masked();
  } else {
    make_room_for_pointwise();
    row_.pointwise().subtract(total);
    const std::span<float> edited = row_.edits().values();
    kernels_->subtract(edited.data(), edited.data(), edited.size(), total);
  }
}

LOGITKIT_NAMESPACE_END
