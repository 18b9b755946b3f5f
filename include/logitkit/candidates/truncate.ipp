// SPDX-License-Identifier: MIT
#pragma once
// Candidates: what cuts the set.
#include "logitkit/candidates/candidates.hpp"

LOGITKIT_NAMESPACE_BEGIN

inline void Candidates::allow(std::span<const std::int32_t> words) {
  changed();
  if (is_compact_) return list_.filter([&](std::uint32_t id, float) { return detail::WholeRow::bit(words, id); });
  const bool reads = is_unread_ && row_.is_float32();
  if (!reads && look() != Status::ok) return;
  const detail::Scan scanned = row_.find_allowed(words, few(), reads);
  if (reads) heed(scanned);
  if (row_status_ != Status::ok) return;
  auto& ids = workspace_->ids;
  if (ids.size() > few()) return row_.allow(words);
  workspace_->values.resize(ids.size());
  row_.values_of(ids, workspace_->values.data());
  become_list();
  list_.drop_masked();
}

inline void Candidates::keep_at_least(double threshold, std::size_t min_keep, Ties ties) {
  auto least = static_cast<float>(threshold);
  if (static_cast<double>(least) < threshold) least = detail::next_above(least);
  if (!(least > detail::kMasked)) return;
  changed();
  if (is_compact_) {
    if (kernels_->count(list_.values().data(), list_.size(), least) < min_keep) return keep_top(min_keep, ties);
    return list_.keep_at_least(least);
  }
  // Where many strips reach it, counting is cheaper than a list that comes to nothing.
  const bool may_be_few = row_.strips_reaching(least) <= few() / 4 || row_.count(least) <= few();
  if (may_be_few && gather_few(least)) {
    if (list_.size() >= min_keep) return become_list();
    return keep_top(min_keep, ties);
  }
  if (min_keep > few() && row_.count(least) < min_keep) return keep_top(min_keep, ties);
  row_.cut(least, ~std::uint32_t{0});
}

inline void Candidates::keep_top(std::size_t k, Ties ties) {
  changed();
  order_ = Order::by_logit;
  if (is_compact_) return list_.keep_top(k, ties == Ties::keep);
  float reached = detail::kMasked;
  bool is_cut = false;  // there are more than k
  if (k <= few()) {
    reached = row_.value_reached_by(k);
    const bool may_be_few =
        reached > detail::kMasked || size() <= 4 * few() || row_.strips_reaching(detail::kLowest) < k;
    const std::size_t most = std::min(few(), 8 * k + 1024);  // more than that are ties, most of them
    list_.adopt(*kernels_, *workspace_);
    if (may_be_few && row_.gather(reached, most) <= most) {
      become_list();
      return list_.keep_top(k, ties == Ties::keep);
    }
    is_cut = may_be_few;
  }
  if (!is_cut && k >= survivors()) return;
  const float kth = kth_of_row(k, std::max(reached, detail::kLowest));
  if (ties == Ties::keep) return keep_row_to(detail::rank_key(kth, ~std::uint32_t{0}), few() + 1);
  const std::size_t above = kth < row_.max() ? row_.count(detail::next_above(kth)) : 0;
  keep_row_to(detail::rank_key(kth, row_.id_of_tie(kth, k - above)), k);
}

/// The list takes all candidates >= least, if they are few. The row stays what it was.
inline bool Candidates::gather_few(float least) {
  list_.adopt(*kernels_, *workspace_);
  return row_.gather(least, few()) <= few();
}

/// The k-th candidate's logit in a whole row: `reached`, which k candidates reach, or a bisection that counts.
inline float Candidates::kth_of_row(std::size_t k, float reached) {
  std::uint32_t low = detail::order_key(reached);
  std::uint32_t high = detail::order_key(row_.max()) + 1;
  for (std::uint32_t probe = low + 1; high - low > 1; probe = low + (high - low) / 2)
    (row_.count(detail::from_order_key(probe)) >= k ? low : high) = probe;
  return detail::from_order_key(low);
}

/// Keeps what ranks no later than `last`; `kept` is how many those are, or more.
inline void Candidates::keep_row_to(std::uint64_t last, std::size_t kept) {
  const float least = detail::logit_of(last);
  list_.adopt(*kernels_, *workspace_);
  if (kept <= few() && row_.gather_to(least, detail::id_of(last), few()) <= few()) return become_list();
  row_.cut(least, detail::id_of(last));
}

inline void Candidates::keep_typical(double p, std::size_t min_keep, Ties ties) {
  const double typical = log_sum_exp() - entropy();
  const auto key_of = [typical](TokenId id, float x) {
    const auto distance = static_cast<float>(std::fabs(static_cast<double>(x) - typical));
    return detail::rank_key(-distance, static_cast<std::uint32_t>(id));
  };
  auto& keys = workspace_->keys;
  keys.clear();
  for_each([&](TokenId id, float x) { keys.push_back(key_of(id, x)); });
  detail::sort_ranks(keys, workspace_->spare_keys);
  const std::size_t kept = mass_prefix(keys, p * normaliser(), min_keep, [this](std::uint64_t key) {
    return logit(static_cast<TokenId>(detail::id_of(key)));
  });
  std::uint64_t last = keys[kept - 1];
  if (ties == Ties::keep) last = detail::rank_key(detail::logit_of(last), ~std::uint32_t{0});
  order_ = Order::by_id;
  if (keeps_order_) {
    workspace_->order.clear();
    for (const std::uint64_t key : keys)
      if (key >= last) workspace_->order.push_back(detail::id_of(key));
    order_ = Order::listed;
  }
  keep_if([&](TokenId id, float x) { return key_of(id, x) >= last; });
}

LOGITKIT_NAMESPACE_END
