// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "logitkit/candidates/pointwise.hpp"
#include "logitkit/candidates/workspace.hpp"
#include "logitkit/numeric/select_k.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// A prefix of the total order, told in the row's own values: x > high stays, low <= x <= high only up to `last_id`.
/// (A tie after a division may be a range of values before it.)
struct Cut {
  float low = kMasked, high = kMasked;
  std::uint32_t last_id = ~std::uint32_t{0};
  bool keeps(float x, std::uint32_t id) const { return x > high || (x >= low && id <= last_id); }
  bool is_open() const { return low == kMasked; }
};

/// All V logits as the engine gave them, with what was done to them so far: a few edited ids, a queue of pointwise
/// operations, an allow-mask, a cut. Nothing of size V is written; blocks of 1,024 are made in cache when a pass needs
/// them. "Value" means after all that, "row value" the engine's own.
class WholeRow {
 public:
  /// Takes a row that one of the next two has yet to read.
  void take(const Kernels& kernels, Workspace& workspace, LogitsView row) {
    k_ = &kernels;
    ws_ = &workspace;
    row_ = row;
    pointwise_ = {};
    cut_ = {};
    mask_ = nullptr;
    ws_->edits.reset(row.size());
    ws_->left_strips.clear();
    if (ws_->strip_max.size() < strip_count(row.size())) ws_->strip_max.resize(strip_count(row.size()));
  }
  /// Reads the row once: the maxima of its strips, and whether it is valid.
  Scan read() {
    const Scan scanned = detail::scan(*k_, row_, ws_->strip_max.data());
    row_max_ = scanned.max;
    strips_are_stale_ = max_is_stale_ = false;
    return scanned;
  }
  /// The workspace's ids become those that `words` allow: `most` of them, or more. With `reads` the row (float32) is
  /// read on the way, as read() does, but for the strips.
  Scan find_allowed(std::span<const std::int32_t> words, std::size_t most, bool reads) {
    auto& found = ws_->positions;
    if (found.size() < most + kIdsBeyond) found.resize(most + kIdsBeyond);
    const MaskedScan scanned = k_->scan_allowed(reads ? row_.as<float>() : nullptr, reads ? size() : 0, words.data(),
                                                std::min(size(), words.size() * 32), found.data(), most);
    ws_->ids.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(scanned.found));
    if (!reads) return {};
    row_max_ = scanned.row.max;
    strips_are_stale_ = true;
    max_is_stale_ = false;
    return scanned.row;
  }
  Scan open(const Kernels& kernels, Workspace& workspace, LogitsView row) {
    take(kernels, workspace, row);
    return read();
  }

  /// Nothing but a width, for a list that comes from elsewhere.
  void open_nothing(std::size_t width) { row_ = LogitsView(static_cast<const float*>(nullptr), width); }

  std::size_t size() const { return row_.size(); }
  LogitsView row() const { return row_; }
  bool is_float32() const { return row_.dtype() == Dtype::float32; }
  Pointwise& pointwise() { return pointwise_; }
  const Pointwise& pointwise() const { return pointwise_; }
  PointEdits& edits() { return ws_->edits; }

  /// What the engine gave.
  float row_value(std::uint32_t id) const { return row_[id]; }
  /// The value at id, -inf if it is no candidate.
  float value(std::uint32_t id) const {
    if (ws_->edits.contains(id)) return std::as_const(ws_->edits).at(id);
    const float x = row_[id];
    return is_in(x, id) ? pointwise_(x) : kMasked;
  }

  /// The values at many ids, -inf where an id is no candidate.
  void values_of(std::span<const std::uint32_t> ids, float* values) const;

  /// The value of a candidate, to be changed; null if `id` is none. From now on its strip's maximum leaves it out.
  float* edit(std::uint32_t id);
  /// The values of distinct ids, to be changed, -inf where an id is no candidate. Empty, and nothing happens, if some
  /// lie outside the row or were edited in another company. Cost: a few nanoseconds an id, less when asked again.
  std::span<float> edit(std::span<const TokenId> ids);
  /// Removes candidates; ids are below size(), and may come twice.
  void remove(std::span<const TokenId> ids);
  /// How many candidates with the value y have an id below this one.
  std::size_t ties_before(float y, std::uint32_t id) const;
  /// The id of the n-th candidate whose value is y, n from 1.
  std::uint32_t id_of_tie(float y, std::size_t n) const;

  /// The largest value, -inf if there is none.
  float max() {
    refresh_max();
    const std::span<const float> edited = std::as_const(ws_->edits).values();
    return std::max(pointwise_(row_max_), k_->scan(edited.data(), edited.size(), nullptr).max);
  }

  /// The smallest row value whose value is at least y, +inf if no unedited candidate's is.
  float row_threshold(float y) {
    refresh_max();
    if (!(pointwise_(row_max_) >= y)) return std::numeric_limits<float>::infinity();
    return pointwise_.lowest(y, row_max_);
  }

  /// Values of the ids [first, first + n) as floats, first a multiple of 1,024; `buffer` holds them if they had to be
  /// made.
  const float* block(std::size_t first, std::size_t n, float* buffer) const {
    const float* x = row_block(first, n, buffer);
    if (!pointwise_.empty()) {
      pointwise_.apply(*k_, x, buffer, n);
      x = buffer;
    }
    if (!has_edits(first, n)) return x;
    if (x != buffer) std::copy(x, x + n, buffer);
    for_edits(first, n, [&](std::uint32_t id) { buffer[id - first] = std::as_const(ws_->edits).at(id); });
    return buffer;
  }

  /// The normaliser relative to `max` by the fixed order, and how many candidates there are. The running totals of the
  /// blocks stay in the workspace.
  struct Sum {
    double total = 0;
    std::size_t count = 0;
  };
  Sum sum(float max);

  /// As sum(); besides, the smallest value of every lane of every block goes to the workspace's `packed`, +inf where
  /// there is none, and what each block adds to its `exps`.
  struct ExactSum : Sum {
    double exact = 0;  ///< the exps' own sum, within 2^-18 for every block
  };
  ExactSum sum_and_lows(float max);
  /// After sum_and_lows(): the workspace's `keys` become the candidates with a value <= y, in id order. Reads only the
  /// lanes that have one.
  void find_low(float y);
  /// After sum_and_lows() and a cut that `removed` these rank keys: the sums of the blocks in which they lie anew, and
  /// the running totals. Returns the last of them.
  double sum_without(float max, std::span<const std::uint64_t> removed);

  /// As sum(); besides, the exps of the candidates with a value >= y go packed into the workspace.
  double sum_and_pack(float max, float y);

  /// For estimates: the largest value of every strip, edited ids apart; strip_total() floats.
  void sample_tops(float* tops);
  /// For estimates: the values of some ids, -inf where one is the largest of its strip. Every id but the tops is in it
  /// with chance 1 / 32; edits are not looked at.
  void sample_others(float* others);

  /// Calls f(id, value) for every candidate in id order.
  template <class F>
  void for_each(F f) const {
    float buffer[kBlock];
    for_blocks(size(), [&](std::size_t first, std::size_t n) {
      const float* x = block(first, n, buffer);
      for (std::size_t i = 0; i < n; ++i)
        if (x[i] > kMasked) f(static_cast<std::uint32_t>(first + i), x[i]);
    });
  }

  /// Number of candidates with a value >= y, which is above -inf.
  std::size_t count(float y);

  /// Writes the candidates with a value >= y to the workspace's list, in id order, and returns their number; stops and
  /// returns more than `most` when there are more, the first of which are in the list. Reads only strips that reach
  /// y.
  std::size_t gather(float y, std::size_t most);

  /// The same for the candidates above y and those equal to it up to `last_id`: a few among many ties cost little.
  std::size_t gather_to(float y, std::uint32_t last_id, std::size_t most);

  /// A value that at least k candidates reach and not many more, found from the maxima of the strips; -inf if they do
  /// not tell (k near their number).
  float value_reached_by(std::size_t k);
  std::size_t strip_total() const { return strip_count(size()); }
  /// How many strips reach a value: at least so many candidates do, edited ids apart.
  std::size_t strips_reaching(float y);

  /// Keeps the candidates whose value is above y, and those equal to y up to last_id.
  void cut(float y, std::uint32_t last_id) {
    const float low = row_threshold(y);
    Cut next{std::max(low, kLowest), std::numeric_limits<float>::max(), last_id};
    if (low < std::numeric_limits<float>::infinity() && pointwise_(row_max_) > y)
      next.high = next_below(row_threshold(next_above(y)));
    const bool largest_stays = pointwise_(row_max_) > y || (last_id < size() && !ws_->edits.contains(last_id) &&
                                                            row_[last_id] == row_max_ && value(last_id) == y);
    if (!cut_.is_open() && !(next.low > cut_.high)) fold_cut_into_mask();
    cut_ = next;
    for (std::size_t i = 0; i < ws_->edits.size(); ++i) {
      float& v = ws_->edits.values()[i];
      if (!(v > y || (v == y && ws_->edits.ids()[i] <= last_id))) v = kMasked;
    }
    strips_are_stale_ = true;
    max_is_stale_ |= !largest_stays;  // ties of it may go
  }

  /// Keeps the candidates whose bit is 1; `words` stay borrowed if they cover the row and are the first mask.
  void allow(std::span<const std::int32_t> words) {
    const std::size_t needed = (size() + 31) / 32;
    for (std::size_t i = 0; i < ws_->edits.size(); ++i)
      if (!bit(words, ws_->edits.ids()[i])) ws_->edits.values()[i] = kMasked;
    if (mask_ == nullptr && words.size() >= needed) {
      mask_ = words.data();
    } else {
      own_mask();
      for (std::size_t i = 0; i < needed; ++i) ws_->mask[i] &= i < words.size() ? words[i] : 0;
    }
    strips_are_stale_ = max_is_stale_ = true;
  }

  /// Keeps the candidates for which keep(id, value) holds. Returns their number; the first `most` of them are in the
  /// workspace's list.
  template <class Keep>
  std::size_t filter(Keep keep, std::size_t most) {
    own_mask();
    auto& ids = ws_->ids;
    auto& values = ws_->values;
    ids.clear();
    values.clear();
    std::size_t kept = 0;
    float buffer[kBlock];
    for_blocks(size(), [&](std::size_t first, std::size_t n) {
      const float* x = block(first, n, buffer);
      for (std::size_t i = 0; i < n; ++i) {
        if (!(x[i] > kMasked)) continue;
        const auto id = static_cast<std::uint32_t>(first + i);
        if (!keep(id, x[i])) {
          ws_->mask[id / 32] &= static_cast<std::int32_t>(~(std::uint32_t{1} << (id % 32)));
          continue;
        }
        if (++kept > most) continue;
        ids.push_back(id);
        values.push_back(x[i]);
      }
    });
    const std::span<const std::int32_t> words(ws_->mask);
    for (std::size_t i = 0; i < ws_->edits.size(); ++i)
      if (!bit(words, ws_->edits.ids()[i])) ws_->edits.values()[i] = kMasked;
    strips_are_stale_ = max_is_stale_ = true;
    return kept;
  }

  /// Whether the values come from this row, and not from an array.
  bool reads(LogitsView row) const { return row_.data() == row.data(); }
  /// Gives the candidates their row values back: mask and cut stay, they are told in row values.
  void restore() {
    pointwise_ = {};
    for (std::size_t i = 0; i < ws_->edits.size(); ++i)
      if (float& v = ws_->edits.values()[i]; v > kMasked) v = row_[ws_->edits.ids()[i]];
  }

  /// Whether the row is this array, with nothing done to it since.
  bool is_plain_array(const float* array) const {
    return row_.data() == array && pointwise_.empty() && mask_ == nullptr && cut_.is_open() && ws_->edits.empty();
  }

  /// What a mask says of an id: no, past its words.
  static bool bit(std::span<const std::int32_t> words, std::uint32_t id) {
    return id / 32 < words.size() && (static_cast<std::uint32_t>(words[id / 32]) >> (id % 32) & 1) != 0;
  }

 private:
  static std::size_t strip_of(std::size_t id) { return id / kStrip; }
  bool allowed(std::uint32_t id) const {
    return mask_ == nullptr || (static_cast<std::uint32_t>(mask_[id / 32]) >> (id % 32) & 1) != 0;
  }
  /// Whether an unedited id is a candidate.
  bool is_in(float x, std::uint32_t id) const {
    return x > kMasked && allowed(id) && (cut_.is_open() || cut_.keeps(x, id));
  }

  bool has_edits(std::size_t first, std::size_t n) const {
    if (ws_->edits.empty()) return false;
    for (std::size_t w = first / 64; w < (first + n + 63) / 64; ++w)
      if (ws_->edits.word(w) != 0) return true;
    return false;
  }
  template <class F>
  void for_edits(std::size_t first, std::size_t n, F f) const {
    if (ws_->edits.empty()) return;
    for (std::size_t w = first / 64; w < (first + n + 63) / 64; ++w)
      for (std::uint64_t rest = ws_->edits.word(w); rest != 0; rest &= rest - 1) {
        const std::size_t id = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        if (id >= first && id < first + n) f(static_cast<std::uint32_t>(id));
      }
  }

  /// The tie of the cut ends inside the block.
  bool cuts_inside(std::size_t first, std::size_t n) const {
    return !cut_.is_open() && cut_.last_id >= first && cut_.last_id + std::size_t{1} < first + n;
  }
  /// Adds the unedited candidates with a value >= y that are wanted to the workspace's list, until it holds more than
  /// `most` or `enough` is set. Returns the list's size.
  template <class Wanted>
  std::size_t gather_unedited(float y, std::size_t most, Wanted wanted, const bool& enough = false);
  /// Adds the edited candidates with a value >= y that are wanted to the workspace's list, in any order.
  template <class Wanted>
  void gather_edited(float y, Wanted wanted);
  /// Brings the workspace's list into id order; its first `sorted` are. Returns its size.
  std::size_t merge_from(std::size_t sorted);

  /// What the cut asks of row values in a block that it does not cut inside.
  float least_in(std::size_t first) const {
    if (cut_.is_open()) return kLowest;
    return first <= cut_.last_id ? cut_.low : next_above(cut_.high);
  }

  /// Row values with mask and cut applied.
  const float* row_block(std::size_t first, std::size_t n, float* buffer) const {
    const float* x = read_block(*k_, row_, first, n, buffer);
    if (mask_ != nullptr) {
      k_->apply_mask(x, buffer, n, mask_ + first / 32);
      x = buffer;
    }
    if (cut_.is_open()) return x;
    const std::size_t ties = first > cut_.last_id ? 0 : std::min<std::size_t>(n, cut_.last_id - first + 1);
    if (ties > 0) k_->cut(x, buffer, ties, cut_.low);
    if (ties < n) k_->cut(x + ties, buffer + ties, n - ties, next_above(cut_.high));
    return buffer;
  }

  /// The least row value that is no -inf after the pointwise operations.
  float least_alive() { return pointwise_.empty() ? kLowest : std::max(row_threshold(kLowest), kLowest); }
  /// f(x, divisor, least) of a block: its values are x / divisor, its candidates those with x >= least.
  template <class F>
  auto with_summands(std::size_t first, std::size_t n, float alive, F f) const;
  ExpSum block_sum(std::size_t first, std::size_t n, float alive, float max) const;

  /// Makes the mask our own, so that it can be changed; folds nothing.
  void own_mask() {
    const std::size_t needed = (size() + 31) / 32;
    if (mask_ != nullptr && mask_ == ws_->mask.data()) return;
    if (ws_->mask.size() < needed) ws_->mask.resize(needed);
    if (mask_ != nullptr)
      std::copy(mask_, mask_ + needed, ws_->mask.begin());
    else
      std::fill(ws_->mask.begin(), ws_->mask.begin() + static_cast<std::ptrdiff_t>(needed), -1);
    mask_ = ws_->mask.data();
  }
  void fold_cut_into_mask() {
    own_mask();
    float buffer[kBlock];
    for_blocks(size(), [&](std::size_t first, std::size_t n) {
      const float* x = read_block(*k_, row_, first, n, buffer);
      for (std::size_t i = 0; i < n; ++i) {
        const auto id = static_cast<std::uint32_t>(first + i);
        if (!cut_.keeps(x[i], id) && !ws_->edits.contains(id))  // an edited id is in by its value, whatever the row's
          ws_->mask[id / 32] &= static_cast<std::int32_t>(~(std::uint32_t{1} << (id % 32)));
      }
    });
    cut_ = {};
  }

  /// Calls f(row_value), which reads without asking for the row's type each time.
  template <class F>
  void with_row_values(F f) const;
  /// Takes an id with the row value x, which is edited now, out of its strip's maximum.
  void leave_strip(std::uint32_t id, float x);
  /// The maxima of the strips of the ids [first, first + n) without edited ids; first a multiple of 32.
  void renew_strips(std::size_t first, std::size_t n);
  /// Renews the strips that were put off, of those only that are at least `least`. Whether there were any.
  bool renew_left_strips(float least);

  /// The strips' maxima, or more where one is left to be renewed.
  void refresh_bounds();
  void refresh_max();
  void refresh();

  const Kernels* k_ = nullptr;
  Workspace* ws_ = nullptr;
  LogitsView row_;
  Pointwise pointwise_;
  Cut cut_;
  const std::int32_t* mask_ = nullptr;
  float row_max_ = kMasked;  // of the strips: the largest row value of a candidate that is not edited
  bool strips_are_stale_ = false, max_is_stale_ = false;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END

#include "logitkit/candidates/row_edits.ipp"
#include "logitkit/candidates/row_gather.ipp"
#include "logitkit/candidates/row_strips.ipp"
#include "logitkit/candidates/row_sums.ipp"
