// SPDX-License-Identifier: MIT
#pragma once
// What looks for the place among many exps where their mass, from the largest down, reaches a share: a sample of the
// row says about where, an interval that is narrowed says it closely.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "logitkit/candidates/whole_row.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Not below any exp that is not 0.
inline constexpr float kSmallestExp = 0x1p-126f;

/// Masses are told from here on: what lies below matters to no sum.
inline constexpr float kSmallestTold = 0x1p-60f;

/// An eighth of an exp, in units of the last place.
inline constexpr std::uint32_t kEighth = 1u << 20;

/// The exp, to within so many units of the last place, from which on the mass reaches `target`; above(t) is the mass of
/// all >= t.
template <class Above>
float where_mass_reaches(double target, Above above, std::uint32_t within = kEighth) {
  float low = 0x1p-12f, high = low;  // where it often is; a few steps of 4 find it elsewhere
  double above_low = above(low), above_high = above_low;
  if (above_low < target) {
    for (; low > kSmallestTold && above_low < target; above_low = above(low)) {
      high = std::exchange(low, low / 4);
      above_high = above_low;
    }
  } else {
    for (; high < 1.0f && above_high >= target; above_high = above(high)) {
      low = std::exchange(high, high * 4);
      above_low = above_high;
    }
  }
  std::uint32_t from = order_key(low), to = order_key(high);
  while (to - from > within) {
    const double share = above_low > above_high ? (target - above_high) / (above_low - above_high) : 0.5;
    const auto probe =
        to - static_cast<std::uint32_t>(std::clamp(share, 0.125, 0.875) * static_cast<double>(to - from));
    const double reached = above(from_order_key(probe));
    (reached >= target ? from : to) = probe;
    (reached >= target ? above_low : above_high) = reached;
  }
  return from_order_key(from);
}

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
  double bound_below(float t) const { return kScale * (mass_of(tops_, kSmallestTold) - mass_of(tops_, t)); }
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

/// Packs those of any number of exps that lie in the interval, and their positions if asked: what they are packed into
/// grows as needed.
inline MassSplit split(const Kernels& k, std::span<const float> exps, ExpInterval interval, std::vector<float>& inside,
                       std::vector<std::uint32_t>* positions = nullptr) {
  const auto make_room = [](auto& vector, std::size_t used) {
    if (vector.size() < used + kBlock + kLanes) vector.resize(std::max(used + kBlock + kLanes, vector.size() * 3 / 2));
  };
  MassSplit all;
  for_blocks(exps.size(), [&](std::size_t first, std::size_t n) {
    make_room(inside, all.inside);
    if (positions != nullptr) make_room(*positions, all.inside);
    const MassSplit part =
        k.split_mass(exps.data() + first, n, interval.low, interval.high, static_cast<std::uint32_t>(first),
                     inside.data() + all.inside, positions == nullptr ? nullptr : positions->data() + all.inside);
    all.above += part.above;
    all.count += part.count;
    all.inside += part.inside;
  });
  return all;
}

/// A sixteenth of the interval in which the mass of `exps`, all inside it, reaches `target` from the largest down, or
/// more where that is found sooner: regula falsi on the bits, which are about logarithms. `mass` is that of all.
inline ExpInterval sixteenth(const Kernels& k, std::span<const float> exps, ExpInterval interval, double target,
                             double mass) {
  std::uint32_t low = order_key(interval.low), high = order_key(interval.high);
  const std::uint32_t wide = (high - low) / 16;
  double excess = mass - target, lack = target;  // at the ends; that of an end which stays twice is halved (Illinois)
  int stays = 0;
  for (int round = 0; round < 6 && high - low > wide; ++round) {
    const double share = std::clamp(lack / (lack + excess), 1.0 / 16, 15.0 / 16);
    const auto probe = high - static_cast<std::uint32_t>(share * static_cast<double>(high - low));
    const double above = static_cast<double>(k.mass_above(exps.data(), exps.size(), from_order_key(probe)).total);
    if (above >= target) {
      low = probe;
      excess = above - target;
      if (stays++ > 0) lack /= 2;
      stays = std::max(stays, 1);
    } else {
      high = probe;
      lack = target - above;
      if (stays-- < 0) excess /= 2;
      stays = std::min(stays, -1);
    }
  }
  return {from_order_key(low), from_order_key(high)};
}

/// Narrows the interval in which `exps` lie until few of them are left around the one where the mass from the largest
/// down reaches `target`; looks at `guess` first. Float sums guide it, so it may be off: what follows checks. `memory`
/// and `spare` hold no exps.
inline ExpInterval narrow(const Kernels& k, std::span<const float> exps, ExpInterval interval, ExpInterval guess,
                          double target, std::vector<float>& memory, std::vector<float>& spare) {
  constexpr std::size_t kFew = 8;
  constexpr std::uint32_t kFinest = 8;  // units of the last place: equal ones
  double mass = 0;
  for (int round = 0; exps.size() > kFew && order_key(interval.high) - order_key(interval.low) > kFinest; ++round) {
    std::vector<float>& to = round % 2 == 0 ? memory : spare;
    ExpInterval next = round == 0 ? guess : sixteenth(k, exps, interval, target, mass);
    MassSplit part = split(k, exps, next, to);
    const auto mass_inside = [&] { return static_cast<double>(k.mass_above(to.data(), part.inside, 0.0f).total); };
    mass = mass_inside();
    if (part.above >= target || part.above + mass < target) {
      next = part.above >= target ? ExpInterval{next.high, interval.high} : ExpInterval{interval.low, next.low};
      part = split(k, exps, next, to);
      mass = mass_inside();
    }
    if (part.inside == 0 || !(next.low < next.high)) break;
    interval = next;
    target -= part.above;
    exps = {to.data(), part.inside};
  }
  return interval;
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
