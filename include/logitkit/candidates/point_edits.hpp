// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// id -> value for the few ids of a whole row whose logit differs from the row's. A bitmap answers "is it edited?", a
/// small hash table finds the slot; steps that walk the same ids in the same order find it without the table.
class PointEdits {
 public:
  /// Forgets all edits and makes room for ids below `width`. Cost: O(edits), not O(width).
  void reset(std::size_t width) {
    if (!ids_.empty()) {
      for (const std::uint32_t id : ids_) bitmap_[id / 64] = 0;
      if (indexed_ > 0) std::fill(table_.begin(), table_.end(), kEmpty);
      ids_.clear();
      values_.clear();
      stretches_.clear();
    }
    width_ = width;
    next_ = indexed_ = 0;
  }

  bool empty() const { return ids_.empty(); }
  std::size_t size() const { return ids_.size(); }
  bool contains(std::uint32_t id) const { return !ids_.empty() && (bitmap_[id / 64] >> (id % 64) & 1) != 0; }
  /// Which of the ids 64 * i … 64 * i + 63 are edited.
  std::uint64_t word(std::size_t i) const { return ids_.empty() ? 0 : bitmap_[i]; }

  std::span<const std::uint32_t> ids() const { return ids_; }
  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }

  /// The value of an edited id.
  float& at(std::uint32_t id) {
    if (next_ >= ids_.size() || ids_[next_] != id) {
      index();
      next_ = table_[slot(id)];
    }
    return values_[next_++];
  }
  float at(std::uint32_t id) const { return const_cast<PointEdits*>(this)->at(id); }

  /// Adds an id that is not edited yet.
  float& insert(std::uint32_t id, float value) {
    bitmap_of_width()[id / 64] |= std::uint64_t{1} << (id % 64);
    ids_.push_back(id);
    values_.push_back(value);
    return values_.back();
  }

  /// Adds distinct ids that are not edited yet as one stretch; their values are for the caller to fill in.
  std::span<float> insert(std::span<const TokenId> ids) {
    const std::size_t first = ids_.size();
    stretches_.push_back({first, ids.size()});
    ids_.resize(first + ids.size());
    values_.resize(ids_.size());
    std::memcpy(ids_.data() + first, ids.data(), ids.size_bytes());
    std::uint64_t* const bitmap = bitmap_of_width();
    for (const TokenId id : ids) bitmap[static_cast<std::uint32_t>(id) / 64] |= std::uint64_t{1} << (id % 64);
    return values().subspan(first);
  }
  /// Gives ids, which may come twice, one value: those that are edited, and of the others those for which wanted(id)
  /// holds.
  template <class Wanted>
  void assign(std::span<const TokenId> ids, float value, Wanted wanted) {
    std::uint64_t* const bitmap = bitmap_of_width();
    std::size_t n = ids_.size();
    for (std::size_t i = 0; n > 0 && i < ids.size(); ++i)
      if (const auto id = static_cast<std::uint32_t>(ids[i]); contains(id)) at(id) = value;
    ids_.resize(n + ids.size());
    for (const TokenId token : ids) {
      const auto id = static_cast<std::uint32_t>(token);
      const std::uint64_t bit = std::uint64_t{1} << (id % 64);
      if ((bitmap[id / 64] & bit) != 0 || !wanted(id)) continue;
      bitmap[id / 64] |= bit;
      ids_[n++] = id;
    }
    ids_.resize(n);
    values_.resize(n, value);
  }
  /// The values of a stretch that was inserted with exactly these ids; empty if there is none.
  std::span<float> stretch(std::span<const TokenId> ids) {
    for (const Stretch& s : stretches_)
      if (s.size == ids.size() && std::memcmp(ids_.data() + s.first, ids.data(), ids.size_bytes()) == 0)
        return values().subspan(s.first, s.size);
    return {};
  }

  std::size_t bytes() const {
    return bitmap_.capacity() * sizeof(std::uint64_t) + table_.capacity() * sizeof(std::uint32_t) +
           ids_.capacity() * sizeof(std::uint32_t) + values_.capacity() * sizeof(float) +
           stretches_.capacity() * sizeof(Stretch);
  }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  struct Stretch {
    std::size_t first, size;
  };

  std::uint64_t* bitmap_of_width() {
    if (bitmap_.size() * 64 < width_) bitmap_.resize((width_ + 63) / 64);
    return bitmap_.data();
  }
  /// Where the table holds the id, or the free place where it belongs.
  std::size_t slot(std::uint32_t id) const {
    const std::size_t last = table_.size() - 1;
    std::size_t place = (id * std::uint32_t{2654435769}) >> shift_;
    while (table_[place] != kEmpty && ids_[table_[place]] != id) place = (place + 1) & last;
    return place;
  }
  /// Brings the ids that came since the last look into the table: many steps never look.
  void index() {
    if (ids_.size() * 2 > table_.size()) {
      std::size_t size = std::max<std::size_t>(64, table_.size());
      while (ids_.size() * 2 > size) size *= 2;
      table_.assign(size, kEmpty);
      shift_ = 32;
      for (std::size_t rest = size; rest > 1; rest /= 2) --shift_;
      indexed_ = 0;
    }
    for (; indexed_ < ids_.size(); ++indexed_) table_[slot(ids_[indexed_])] = static_cast<std::uint32_t>(indexed_);
  }

  std::vector<std::uint64_t> bitmap_;
  std::vector<std::uint32_t> table_;
  std::vector<std::uint32_t> ids_;
  std::vector<float> values_;
  std::vector<Stretch> stretches_;
  std::size_t indexed_ = 0;  // the first so many ids are in the table
  std::size_t width_ = 0;
  std::size_t next_ = 0;  // a guess at the slot asked for next
  int shift_ = 32;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
