// SPDX-License-Identifier: MIT
#pragma once
// Candidates: the smallest prefix of a whole row that holds a share of the mass, without sorting the row.
//
// A few dozen candidates usually hold it: they are found by the maxima of the lanes and ranked. Where a sample of the
// row says that it takes more, either a longer list is ranked, or, above V/16, the exps of everything that may stay are
// packed in the pass that sums all of them, and the cut is looked for there. Sums in another order than the ranking's
// are used where their error bound leaves no doubt; where it does, everything is ranked.
#include <cmath>

#include "logitkit/candidates/candidates.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// The sum of all exps >= high of an array of any length, and their number.
inline MassSplit mass_above(const Kernels& k, const float* e, std::size_t n, float high) {
  MassSplit all;
  for_blocks(n, [&](std::size_t first, std::size_t size) {
    const MassSplit part = k.split_mass(e + first, size, high, high, nullptr);
    all.above += part.above;
    all.count += part.count;
  });
  return all;
}

/// The largest exp t, to within `tolerance` units of the last place, with mass(t) >= target; `lowest` if there is none.
template <class Mass>
float exp_where_mass_reaches(Mass mass, double target, float lowest, float highest, std::uint32_t tolerance) {
  std::uint32_t low = order_key(lowest), high = order_key(highest);
  while (high - low > tolerance) {
    const std::uint32_t middle = low + (high - low) / 2;
    (mass(from_order_key(middle)) >= target ? low : high) = middle;
  }
  return from_order_key(low);
}

/// What a sample of a row tells about its mass: exact for the largest of every lane, one in 32 for the rest.
class MassSample {
 public:
  static constexpr std::size_t kIdsPerLane = kGroup / kLanes;
  static constexpr double kScale = kIdsPerLane;

  MassSample(const Kernels& k, WholeRow& row, std::vector<float>& memory, float max) : k_(&k), row_(&row), max_(max) {
    const std::size_t lanes = row.lane_total();
    if (memory.size() < 2 * lanes) memory.resize(2 * lanes);
    tops_ = std::span(memory).first(lanes);
    others_ = std::span(memory).subspan(lanes, lanes);
    row.sample_tops(tops_.data());
    exps_of(tops_);
  }
  /// At least the mass of all exps < t: none of a lane is larger than its top. Needs the tops only.
  double bound_below(float t) const {
    return kScale * (mass_above(*k_, tops_.data(), tops_.size(), kSmallest).above -
                     mass_above(*k_, tops_.data(), tops_.size(), t).above);
  }
  /// Takes the rest of the sample, which what follows asks.
  void take_others() {
    row_->sample_others(others_.data());
    exps_of(others_);
  }
  /// The mass of the candidates with an exp >= t, and their number.
  MassSplit above(float t) const {
    const MassSplit top = mass_above(*k_, tops_.data(), tops_.size(), t);
    const MassSplit other = mass_above(*k_, others_.data(), others_.size(), t);
    return {top.above + kScale * other.above, top.count + kIdsPerLane * other.count, 0};
  }
  /// The exp, to within an eighth, from which on the mass reaches `target`.
  float where_mass_reaches(double target) const {
    const auto mass = [this](float t) { return above(t).above; };
    float low = 0x1p-12f, high = low;  // where it often is; a few steps of 4 find it elsewhere
    if (mass(low) < target)
      for (low /= 4; low > kSmallest && mass(low) < target; low /= 4) high = low;
    else
      for (high *= 4; high < 1.0f && mass(high) >= target; high *= 4) low = high;
    return exp_where_mass_reaches(mass, target, low, high, 1u << 20);
  }
  /// Standard deviation of (mass above t) - p * (mass of all), from a quarter of the sample.
  double deviation(float t, double p) const {
    double above[4] = {}, below[4] = {};
    for (std::size_t i = 0; i + 4 <= others_.size(); i += 16)
      for (std::size_t j = 0; j < 4; ++j) {
        const double e = static_cast<double>(others_[i + j]), square = e * e;
        above[j] += others_[i + j] >= t ? square : 0;
        below[j] += others_[i + j] >= t ? 0 : square;
      }
    const double high = above[0] + above[1] + above[2] + above[3], low = below[0] + below[1] + below[2] + below[3];
    return kScale * std::sqrt(4 * ((1 - p) * (1 - p) * high + p * p * low));
  }
  /// Masses are told from here on: what lies below matters to no sum.
  static constexpr float kSmallest = 0x1p-60f;

