// SPDX-License-Identifier: MIT
#pragma once
// Candidates: what picks one of the set.
#include "logitkit/candidates/candidates.hpp"

LOGITKIT_NAMESPACE_BEGIN

inline TokenId Candidates::best() {
  const float most = max();
  if (is_compact_) {
    const auto values = list_.values();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] == most) return static_cast<TokenId>(list_.ids()[i]);
    return kNoToken;
  }
  if (!(most > detail::kMasked)) return kNoToken;
  row_.gather(most, 0);  // the lowest id comes first
  return static_cast<TokenId>(workspace_->ids.front());
}

namespace detail {

/// The first of n ids, in order, whose running sum exceeds `target`; a remainder goes to the last with exp > 0.
inline std::size_t first_above(const float* exps, std::size_t n, double running, double target) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(exps[i] > 0)) continue;
    last = i;
    running += static_cast<double>(exps[i]);
    if (running > target) break;
  }
  return last;
}

}  // namespace detail

inline TokenId Candidates::draw(double u) {
  const double target = u * normaliser();
  const std::vector<double>& totals = workspace_->block_sums;
  if (empty()) return kNoToken;
  const auto at = std::upper_bound(totals.begin(), totals.end() - 1, target);  // a remainder goes to the last block
  const auto block = static_cast<std::size_t>(at - totals.begin());
  const double before = block == 0 ? 0.0 : totals[block - 1];
  float e[detail::kBlock];
  if (is_compact_) {
    const std::size_t first = workspace_->block_starts[block], n = workspace_->block_starts[block + 1] - first;
    kernels_->exp(list_.values().data() + first, e, n, max_of_sum_);
    return static_cast<TokenId>(list_.ids()[first + detail::first_above(e, n, before, target)]);
  }
  const std::size_t first = block * detail::kBlock, n = std::min(detail::kBlock, size() - first);
  kernels_->exp(row_.block(first, n, e), e, n, max_of_sum_);
  return static_cast<TokenId>(first + detail::first_above(e, n, before, target));
}

inline std::size_t Candidates::rank(TokenId id) {
  const float x = logit(id);
  if (x == detail::kMasked) return survivors() + 1;
  std::size_t before = 0;
  if (is_compact_) {
    const std::uint64_t key = detail::rank_key(x, static_cast<std::uint32_t>(id));
    for (std::size_t i = 0; i < list_.size(); ++i)
      before += detail::rank_key(list_.values()[i], list_.ids()[i]) > key ? 1 : 0;
    return before + 1;
  }
  const std::size_t reaching = row_.count(x);
  before = x < max() ? row_.count(detail::next_above(x)) : 0;
  if (reaching - before > 1) before += row_.ties_before(x, static_cast<std::uint32_t>(id));
  return before + 1;
}

template <class F>
void Candidates::for_each_probability(F f) {
  const double sum = normaliser();
  const auto call = [&](std::uint32_t id, float e) {
    if (e > 0) f(static_cast<TokenId>(id), static_cast<double>(e) / sum);
  };
  if (is_compact_) {
    const auto exps = list_.exps_of(list_.values(), max_of_sum_);
    for (std::size_t i = 0; i < list_.size(); ++i) call(list_.ids()[i], exps[i]);
    return;
  }
  float e[detail::kBlock];
  detail::for_blocks(size(), [&](std::size_t first, std::size_t n) {
    kernels_->exp(row_.block(first, n, e), e, n, max_of_sum_);
    for (std::size_t i = 0; i < n; ++i) call(static_cast<std::uint32_t>(first + i), e[i]);
  });
}

inline double Candidates::probability(TokenId id) {
  const double sum = normaliser();
  float e = logit(id);
  kernels_->exp(&e, &e, 1, max_of_sum_);
  return static_cast<double>(e) / sum;
}

inline void Candidates::restore(LogitsView row) {
  changed();
  if (is_compact_) {
    for (std::size_t i = 0; i < list_.size(); ++i) list_.values()[i] = row[list_.ids()[i]];
    return;
  }
  if (row_.reads(row)) return row_.restore();
  std::vector<float>& array = workspace_->array;  // a step asked for the array: it holds the row
  for (std::size_t id = 0; id < size(); ++id)
    if (array[id] > detail::kMasked)
      array[id] = row_.value(static_cast<std::uint32_t>(id)) > detail::kMasked ? row[id] : detail::kMasked;
  row_.open(*kernels_, *workspace_, {array.data(), size()});
}

LOGITKIT_NAMESPACE_END
