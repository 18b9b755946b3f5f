// SPDX-License-Identifier: MIT
#pragma once
// Candidates: the smallest prefix of a whole row that holds a share of the mass, without sorting the row.
//
// A few dozen candidates usually hold it: they are found by the maxima of the lanes and ranked. Where a sample of the
// row says that it takes more, either a longer list is ranked, or, above V/16, the exps of everything that may stay are
// packed in the pass that sums all of them. Among many exps the cut is looked for without ranking them: an interval
// around it is narrowed down to a few dozen, which then are ranked. Sums in another order than the ranking's are used
// where their error bound leaves no doubt; where it does, everything is ranked.
#include <cmath>

#include "logitkit/candidates/candidates.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Not below any exp that is not 0.
inline constexpr float kSmallestExp = 0x1p-126f;

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
  double bound_below(float t) const { return kScale * (mass_of(tops_, kSmallest) - mass_of(tops_, t)); }
  /// Takes the rest of the sample, which what follows asks.
  void take_others() {
    row_->sample_others(others_.data());
    exps_of(others_);
  }
  /// The mass of the candidates with an exp >= t.
  double above(float t) const { return mass_of(tops_, t) + kScale * mass_of(others_, t); }
  /// How many those are.
  double count(float t) const {
    return k_->mass_above(tops_.data(), tops_.size(), t).count +
           kScale * k_->mass_above(others_.data(), others_.size(), t).count;
  }
  /// The exp, to within an eighth, from which on the mass reaches `target`.
  float where_mass_reaches(double target) const {
    float low = 0x1p-12f, high = low;  // where it often is; a few steps of 4 find it elsewhere
    if (above(low) < target)
      for (low /= 4; low > kSmallest && above(low) < target; low /= 4) high = low;
    else
      for (high *= 4; high < 1.0f && above(high) >= target; high *= 4) low = high;
    std::uint32_t from = order_key(low), to = order_key(high);
    while (to - from > 1u << 20) {
      const std::uint32_t middle = from + (to - from) / 2;
      (above(from_order_key(middle)) >= target ? from : to) = middle;
    }
    return from_order_key(from);
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
  double mass_of(std::span<const float> exps, float t) const {
    return static_cast<double>(k_->mass_above(exps.data(), exps.size(), t).total);
  }
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

/// Number of bits set in 16; std::popcount is a call where the compiler is not told of the instruction.
inline std::uint32_t population(std::uint32_t bits) {
  bits -= bits >> 1 & 0x5555u;
  bits = (bits & 0x3333u) + (bits >> 2 & 0x3333u);
  return ((bits + (bits >> 4)) & 0x0f0fu) * 0x0101u >> 8 & 0x1fu;
}

/// Packs those of any number of exps that lie in the interval; `inside` and `positions` (may be null) have room for 16
/// more than they are.
inline MassSplit split(const Kernels& k, std::span<const float> exps, ExpInterval interval, float* inside,
                       std::uint32_t* positions) {
  MassSplit all;
  for_blocks(exps.size(), [&](std::size_t first, std::size_t n) {
    const MassSplit part =
        k.split_mass(exps.data() + first, n, interval.low, interval.high, static_cast<std::uint32_t>(first),
                     inside + all.inside, positions == nullptr ? nullptr : positions + all.inside);
    all.above += part.above;
    all.count += part.count;
    all.inside += part.inside;
  });
  return all;
}

/// Narrows the interval in which `exps` lie until few of them are left around the one where the mass from the largest
/// down reaches `target`: a search by interpolation. Float sums guide it, so it may be off: what follows checks.
inline ExpInterval narrow(const Kernels& k, std::span<const float> exps, ExpInterval interval, double target,
                          std::vector<float>& memory) {
  constexpr std::size_t kFew = 24;
  constexpr std::uint32_t kFinest = 8;  // units of the last place
  const std::size_t room = exps.size() + kLanes;
  if (memory.size() < 2 * room) memory.resize(2 * room);
  const auto mass_of = [&k](std::span<const float> e) {
    return static_cast<double>(k.mass_above(e.data(), e.size(), 0.0f).total);
  };
  double mass = mass_of(exps);
  bool guess = true;  // interpolation, as long as it pays
  for (int round = 0; exps.size() > kFew; ++round) {
    const std::uint32_t lowest = order_key(interval.low), highest = order_key(interval.high);
    if (highest - lowest <= kFinest) break;  // equal ones
    const bool interpolate = guess && interval.high <= 2 * interval.low;
    const double share = interpolate ? std::clamp(target / mass, 0.0, 1.0) : 0.5;
    const auto centre = highest - static_cast<std::uint32_t>(share * static_cast<double>(highest - lowest));
    const std::uint32_t margin = (highest - lowest) / 16 + 1;
    const ExpInterval middle{from_order_key(centre - std::min(margin, centre - lowest)),
                             from_order_key(centre + std::min(margin, highest - centre))};
    float* const to = memory.data() + (round % 2 == 0 ? 0 : room);
    MassSplit part = split(k, exps, middle, to, nullptr);
    ExpInterval next = middle;
    if (part.above >= target) {
      next = {middle.high, interval.high};
      part = split(k, exps, next, to, nullptr);
    } else if (const double reached = part.above + mass_of({to, part.inside}); reached < target) {
      next = {interval.low, middle.low};
      part = split(k, exps, next, to, nullptr);
    }
    if (part.inside == 0 || !(next.low < next.high)) break;
    guess = !interpolate || order_key(next.high) - order_key(next.low) < (highest - lowest) / 4;
    interval = next;
    target -= part.above;
    exps = {to, part.inside};
    mass = mass_of(exps);
  }
  return interval;
}

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
  const double wanted = p * sample.above(MassSample::kSmallest);
  if (head_mass >= wanted * 1.02 && keep_mass_of_list(p * normaliser(), min_keep, false)) return;
  const float middle = sample.where_mass_reaches(wanted);
  const double spread = 4 * sample.deviation(middle, p);
  const double up = sample.above(middle);
  const double slope = std::max(sample.above(middle / 1.25f) - up, up * 1e-3) / 0.25;
  const double shift = (spread + std::abs(up - wanted)) / slope;
  const auto low = static_cast<float>(static_cast<double>(middle) / (1.0 + 1.25 * shift + 0.01));
  const auto high = static_cast<float>(static_cast<double>(middle) * (1.0 + 1.25 * shift + 0.01));
  if (sample.count(low) * 2 < static_cast<double>(few())) {
    const auto least = static_cast<float>(static_cast<double>(most) + math::log(static_cast<double>(low)) - 1e-3);
    if (gather_few(least) && list_.size() > min_keep && keep_mass_of_list(p * normaliser(), min_keep, false)) return;
    return rank_everything();
  }
  if (keep_mass_packed(p, min_keep, {low, high})) return;
  // The sample misled. Everything is inside this one:
  if (!keep_mass_packed(p, min_keep, {kSmallestExp, next_above(1.0f)})) rank_everything();
}

