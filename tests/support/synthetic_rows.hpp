// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

/// Rows of logits for tests, benchmarks and examples, from a seed alone. Every operation is exact in double and every
/// value in float32, so that all platforms (and the Python program that the check values come from) get the same bits.
namespace synthetic {

/// The shape of a row: normal-like noise for all ids, and above it a head whose logits fall with the octave of the
/// rank. The numbers were fitted to measured rows of real models.
struct Profile {
  std::string_view name;
  double scale;   ///< of the noise
  double top;     ///< logit of the best token
  double peak;    ///< what the best token gets on top of that
  double slope1;  ///< fall per octave of rank, up to the knee
  double knee;    ///< octave where the slope changes
  double slope2;  ///< fall per octave beyond the knee
  std::size_t head;
};

inline constexpr Profile kPeaked{"peaked", 1.0, 24.0, 6.0, 1.75, 5, 2.0, 1024};              ///< a certain neural model
inline constexpr Profile kTypical{"typical", 1.0, 24.0, 0.25, 1.625, 5, 2.0, 1024};          ///< its median
inline constexpr Profile kOpen{"open", 1.0, 22.0, 0.0, 0.9375, 5, 2.25, 1024};               ///< an uncertain one
inline constexpr Profile kFlat{"flat", 0.75, 16.5, 0.0, 0.8125, 6, 1.1875, 16384};           ///< trigrams, median
inline constexpr Profile kVeryFlat{"very_flat", 0.75, 14.0, 0.0, 0.5625, 7, 1.1875, 16384};  ///< uncertain trigrams
inline constexpr Profile kProfiles[] = {kPeaked, kTypical, kOpen, kFlat, kVeryFlat};

/// SplitMix64's finaliser over seed and index.
constexpr std::uint64_t hash64(std::uint64_t seed, std::uint64_t index) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  std::uint64_t z = seed * kGolden + index + kGolden;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// A sum of four 16-bit uniforms, centred: mean 0, standard deviation 2.309, range [-8, 8], on a grid of 1/16384.
constexpr double noise(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t z = hash64(seed, index);
  const std::uint64_t sum = (z & 0xFFFF) + ((z >> 16) & 0xFFFF) + ((z >> 32) & 0xFFFF) + (z >> 48);
  return (static_cast<double>(sum) - 131070) / 16384;
}

/// `vocabulary` logits that look like `profile`. The best token is wherever the seed puts it.
inline std::vector<float> row(const Profile& profile, std::uint64_t seed, std::size_t vocabulary) {
  std::vector<float> logits(vocabulary);
  for (std::size_t id = 0; id < vocabulary; ++id) logits[id] = static_cast<float>(profile.scale * noise(seed, id));
  const std::uint64_t base = hash64(seed, std::uint64_t{1} << 32) % vocabulary;
  for (std::size_t rank = 0; rank < std::min(profile.head, vocabulary); ++rank) {
    const std::uint64_t id = (rank * 100003 + base) % vocabulary;  // a prime stride: distinct ids
    // A piecewise-linear log2(rank + 1).
    const std::uint64_t power = std::bit_floor(rank + 1);
    const double octave = std::countr_zero(power) + static_cast<double>(rank + 1 - power) / static_cast<double>(power);
    double logit = profile.top - profile.slope1 * std::min(octave, profile.knee) -
                   profile.slope2 * std::max(octave - profile.knee, 0.0) + noise(seed, id) / 8;
    if (rank == 0) logit += profile.peak;
    logits[id] = std::max(logits[id], static_cast<float>(logit));
  }
  return logits;
}

/// The rows of the recorded engine cases ("generator": "clt4"): noise times `scale`, then `bumps` added in float32.
inline std::vector<float> clt4(std::size_t vocabulary, std::uint64_t seed, double scale,
                               const std::vector<std::pair<std::size_t, float>>& bumps = {}) {
  std::vector<float> logits(vocabulary);
  // noise() is a dyadic fraction, so this rounds once, like scale * integer / 16384.
  for (std::size_t id = 0; id < vocabulary; ++id) logits[id] = static_cast<float>(scale * noise(seed, id));
  for (const auto& [id, bump] : bumps) logits[id] += bump;
  return logits;
}

}  // namespace synthetic