 private:
  void exps_of(std::span<float> values) {
    for_blocks(values.size(), [&](std::size_t first, std::size_t n) {
      k_->exp(values.data() + first, values.data() + first, n, max_);
    });
  }

  const Kernels* k_;
  WholeRow* row_;
  float max_;
  std::span<float> tops_, others_;
};

}  // namespace detail

/// How many of the first candidates stay: each before which less than `target` is ranked, and at least min_keep. The
/// mass is the sum of the exps in rank order, in double; value_of(key) is a candidate's logit.
template <class ValueOf>
std::size_t Candidates::mass_prefix(std::span<const std::uint64_t> ranked, double target, std::size_t min_keep,
                                    ValueOf value_of) const {
  double mass = 0;
  float e[detail::kBlock];
  for (std::size_t first = 0; first < ranked.size(); first += detail::kBlock) {
    const std::size_t n = std::min(detail::kBlock, ranked.size() - first);
    for (std::size_t i = 0; i < n; ++i) e[i] = value_of(ranked[first + i]);
    kernels_->exp(e, e, n, max_of_sum_);
    for (std::size_t i = 0; i < n; ++i) {
      if (first + i >= min_keep && !(mass < target)) return first + i;
      mass += static_cast<double>(e[i]);
    }
  }
  return ranked.size();
}

/// The rank keys of the list that was gathered, first rank first.
inline std::span<std::uint64_t> Candidates::ranked_list() {
  auto& keys = workspace_->keys;
  keys.clear();
  for (std::size_t i = 0; i < list_.size(); ++i) keys.push_back(detail::rank_key(list_.values()[i], list_.ids()[i]));
  detail::sort_ranks(keys, workspace_->spare_keys);
  return keys;
}

/// Looks for the cut among the first candidates, which were gathered. False if it lies behind them.
inline bool Candidates::keep_mass_of_list(double target, std::size_t min_keep, bool is_all) {
  const auto ranked = ranked_list();
  const std::size_t kept = mass_prefix(ranked, target, min_keep, detail::logit_of);
  if (kept == ranked.size() && !is_all) return false;
  const std::uint64_t last = ranked[kept - 1];
  become_list();
  list_.keep_to(last);
  return true;
}

inline void Candidates::keep_mass_of_row(double p, std::size_t min_keep) {
  using namespace detail;
  const float most = max();
  const auto rank_everything = [&] {
    auto& keys = workspace_->keys;
    const double target = p * normaliser();
    keys.clear();
    row_.for_each([&](std::uint32_t id, float x) { keys.push_back(rank_key(x, id)); });
    sort_ranks(keys, workspace_->spare_keys);
    const std::size_t kept = mass_prefix(keys, target, min_keep, logit_of);
    if (kept < keys.size()) keep_row_to(keys[kept - 1], kept);
    changed();
  };

  // The head: exact masses of the first few dozen.
  const std::size_t head_size = std::max<std::size_t>(64, min_keep);
  const float head_least = head_size <= few() ? row_.value_reached_by(head_size) : kMasked;
  if (head_size > few() || !gather_few(head_least)) return rank_everything();
  if (head_least == kMasked) {
    keep_mass_of_list(p * normaliser(), min_keep, true);
    return;
  }
  double head_mass = 0;
  for (const float e : list_.exps_of(list_.values(), most)) head_mass += static_cast<double>(e);

  // The mass of all, and where the cut may be, from a sample.
  MassSample sample(*kernels_, row_, workspace_->sample, most);
  const auto head_exp = static_cast<float>(math::exp(static_cast<double>(head_least) - static_cast<double>(most)));
  if (head_mass >= p * (head_mass + sample.bound_below(head_exp)) * 1.001 &&
      keep_mass_of_list(p * normaliser(), min_keep, false))
    return;
  sample.take_others();
  const double wanted = p * sample.above(MassSample::kSmallest).above;
  if (head_mass >= wanted * 1.02 && keep_mass_of_list(p * normaliser(), min_keep, false)) return;
  const float middle = sample.where_mass_reaches(wanted);
  const double spread = 4 * sample.deviation(middle, p);
  const double up = sample.above(middle).above;
  const double slope = std::max(sample.above(middle / 1.25f).above - up, up * 1e-3) / 0.25;
  const double shift = (spread + std::abs(up - wanted)) / slope;
  const auto low = static_cast<float>(static_cast<double>(middle) / (1.0 + 1.25 * shift + 0.01));
  const auto high = static_cast<float>(static_cast<double>(middle) * (1.0 + 1.25 * shift + 0.01));
  const auto count = static_cast<double>(sample.above(low).count);
  if (count * 2 < static_cast<double>(few())) {
    const auto least = static_cast<float>(static_cast<double>(most) + math::log(static_cast<double>(low)) - 1e-3);
    if (gather_few(least) && list_.size() > min_keep && keep_mass_of_list(p * normaliser(), min_keep, false)) return;
    return rank_everything();
  }
  if (!keep_mass_packed(p, min_keep, low, high)) rank_everything();
}