/// The id whose exp was packed at a position.
inline std::uint32_t Candidates::packed_id(std::uint32_t position) const {
  using namespace detail;
  const auto& starts = workspace_->packed_starts;
  const auto block =
      static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), position) - starts.begin()) - 1;
  auto rest = static_cast<std::uint32_t>(position - starts[block]);
  for (std::size_t vector = block * (kBlock / kLanes);; ++vector) {
    std::uint32_t bits = workspace_->packed_masks[vector];
    const std::uint32_t here = population(bits);
    if (rest >= here) {
      rest -= here;
      continue;
    }
    for (; rest > 0; --rest) bits &= bits - 1;
    return static_cast<std::uint32_t>(vector * kLanes) + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
}

/// Looks for the cut among `exps`, which lie in the interval; `outside` tells of those above it. key_of(i) is the rank
/// key of exps[i]. Nothing is kept where it lies elsewhere, or where the sums' error bounds leave a doubt.
template <class KeyOf>
Candidates::MassCut Candidates::find_cut(std::span<const float> exps, detail::ExpInterval interval,
                                         detail::MassSplit outside, double target, std::size_t min_keep, KeyOf key_of) {
  using namespace detail;
  Workspace& ws = *workspace_;
  if (!(outside.above < target)) return {};
  ExpInterval window = narrow(*kernels_, exps, interval, target - outside.above, ws.sample);
  // Exps are out of order by at most one unit of the last place: a little further out the order of the logits holds.
  window = {from_order_key(order_key(window.low) - 4), from_order_key(order_key(window.high) + 4)};
  if (window.low < interval.low && interval.low > kSmallestExp) return {};
  if (window.high > interval.high && interval.high < 1.0f) return {};
  if (ws.positions.size() < exps.size() + kLanes) ws.positions.resize(exps.size() + kLanes);
  const MassSplit part = split(*kernels_, exps, window, ws.sample.data(), ws.positions.data());
  auto& keys = ws.keys;
  keys.clear();
  for (std::size_t i = 0; i < part.inside; ++i) keys.push_back(key_of(ws.positions[i]));
  sort_ranks(keys, ws.spare_keys);

  // The same rule as for a ranked list, with a margin for the sum of what lies outside the window.
  const double blocks = static_cast<double>(size()) / kBlock + static_cast<double>(exps.size()) / kBlock + 2;
  const double doubt = 0x1p-36 * (16.0 * blocks + 2 * target) + 0x1p-52 * static_cast<double>(size()) * target;
  double mass = outside.above + part.above;
  const std::size_t before = outside.count + part.count;
  for (std::size_t i = 0; i < keys.size(); ++i) ws.sample[i] = logit_of(keys[i]);
  for_blocks(keys.size(), [&](std::size_t first, std::size_t n) {
    kernels_->exp(ws.sample.data() + first, ws.sample.data() + first, n, max_of_sum_);
  });
  std::size_t kept = 0;
  while (kept < keys.size() && mass < target) {
    if (std::abs(mass - target) <= doubt) return {};
    mass += static_cast<double>(ws.sample[kept++]);
  }
  if (kept == 0 || mass < target || mass - target <= doubt || before + kept < min_keep) return {};
  return {keys[kept - 1], before + kept, window};
}

