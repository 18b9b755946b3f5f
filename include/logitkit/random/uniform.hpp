// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>

#include "logitkit/random/philox.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Who draws what: every purpose has draw numbers of its own, so that adding a step to a chain never moves the random
/// numbers of another. They are part of the results' contract and never change.
namespace draws {
inline constexpr std::uint32_t kSelector = 0;            ///< the selector's one uniform
inline constexpr std::uint32_t kXtc = 0x1000;            ///< + n: the n-th xtc step of the chain, from 0
inline constexpr std::uint32_t kDraftAccept = 0x2000;    ///< whether a draft token is accepted
inline constexpr std::uint32_t kDraftResidual = 0x2001;  ///< the token in place of a refused one
inline constexpr std::uint32_t kBeam = 0x3000;           ///< + rank: beam sampling
inline constexpr std::uint32_t kRace = 0x80000000;       ///< + id / 2: see race_uniforms
}  // namespace draws

namespace detail {

/// The 53 highest bits of two words as a multiple of 2^-53 in [0, 1); exact, and never 1.
constexpr double unit_interval(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>((std::uint64_t{high >> 5} << 26) | (low >> 6)) * 0x1p-53;
}

constexpr std::array<std::uint32_t, 4> draw_words(std::uint64_t seed, std::uint64_t stream, std::uint32_t position,
                                                  std::uint32_t draw) {
  return philox4x32({draw, position, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                    {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

}  // namespace detail

/// A uniform in [0, 1), a multiple of 2^-53: a pure function of its four arguments, the same on every platform.
///   seed      of the request, all 64 bits count
///   stream    which of several samples with the same seed
///   position  prompt length + output length
///   draw      what it is for: one of `draws`, plus its offset
constexpr double uniform(std::uint64_t seed, std::uint64_t stream, std::uint32_t position, std::uint32_t draw) {
  const auto words = detail::draw_words(seed, stream, position, draw);
  return detail::unit_interval(words[0], words[1]);
}

/// The uniforms of ids 2 * pair and 2 * pair + 1 in an exponential race: one Philox call, two words each.
/// `pair` < 2^31, so every token id has one.
constexpr std::array<double, 2> race_uniforms(std::uint64_t seed, std::uint64_t stream, std::uint32_t position,
                                              std::uint32_t pair) {
  const auto words = detail::draw_words(seed, stream, position, draws::kRace + pair);
  return {detail::unit_interval(words[0], words[1]), detail::unit_interval(words[2], words[3])};
}

LOGITKIT_NAMESPACE_END
