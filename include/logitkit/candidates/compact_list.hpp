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

  /// The normaliser relative to `max` by the fixed order; the exps stay in the workspace.
  double sum(float max) {
    exps_of(ws_->values, max);
    double total = 0;
    for (std::size_t i = 0; i < size();) total += static_cast<double>(block_sum(i));
    return total;
  }

  /// The sum of the block that begins at position i of the list; moves i behind it.
  float block_sum(std::size_t& i) const {
    const float* e = ws_->exps.data();
    const std::size_t first = i;
    const std::uint32_t block = ws_->ids[i] / kBlock;
    while (i < size() && ws_->ids[i] / kBlock == block) ++i;
    if (i - first == 1) return e[first];
    if (i - first == 2) return e[first] + e[first + 1];  // whichever the lanes: the other addends are zeros
    float lane[kLanes] = {};
    for (std::size_t j = first; j < i; ++j) lane[ws_->ids[j] % kLanes] += e[j];
    for (std::size_t half = kLanes / 2; half >= 1; half /= 2)
      for (std::size_t j = 0; j < half; ++j) lane[j] += lane[j + half];
    return lane[0];
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
    for (std::size_t i = 0; i < size(); ++i)
      if (ws_->values[i] >= least) keys.push_back(rank_key(ws_->values[i], ws_->ids[i]));
    sort_ranks(keys, ws_->spare_keys);
    return keys;
  }

  /// Keeps the candidates that rank no later than `last`.
  void keep_to(std::uint64_t last) {
    filter([last](std::uint32_t id, float v) { return rank_key(v, id) >= last; });
  }

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
  const Kernels* k_ = nullptr;
  Workspace* ws_ = nullptr;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
