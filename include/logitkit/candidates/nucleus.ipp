// SPDX-License-Identifier: MIT
#pragma once
// Candidates: the smallest prefix of a whole row that holds a share of the mass, without sorting the row.
//
// A few dozen candidates usually hold it: they are found by the maxima of the strips and ranked. Where a sample of the
// row says that it takes more, either a longer list is ranked, or, above V/16, the exps of everything that may stay are
// packed in the pass that sums all of them. Among many exps the cut is looked for without ranking them: an interval
// around it is narrowed down to a few dozen, which then are ranked. Sums in another order than the ranking's are used
// where their error bound leaves no doubt; where it does, everything is ranked. Where next to nothing goes, that is
// looked for instead, from the last rank up. No search is needed where the cut falls among equals of the largest logit.
#include "logitkit/candidates/candidates.hpp"
#include "logitkit/candidates/mass_search.hpp"

LOGITKIT_NAMESPACE_BEGIN

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

/// Where the cut falls among equals of the largest logit: the exp of each is 1, their mass is a count. False if it lies
/// behind them.
inline bool Candidates::keep_mass_of_ties(double p, std::size_t min_keep) {
  using namespace detail;
  const float most = max();
  auto& ties = workspace_->packed_starts;  // how many are before each block, and all
  ties.assign(1, 0);
  float buffer[kBlock];
  for_blocks(size(), [&](std::size_t first, std::size_t n) {
    ties.push_back(ties.back() + kernels_->count(row_.block(first, n, buffer), n, most));
  });
  const double target = p * (ties.back() == size() ? static_cast<double>(size()) : normaliser());
  const std::size_t kept = std::max(static_cast<std::size_t>(std::ceil(target)), min_keep);  // i rank before the i-th
  if (kept > ties.back()) return false;

  const auto after = std::lower_bound(ties.begin(), ties.end(), kept);
  const std::size_t first = static_cast<std::size_t>(after - ties.begin() - 1) * kBlock;
  const float* x = row_.block(first, std::min(kBlock, size() - first), buffer);
  std::size_t left = kept - *(after - 1), last = 0;
  while (!(x[last] == most && --left == 0)) ++last;
  changed();
  keep_row_to(rank_key(most, static_cast<std::uint32_t>(first + last)), kept);
  if (is_compact_) return true;
  auto& sums = workspace_->block_sums;
  sums.clear();
  for (std::size_t block = 1; block < ties.size(); ++block)
    sums.push_back(static_cast<double>(std::min(ties[block], kept)));
  max_of_sum_ = most;
  sum_ = sums.back();
  survivors_of_sum_ = kept;
  sum_is_known_ = true;
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
  if (head_size > few()) return rank_everything();
  if (keep_mass_but_tail(p)) return;  // more than few(), so min_keep too
  const float head_least = row_.value_reached_by(head_size);
  if (head_least == most && keep_mass_of_ties(p, min_keep)) return;
  if (!gather_few(head_least)) return rank_everything();
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
  const double wanted = p * sample.above(kSmallestTold);
  if (head_mass >= wanted * 1.02 && keep_mass_of_list(p * normaliser(), min_keep, false)) return;
  const float middle = where_mass_reaches(wanted, [&](float t) { return sample.above(t); });
  const double deviation = sample.deviation(middle, p);
  const double up = sample.above(middle);
  const double slope = std::max(sample.above(middle / 1.25f) - up, up * 1e-3) / 0.25;
  const double centre = static_cast<double>(middle) * (1 + std::clamp((up - wanted) / slope, 0.0, 0.125));
  const auto around = [&](double deviations) {
    const double margin = 1 + 1.25 * deviations * deviation / slope + 0.01;
    return ExpInterval{static_cast<float>(centre / margin), static_cast<float>(centre * margin)};
  };
  const float low = around(4).low;
  if (sample.count(low) * 2 < static_cast<double>(few())) {
    const auto least = static_cast<float>(static_cast<double>(most) + math::log(static_cast<double>(low)) - 1e-3);
    if (gather_few(least) && list_.size() > min_keep && keep_mass_of_list(p * normaliser(), min_keep, false)) return;
    return rank_everything();
  }
  if (keep_mass_packed(p, min_keep, low, around(2))) return;
  // The sample misled, so everything is packed:
  if (!keep_mass_packed(p, min_keep, kSmallestExp, around(2))) rank_everything();
}

