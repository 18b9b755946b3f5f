// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "logitkit/candidates/workspace.hpp"
#include "logitkit/numeric/select_k.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// The few candidates left after a truncation: (id, logit) pairs in id order, in the workspace's arrays. All logits are
/// above -inf; a candidate that is removed leaves the list.
class CompactList {
 public:
  /// Takes the workspace's list as it stands.
  void adopt(const Kernels& kernels, Workspace& workspace) {
    k_ = &kernels;
    ws_ = &workspace;
  }

  std::size_t size() const { return ws_->ids.size(); }
  std::span<const std::uint32_t> ids() const { return ws_->ids; }
  std::span<const float> values() const { return ws_->values; }
  std::span<float> values() { return ws_->values; }

  /// Where `id` stands, size() if it is no candidate.
  std::size_t find(std::uint32_t id) const {
    const auto at = std::lower_bound(ws_->ids.begin(), ws_->ids.end(), id);
    return at == ws_->ids.end() || *at != id ? size() : static_cast<std::size_t>(at - ws_->ids.begin());
  }
  float value(std::uint32_t id) const {
    const std::size_t i = find(id);
    return i == size() ? kMasked : ws_->values[i];
  }

  float max() const { return k_->scan(ws_->values.data(), size(), nullptr).max; }

  /// Keeps the candidates for which keep(id, value) holds.
  template <class Keep>
  void filter(Keep keep) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::uint32_t id = ws_->ids[i];
      const float v = ws_->values[i];
      if (!keep(id, v)) continue;
      ws_->ids[to] = id;
      ws_->values[to++] = v;
    }
    ws_->ids.resize(to);
    ws_->values.resize(to);
  }
  void drop_masked() {
    if (k_->count(ws_->values.data(), size(), kLowest) < size())
      filter([](std::uint32_t, float v) { return v > kMasked; });
  }
  void erase(std::size_t i) {
    ws_->ids.erase(ws_->ids.begin() + static_cast<std::ptrdiff_t>(i));
    ws_->values.erase(ws_->values.begin() + static_cast<std::ptrdiff_t>(i));
  }

  /// The normaliser relative to `max` by the fixed order. The running totals of the blocks stay in the workspace.
  double sum(float max) {
    const float* const e = exps_of(ws_->values, max).data();
    const std::uint32_t* const ids = ws_->ids.data();
    ws_->block_sums.clear();
    ws_->block_starts.assign(1, 0);
    constexpr std::size_t kRows = 32;
    float lanes[kRows * kLanes], sums[kRows];
    double total = 0;
    for (std::size_t i = 0; i < size();) {
      std::size_t rows = 0;
      for (; rows < kRows && i < size(); ++rows) {
        float* const lane = lanes + rows * kLanes;
        std::fill_n(lane, kLanes, 0.0f);
        const std::uint32_t block = ids[i] / kBlock;
        do lane[ids[i] % kLanes] += e[i];
        while (++i < size() && ids[i] / kBlock == block);
        ws_->block_starts.push_back(i);
      }
      k_->tree_sums(lanes, rows, sums);
      for (std::size_t row = 0; row < rows; ++row) ws_->block_sums.push_back(total += static_cast<double>(sums[row]));
    }
    return total;
  }

  /// exp(v - max) of all values, into the workspace.
  std::span<const float> exps_of(std::span<const float> values, float max) {
    if (ws_->exps.size() < values.size()) ws_->exps.resize(values.size());
    for_blocks(values.size(), [&](std::size_t first, std::size_t n) {
      k_->exp(values.data() + first, ws_->exps.data() + first, n, max);
    });
    return {ws_->exps.data(), values.size()};
  }

  /// The first `k` candidates of the total order and perhaps more, first rank first, as rank keys.
  std::span<std::uint64_t> best(std::size_t k, float max) {
    auto& keys = ws_->keys;
    keys.clear();
    const float least = k * 4 < size() ? threshold_for(*k_, ws_->values.data(), size(), k, max) : kMasked;
    for_each_reaching(least, [&](std::uint32_t id, float v) { keys.push_back(rank_key(v, id)); });
    sort_ranks(keys, ws_->spare_keys);
    return keys;
  }

  /// Keeps the candidates that rank no later than `last`.
  void keep_to(std::uint64_t last) {
    const float least = logit_of(last);
    const std::uint32_t last_id = id_of(last);
    std::size_t to = 0;
    for_each_reaching(least, [&](std::uint32_t id, float v) {
      if (v == least && id > last_id) return;
      ws_->ids[to] = id;
      ws_->values[to++] = v;
    });
    ws_->ids.resize(to);
    ws_->values.resize(to);
  }
  void keep_at_least(float least) { keep_to(rank_key(least, ~std::uint32_t{0})); }

  /// Keeps the k first of the total order, or with `ties` all that equal the k-th too.
  void keep_top(std::size_t k, bool ties) {
    if (k >= size()) return;
    auto& keys = ws_->keys;
    keys.clear();
    for (std::size_t i = 0; i < size(); ++i) keys.push_back(rank_key(ws_->values[i], ws_->ids[i]));
    const auto kth = keys.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(keys.begin(), kth, keys.end(), std::greater<>());
    keep_to(ties ? rank_key(logit_of(*kth), ~std::uint32_t{0}) : *kth);
  }

 private:
  /// Calls f(id, value) in id order for all values >= least; f may write what lies before the next one.
  template <class F>
  void for_each_reaching(float least, F f) {
    float values[kBlock + kLanes];
    std::uint32_t positions[kBlock + kLanes];
    for_blocks(size(), [&](std::size_t first, std::size_t n) {
      const std::size_t found =
          k_->collect(ws_->values.data() + first, n, least, static_cast<std::uint32_t>(first), values, positions);
      for (std::size_t i = 0; i < found; ++i) f(ws_->ids[positions[i]], values[i]);
    });
  }

  const Kernels* k_ = nullptr;
  Workspace* ws_ = nullptr;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
