// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Mixes a number into a hash (the finaliser of splitmix64).
constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t z = hash + value + 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// Sets of return stacks, each kept once and named by a number. A set is a list of (node to return to, set of the
/// stacks below), sorted by node, so the alternatives of an ambiguous grammar share what they have in common instead of
/// multiplying.
class StackSets {
 public:
  using Id = std::uint32_t;
  static constexpr std::uint32_t kDone = 0xFFFFFFFF;  // "node" below the root rule: the text is complete
  static constexpr std::size_t kMaxSize = 4096;       // above it a grammar counts as too ambiguous

  struct Entry {
    std::uint32_t node;
    Id below;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  StackSets() {
    intern({});  // 0: no stack at all
    bottom_ = intern({Entry{kDone, 0}});
  }

  Id bottom() const { return bottom_; }
  std::span<const Entry> operator[](Id id) const { return {entries_.data() + first_[id], first_[id + 1] - first_[id]}; }
  Id push(std::uint32_t node, Id below) { return intern({Entry{node, below}}); }

  /// All stacks of both. A list may have one node twice, so the recursion may stop at some depth and stays exact.
  Id unite(Id a, Id b, int depth = 0) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    if (a > b) std::swap(a, b);
    const std::uint64_t pair = std::uint64_t{a} << 32 | b;
    if (const auto known = unions_.find(pair); known != unions_.end()) return known->second;
    std::vector<Entry> merged, left((*this)[a].begin(), (*this)[a].end()), right((*this)[b].begin(), (*this)[b].end());
    std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(merged));
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    if (depth < kMaxUnionDepth) {
      std::size_t kept = 0;
      for (Entry entry : merged) {
        if (kept > 0 && merged[kept - 1].node == entry.node)
          merged[kept - 1].below = unite(merged[kept - 1].below, entry.below, depth + 1);
        else
          merged[kept++] = entry;
      }
      merged.resize(kept);
    }
    if (merged.size() > kMaxSize) overflow_ = true, merged.resize(kMaxSize);
    const Id both = intern(merged);
    unions_.emplace(pair, both);
    return both;
  }
  /// True once if a set had to be cut since the last call.
  bool take_overflow() { return std::exchange(overflow_, false); }

  /// Copies `roots` from another table; the result has their new names.
  std::unordered_map<Id, Id> copy_from(const StackSets& other, const std::vector<Id>& roots) {
    std::vector<Id> order = roots;
    std::unordered_map<Id, Id> renamed;
    for (Id id : roots) renamed.emplace(id, 0);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (Entry entry : other[order[i]])
        if (renamed.emplace(entry.below, 0).second) order.push_back(entry.below);
    std::sort(order.begin(), order.end());  // what lies below is always older
    std::vector<Entry> entries;
    for (Id id : order) {
      entries.assign(other[id].begin(), other[id].end());
      for (Entry& entry : entries) entry.below = renamed.at(entry.below);
      std::sort(entries.begin(), entries.end());
      renamed[id] = intern(entries);
    }
    return renamed;
  }

  std::size_t bytes() const {
    return entries_.size() * sizeof(Entry) + first_.size() * kPerName + unions_.size() * kPerName;
  }

 private:
  static constexpr std::size_t kPerName = 48;  // about what a map node and its bucket take
  static constexpr int kMaxUnionDepth = 500;

  Id intern(const std::vector<Entry>& entries) {
    std::uint64_t hash = entries.size();
    for (Entry entry : entries) hash = mix_hash(hash, std::uint64_t{entry.node} << 32 | entry.below);
    const auto [from, to] = ids_.equal_range(hash);
    for (auto i = from; i != to; ++i) {
      const auto found = (*this)[i->second];
      if (std::equal(found.begin(), found.end(), entries.begin(), entries.end())) return i->second;
    }
    const auto id = static_cast<Id>(first_.size() - 1);
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    first_.push_back(static_cast<std::uint32_t>(entries_.size()));
    ids_.emplace(hash, id);
    return id;
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> first_{0};
  std::unordered_multimap<std::uint64_t, Id> ids_;
  std::unordered_map<std::uint64_t, Id> unions_;
  Id bottom_ = 0;
  bool overflow_ = false;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