/// The cut of a whole row lies between the exps of the interval, probably. False, and nothing has changed, if it does
/// not, or if there is a doubt.
inline bool Candidates::keep_mass_packed(double p, std::size_t min_keep, detail::ExpInterval interval) {
  using namespace detail;
  Workspace& ws = *workspace_;
  max_of_sum_ = max();
  const auto least =
      static_cast<float>(static_cast<double>(max_of_sum_) + math::log(static_cast<double>(interval.low)) - 1e-3);
  MassSplit split;
  const double total = row_.sum_and_pack(max_of_sum_, least, interval, split);
  const std::span<const float> exps(ws.exps.data(), split.inside);
  const auto key_of = [&](std::uint32_t i) {
    const std::uint32_t id = packed_id(ws.ids[i]);
    return rank_key(row_.value(id), id);
  };
  const MassCut cut = find_cut(exps, interval, split, p * total, min_keep, key_of);
  if (cut.kept == 0) return false;
  if (cut.kept <= few()) {
    keep_row_to(cut.last, cut.kept);
    changed();
    return true;
  }
  // The sums of what stays come from the packed exps, so that a draw need not compute them again.
  const std::size_t doubtful = detail::split(*kernels_, exps, cut.window, ws.sample.data(), ws.positions.data()).inside;
  for (std::size_t i = 0; i < doubtful; ++i)
    if (key_of(ws.positions[i]) < cut.last) ws.packed[ws.ids[ws.positions[i]]] = 0;
  ws.block_sums.clear();
  sum_ = 0;
  survivors_of_sum_ = cut.kept;
  for (std::size_t block = 0; block + 1 < ws.packed_starts.size(); ++block) {
    sum_ += static_cast<double>(kernels_->sum_packed(ws.packed.data() + ws.packed_starts[block],
                                                     ws.packed_masks.data() + block * (kBlock / kLanes),
                                                     std::min(kBlock, size() - block * kBlock), cut.window.low));
    ws.block_sums.push_back(sum_);
  }
  row_.cut(logit_of(cut.last), id_of(cut.last));
  sum_is_known_ = true;
  return true;
}

inline void Candidates::keep_mass(double p, std::size_t min_keep) {
  using namespace detail;
  order_ = Order::by_logit;
  if (!is_compact_) return keep_mass_of_row(p, min_keep);
  const double target = p * normaliser();
  const auto keep_ranked = [&](std::span<const std::uint64_t> ranked) {
    const std::size_t kept = mass_prefix(ranked, target, min_keep, logit_of);
    if (kept == ranked.size() && kept < list_.size()) return false;
    if (kept < list_.size()) list_.keep_to(ranked[kept - 1]);
    changed();
    return true;
  };
  constexpr std::size_t kHead = 32, kWorthNarrowing = 256;
  const bool may_suffice = target < static_cast<double>(kHead) || list_.size() <= kWorthNarrowing;  // no exp is above 1
  if (may_suffice && min_keep <= kHead && keep_ranked(list_.best(kHead, max_of_sum_))) return;
  if (list_.size() > kWorthNarrowing) {
    const auto exps = list_.exps_of(list_.values(), max_of_sum_);
    const MassCut cut = find_cut(exps, {kSmallestExp, next_above(1.0f)}, {}, target, min_keep,
                                 [this](std::uint32_t i) { return rank_key(list_.values()[i], list_.ids()[i]); });
    if (cut.kept > 0) {
      list_.keep_to(cut.last);
      return changed();
    }
  }
  keep_ranked(list_.best(list_.size(), max_of_sum_));
}

LOGITKIT_NAMESPACE_END