/// Where little goes, it is looked for from the last rank up: a candidate goes iff the mass from it to the last is at
/// most what all have beyond p of the normaliser. That is about as much as the normaliser is rounded by, so an exact
/// sum is taken beside it. False, and nothing has changed, where much goes, or where there is a doubt.
inline bool Candidates::keep_mass_but_tail(double p) {
  using namespace detail;
  if (p < 1 - 0x1p-12) return false;  // what goes is the smallest, so its share of all candidates is at least 1 - p
  // Normally distributed logits, most of which stay, have half of their strips' maxima that high.
  const float most = max();
  const float high = most + 0.5f * static_cast<float>(math::log(std::max(1 - p, 0x1p-53)));
  if (row_.strips_reaching(high) * 2 < row_.strip_total()) return false;

  const WholeRow::ExactSum all = row_.sum_and_lows(most);
  max_of_sum_ = most;
  sum_ = all.total;
  survivors_of_sum_ = all.count;
  sum_is_known_ = true;
  const double excess = all.exact - p * all.total;
  const std::size_t blocks = size() / kBlock + 1;
  const double doubt = 0x1p-18 * static_cast<double>(blocks) + 0x1p-52 * static_cast<double>(size()) * all.total;

  // The smallest of some lanes have as much together, so no larger one goes.
  const std::size_t lanes = size() / kBlock * kLanes + std::min(size() % kBlock, kLanes);
  auto& exps = workspace_->sample;
  if (exps.size() < lanes) exps.resize(lanes);
  std::transform(workspace_->packed.begin(), workspace_->packed.begin() + static_cast<std::ptrdiff_t>(lanes),
                 exps.begin(), [most](float low) { return std::min(low, most); });
  for_blocks(lanes, [&](std::size_t first, std::size_t n) {
    kernels_->exp(exps.data() + first, exps.data() + first, n, most);
  });
  const auto above = [&](float t) { return static_cast<double>(kernels_->mass_above(exps.data(), lanes, t).total); };
  constexpr std::uint32_t kClose = 1u << 15;
  const float reached = where_mass_reaches(above(0) - 1.001 * excess - 2 * doubt, above, kClose);
  const float bound = from_order_key(order_key(reached) + kClose);
  if (lanes < 4 * (lanes - kernels_->mass_above(exps.data(), lanes, bound).count)) return false;
  row_.find_low(static_cast<float>(static_cast<double>(most) + math::log(static_cast<double>(bound)) + 1e-6));
  auto& keys = workspace_->keys;
  if (keys.size() > kBlock) return false;
  sort_ranks(keys, workspace_->spare_keys);

  float e[kBlock];
  std::transform(keys.begin(), keys.end(), e, logit_of);
  kernels_->exp(e, e, keys.size(), most);
  std::size_t stay = keys.size();  // of these
  for (double mass = 0; stay > 0; --stay) {
    mass += static_cast<double>(e[stay - 1]);
    if (std::abs(mass - excess) <= doubt) return false;
    if (mass > excess) break;
  }
  const std::size_t kept = all.count - (keys.size() - stay);
  if (stay == 0 || kept <= few()) return false;
  if (stay == keys.size()) return true;
  row_.cut(logit_of(keys[stay - 1]), id_of(keys[stay - 1]));
  sum_ = row_.sum_without(most, std::span(keys).subspan(stay));
  survivors_of_sum_ = kept;
  return true;
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

/// Looks for the cut among `exps`, of which those >= `least` are complete; `guess` is where it may be, key_of(i) the
/// rank key of exps[i]. Nothing is kept where it lies elsewhere, or where the sums' error bounds leave a doubt.
template <class KeyOf>
Candidates::MassCut Candidates::find_cut(std::span<const float> exps, float least, detail::ExpInterval guess,
                                         Target wanted, std::size_t min_keep, KeyOf key_of) {
  using namespace detail;
  Workspace& ws = *workspace_;
  const double target = wanted.mass;
  std::vector<float>& spare = exps.data() == ws.exps.data() ? ws.packed : ws.exps;
  ExpInterval window = narrow(*kernels_, exps, {least, next_above(1.0f)}, guess, target, ws.sample, spare);
  // Exps are out of order by at most one unit of the last place: a little further out the order of the logits holds.
  window = {from_order_key(order_key(window.low) - 4), from_order_key(order_key(window.high) + 4)};
  if (window.low < least && least > kSmallestExp) return {};
  const MassSplit part = split(*kernels_, exps, window, ws.sample, &ws.positions);
  auto& keys = ws.keys;
  keys.clear();
  for (std::size_t i = 0; i < part.inside; ++i) keys.push_back(key_of(ws.positions[i]));
  sort_ranks(keys, ws.spare_keys);

  // The same rule as for a ranked list, with a margin for the sum of what lies outside the window.
  const double blocks = static_cast<double>(size()) / kBlock + static_cast<double>(exps.size()) / kBlock + 2;
  const double doubt =
      wanted.doubt + 0x1p-36 * (16.0 * blocks + 2 * target) + 0x1p-52 * static_cast<double>(size()) * target;
  double mass = part.above;
  for (std::size_t i = 0; i < keys.size(); ++i) ws.sample[i] = logit_of(keys[i]);
  for_blocks(keys.size(), [&](std::size_t first, std::size_t n) {
    kernels_->exp(ws.sample.data() + first, ws.sample.data() + first, n, max_of_sum_);
  });
  std::size_t kept = 0;
  while (kept < keys.size() && mass < target) {
    if (std::abs(mass - target) <= doubt) return {};
    mass += static_cast<double>(ws.sample[kept++]);
  }
  if (kept == 0 || mass < target || mass - target <= doubt || part.count + kept < min_keep) return {};
  return {keys[kept - 1], part.count + kept, part.inside, window.low};
}

/// The cut of a whole row lies at an exp >= least_exp, probably inside `guess`. False, and nothing has changed, if it
/// lies below, or if there is a doubt.
inline bool Candidates::keep_mass_packed(double p, std::size_t min_keep, float least_exp, detail::ExpInterval guess) {
  using namespace detail;
  Workspace& ws = *workspace_;
  max_of_sum_ = max();
  const auto least =
      static_cast<float>(static_cast<double>(max_of_sum_) + math::log(static_cast<double>(least_exp)) - 1e-3);
  const double total = row_.sum_and_pack(max_of_sum_, least);
  const auto key_of = [&](std::uint32_t i) {
    const std::uint32_t id = packed_id(i);
    return rank_key(row_.value(id), id);
  };
  const std::span<const float> exps(ws.packed.data(), ws.packed_starts.back());
  const MassCut cut = find_cut(exps, least_exp, guess, {p * total}, min_keep, key_of);
  if (cut.kept == 0) return false;
  if (cut.kept <= few()) {
    keep_row_to(cut.last, cut.kept);
    changed();
    return true;
  }
  // The sums of what stays come from the packed exps, so that a draw need not compute them again.
  for (std::size_t i = 0; i < cut.doubtful; ++i)
    if (key_of(ws.positions[i]) < cut.last) ws.packed[ws.positions[i]] = 0;
  ws.block_sums.clear();
  sum_ = 0;
  survivors_of_sum_ = cut.kept;
  for (std::size_t block = 0; block + 1 < ws.packed_starts.size(); ++block) {
    sum_ += static_cast<double>(kernels_->sum_packed(ws.packed.data() + ws.packed_starts[block],
                                                     ws.packed_masks.data() + block * (kBlock / kLanes),
                                                     std::min(kBlock, size() - block * kBlock), cut.low));
    ws.block_sums.push_back(sum_);
  }
  row_.cut(logit_of(cut.last), id_of(cut.last));
  sum_is_known_ = true;
  return true;
}

/// Looks for the cut among the exps of a list. Their sum may come in any order, since it only has to tell the cut: it
/// is off the normaliser, where that is not known yet, by what floats lose in adding up to 64 values of a lane and 16
/// lanes. False where that is a doubt.
inline bool Candidates::keep_mass_of_long_list(double p, std::size_t min_keep) {
  using namespace detail;
  if (!sum_is_known_) max_of_sum_ = max();
  const auto exps = list_.exps_of(list_.values(), max_of_sum_);
  const double total = sum_is_known_ ? sum_ : split(*kernels_, exps, {}, workspace_->sample).above;
  const Target wanted{p * total, sum_is_known_ ? 0 : 0x1p-17 * total};
  const float middle = where_mass_reaches(wanted.mass, [&](float t) {
    return static_cast<double>(kernels_->mass_above(exps.data(), exps.size(), t).total);
  });
  const MassCut cut =
      find_cut(exps, kSmallestExp, {middle, std::min(middle * 1.25f, next_above(1.0f))}, wanted, min_keep,
               [this](std::uint32_t i) { return rank_key(list_.values()[i], list_.ids()[i]); });
  if (cut.kept == 0) return false;
  list_.keep_to(cut.last);
  changed();
  return true;
}

inline void Candidates::keep_mass(double p, std::size_t min_keep) {
  using namespace detail;
  order_ = Order::by_logit;
  if (!is_compact_) return keep_mass_of_row(p, min_keep);
  constexpr std::size_t kHead = 32, kWorthNarrowing = 256;
  const bool is_long = list_.size() > kWorthNarrowing, sum_was_known = sum_is_known_;
  if (is_long && keep_mass_of_long_list(p, min_keep)) return;
  const double target = p * normaliser();
  if (is_long && !sum_was_known && keep_mass_of_long_list(p, min_keep)) return;
  const auto keep_ranked = [&](std::span<const std::uint64_t> ranked) {
    const std::size_t kept = mass_prefix(ranked, target, min_keep, logit_of);
    if (kept == ranked.size() && kept < list_.size()) return false;
    if (kept < list_.size()) list_.keep_to(ranked[kept - 1]);
    changed();
    return true;
  };
  if (!is_long && min_keep <= kHead && keep_ranked(list_.best(kHead, max_of_sum_))) return;
  keep_ranked(list_.best(list_.size(), max_of_sum_));
}

LOGITKIT_NAMESPACE_END
