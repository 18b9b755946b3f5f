// SPDX-License-Identifier: MIT
#pragma once
// Candidates: the total order, and the one that steps leave behind.
#include "logitkit/candidates/candidates.hpp"

LOGITKIT_NAMESPACE_BEGIN

inline std::span<const std::uint64_t> Candidates::ranked(std::size_t k) {
  auto& keys = workspace_->keys;
  const auto add = [&keys](std::uint32_t id, float x) { keys.push_back(detail::rank_key(x, id)); };
  if (is_compact_) {
    list_.best(k, max());
  } else if (const float least = k > few() ? detail::kMasked : row_.value_reached_by(k);
             least > detail::kMasked && gather_few(least)) {
    keys.clear();
    for (std::size_t i = 0; i < list_.size(); ++i) add(list_.ids()[i], list_.values()[i]);
    detail::sort_ranks(keys, workspace_->spare_keys);
  } else {
    keys.clear();
    row_.for_each(add);
    detail::sort_ranks(keys, workspace_->spare_keys);
  }
  return std::span<const std::uint64_t>(keys).first(std::min(k, keys.size()));
}

/// Writes the order down, if it is not that of the ids.
inline void Candidates::list_order() {
  if (order_ != Order::by_logit) return;
  workspace_->order.clear();
  for (const std::uint64_t key : ranked(size())) workspace_->order.push_back(detail::id_of(key));
  order_ = Order::listed;
}

template <class F>
void Candidates::walk(F f) {
  list_order();
  if (order_ == Order::listed) {
    for (const std::uint32_t i : workspace_->order) {
      const auto id = static_cast<TokenId>(i);
      if (const float x = logit(id); x > detail::kMasked && !f(id, x)) return;
    }
    return;
  }
  if (is_compact_) {
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (!f(static_cast<TokenId>(list_.ids()[i]), list_.values()[i])) return;
    return;
  }
  float buffer[detail::kBlock];
  for (std::size_t first = 0; first < size(); first += detail::kBlock) {
    const std::size_t n = std::min(detail::kBlock, size() - first);
    const float* x = row_.block(first, n, buffer);
    for (std::size_t i = 0; i < n; ++i)
      if (x[i] > detail::kMasked && !f(static_cast<TokenId>(first + i), x[i])) return;
  }
}

LOGITKIT_NAMESPACE_END