/// The id whose exp is the position-th that was packed of a block.
inline std::uint32_t Candidates::packed_id(std::size_t block, std::size_t position) const {
  const std::size_t first = block * (detail::kBlock / detail::kLanes);
  for (std::size_t vector = first;; ++vector) {
    std::uint32_t rest = workspace_->packed_masks[vector];
    const auto here = static_cast<std::size_t>(std::popcount(rest));
    if (position >= here) {
      position -= here;
      continue;
    }
    for (; position > 0; --position) rest &= rest - 1;
    return static_cast<std::uint32_t>(vector * detail::kLanes + static_cast<std::size_t>(std::countr_zero(rest)));
  }
}

/// The cut lies between the exps `low` and `high`, probably. False, and nothing has changed, if it does not, or if the
/// sums' error bounds leave a doubt.
inline bool Candidates::keep_mass_packed(double p, std::size_t min_keep, float low, float high) {
  using namespace detail;
  Workspace& ws = *workspace_;
  const float most = max();
  const auto least = static_cast<float>(static_cast<double>(most) + math::log(static_cast<double>(low)) - 1e-3);
  const double total = row_.sum_and_pack(most, least);
  const double target = p * total;
  const std::size_t packed = ws.packed_starts.back();

  // Narrow the bracket down to some dozens of exps: first all packed ones, then what lies between, by samples.
  std::vector<float>& inside = ws.exps;
  std::vector<float>& sample = ws.values;
  const float* from = ws.packed.data();
  std::size_t n = packed;
  double before = 0;
  constexpr std::size_t kFew = 24, kSample = 512;
  while (true) {
    if (inside.size() < n + kLanes) inside.resize(n + kLanes);
    MassSplit split;
    for_blocks(n, [&](std::size_t first, std::size_t size) {  // in place behind the reading once `from` is `inside`
      float kept[kBlock + kLanes];
      const MassSplit part = kernels_->split_mass(from + first, size, low, high, kept);
      std::copy(kept, kept + part.inside, inside.data() + split.inside);
      split.above += part.above;
      split.inside += part.inside;
    });
    before += split.above;
    if (!(before < target)) return false;
    const bool is_stuck = from != ws.packed.data() && split.inside * 4 > n * 3;  // many equal ones
    if (split.inside <= kFew || is_stuck) break;
    from = inside.data();
    n = split.inside;
    const std::size_t stride = std::max<std::size_t>(1, n / kSample);
    sample.clear();
    for (std::size_t i = 0; i < n; i += stride) sample.push_back(inside[i]);
    const double scale = static_cast<double>(n) / static_cast<double>(sample.size());
    const double spread = (stride == 1 ? kFew / 3.0 : 2.0 * scale * std::sqrt(static_cast<double>(sample.size()))) *
                          static_cast<double>(high);
    const auto mass = [&](float t) {
      return before + scale * mass_above(*kernels_, sample.data(), sample.size(), t).above;
    };
    const float next_low = exp_where_mass_reaches(mass, target + spread, low, high, 64);
    high = exp_where_mass_reaches(mass, target - spread, next_low, high, 64);
    low = next_low;
  }

  // Exps are out of order by at most one unit of the last place: a little further out the order of the logits holds.
  low = from_order_key(order_key(low) - 4);
  high = from_order_key(order_key(high) + 4);
  auto& window = ws.keys;
  window.clear();
  MassSplit outside;
  float unused[kBlock + kLanes];
  for (std::size_t block = 0; block + 1 < ws.packed_starts.size(); ++block) {
    const std::size_t start = ws.packed_starts[block];
    const float* e = ws.packed.data() + start;
    const MassSplit part = kernels_->split_mass(e, ws.packed_starts[block + 1] - start, low, high, unused);
    outside.above += part.above;
    outside.count += part.count;
    std::size_t position = 0;
    for (std::size_t found = 0; found < part.inside; ++position) {
      if (!(e[position] >= low && e[position] < high)) continue;
      ++found;
      const std::uint32_t id = packed_id(block, position);
      window.push_back(rank_key(row_.value(id), id));
    }
  }
  sort_ranks(window, ws.spare_keys);

  // The same rule as for a ranked list, with a margin for the sum of what lies outside the window.
  const double doubt = 0x1p-36 * (16.0 * static_cast<double>(ws.packed_starts.size()) + total) +
                       0x1p-52 * static_cast<double>(size()) * total;
  double mass = outside.above;
  std::size_t kept = 0;
  if (ws.exps.size() < window.size()) ws.exps.resize(window.size());
  for (std::size_t i = 0; i < window.size(); ++i) ws.exps[i] = logit_of(window[i]);
  for_blocks(window.size(), [&](std::size_t first, std::size_t size) {
    kernels_->exp(ws.exps.data() + first, ws.exps.data() + first, size, most);
  });
  while (kept < window.size() && mass < target) {
    if (std::abs(mass - target) <= doubt) return false;
    mass += static_cast<double>(ws.exps[kept++]);
  }
  if (kept == 0 || mass < target || mass - target <= doubt || outside.count + kept < min_keep) return false;
  const std::uint64_t last = window[kept - 1];

  if (outside.count + kept <= few()) {
    keep_row_to(last, outside.count + kept);
    changed();
    return true;
  }
  // The sums of what stays come from the packed exps, so that a draw need not compute them again.
  for (std::size_t i = kept; i < window.size(); ++i) {
    const std::uint32_t id = id_of(window[i]), last_vector = id / kLanes;
    std::size_t position = ws.packed_starts[id / kBlock];
    for (std::size_t vector = id / kBlock * (kBlock / kLanes); vector < last_vector; ++vector)
      position += static_cast<std::size_t>(std::popcount(ws.packed_masks[vector]));
    const std::uint32_t lower = ws.packed_masks[last_vector] & ((1u << (id % kLanes)) - 1);
    ws.packed[position + static_cast<std::size_t>(std::popcount(lower))] = 0;
  }
  ws.block_sums.clear();
  sum_ = 0;
  survivors_of_sum_ = 0;
  for (std::size_t block = 0; block + 1 < ws.packed_starts.size(); ++block) {
    const ExpSum sum = kernels_->sum_packed(ws.packed.data() + ws.packed_starts[block],
                                            ws.packed_masks.data() + block * (kBlock / kLanes),
                                            std::min(kBlock, size() - block * kBlock), low);
    sum_ += static_cast<double>(sum.total);
    survivors_of_sum_ += sum.count;
    ws.block_sums.push_back(sum_);
  }
  row_.cut(logit_of(last), id_of(last));
  max_of_sum_ = most;
  sum_is_known_ = true;
  return true;
}

LOGITKIT_NAMESPACE_END
