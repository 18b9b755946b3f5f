// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How often each token occurs in a stretch of history: a small open-addressing table over arrays that can be walked.
/// Any id may be counted, also negative ones (image placeholders). add and remove cost O(1).
class TokenCounts {
 public:
  void add(TokenId id) {
    if ((ids_.size() + 1) * 2 > table_.size()) grow();
    std::uint32_t& entry = table_[slot(id)];
    if (entry == kEmpty) {
      entry = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(id);
      counts_.push_back(0);
    }
    ++counts_[entry];
  }
  /// Takes back one add().
  void remove(TokenId id) { --counts_[table_[slot(id)]]; }

  /// Where the id stands in ids(), past their end if it was never counted.
  std::size_t place(TokenId id) const { return table_.empty() ? kEmpty : table_[slot(id)]; }
  std::uint32_t count(TokenId id) const {
    const std::size_t entry = place(id);
    return entry == kEmpty ? 0 : counts_[entry];
  }

  /// The ids ever counted, in the order of their first add(); their count may have come back to 0.
  std::span<const TokenId> ids() const { return ids_; }
  std::span<const std::uint32_t> counts() const { return counts_; }

  void clear() {
    std::fill(table_.begin(), table_.end(), kEmpty);
    ids_.clear();
    counts_.clear();
  }
  std::size_t bytes() const {
    return table_.capacity() * sizeof(std::uint32_t) + ids_.capacity() * sizeof(TokenId) +
           counts_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  std::size_t slot(TokenId id) const {
    const std::size_t last = table_.size() - 1;
    std::size_t place = (static_cast<std::uint32_t>(id) * std::uint32_t{2654435769}) >> shift_;
    while (table_[place] != kEmpty && ids_[table_[place]] != id) place = (place + 1) & last;
    return place;
  }
  void grow() {
    const std::size_t size = std::max<std::size_t>(64, table_.size() * 2);
    table_.assign(size, kEmpty);
    shift_ = 32;
    for (std::size_t rest = size; rest > 1; rest /= 2) --shift_;
    for (std::size_t i = 0; i < ids_.size(); ++i) table_[slot(ids_[i])] = static_cast<std::uint32_t>(i);
  }

  std::vector<std::uint32_t> table_;
  std::vector<TokenId> ids_;
  std::vector<std::uint32_t> counts_;
  int shift_ = 32;
};

LOGITKIT_NAMESPACE_END
