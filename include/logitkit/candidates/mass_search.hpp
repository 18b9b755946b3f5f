// SPDX-License-Identifier: MIT
#pragma once
// What looks for the place among many exps where their mass, from the largest down, reaches a share: a sample of the
// row says about where, an interval that is narrowed says it closely.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Not below any exp that is not 0.
inline constexpr float kSmallestExp = 0x1p-126f;

/// What a sample of a row tells about its mass: exact for the largest of every strip, one in 32 for the rest.
class MassSample {
 public:
  static constexpr double kScale = kStrip;

  MassSample(const Kernels& k, WholeRow& row, std::vector<float>& memory, float max) : k_(&k), row_(&row), max_(max) {
    const std::size_t strips = row.strip_total();
    if (memory.size() < 2 * strips) memory.resize(2 * strips);
    tops_ = std::span(memory).first(strips);
    others_ = std::span(memory).subspan(strips, strips);
    row.sample_tops(tops_.data());
    exps_of(tops_);
  }
  /// At least the mass of all exps < t: none of a strip is larger than its top. Needs the tops only.
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
  /// Standard deviation of (mass above t) - p * (mass of all), from a quarter of the sample and, since next to none of
  /// it may lie on one side, as if four more lay at t.
  double deviation(float t, double p) const {
    double above[4] = {}, below[4] = {};
    for (std::size_t i = 0; i + 4 <= others_.size(); i += 16)
      for (std::size_t j = 0; j < 4; ++j) {
        const double e = static_cast<double>(others_[i + j]), square = e * e;
        above[j] += others_[i + j] >= t ? square : 0;
        below[j] += others_[i + j] >= t ? 0 : square;
      }
    const double high = above[0] + above[1] + above[2] + above[3], low = below[0] + below[1] + below[2] + below[3];
    return kScale *
           std::sqrt(4 * ((1 - p) * (1 - p) * high + p * p * low + static_cast<double>(t) * static_cast<double>(t)));
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

LOGITKIT_NAMESPACE_END
