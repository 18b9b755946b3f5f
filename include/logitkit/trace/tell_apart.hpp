// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/trace/explain.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The layers at which two answers to one prompt can part.
enum class Layer : std::uint8_t {
  none,      ///< the same token
  sampling,  ///< another seed, stream or position: another uniform
  near_tie,  ///< the same uniform, and logits so near to a tie that rounding or another batch decides
  real,      ///< the logits or the chains differ by more than that
};

/// The layer as it is spelled here.
constexpr std::string_view name(Layer layer) {
  constexpr std::string_view kNames[] = {"none", "sampling", "near_tie", "real"};
  return kNames[static_cast<std::size_t>(layer)];
}

/// Tells at which layer two explained picks part; the first that can explain it counts.
///   noise  by how much logits differ for no good reason: BatchSensitivity::largest_difference, or the rounding of
///          16-bit logits (their size times 2^-8 for bfloat16, 2^-11 for float16), divided by the temperature
inline Layer tell_apart(const Explanation& a, const Explanation& b, double noise) {
  if (a.pick.token == b.pick.token) return Layer::none;
  const bool draws = a.selector != Greedy::kType || b.selector != Greedy::kType;
  const bool same_draw = a.seed == b.seed && a.stream == b.stream && a.position == b.position;
  const bool same_uniform = a.uniform == b.uniform || (std::isnan(a.uniform) && std::isnan(b.uniform) && same_draw);
  if (draws && !same_uniform) return Layer::sampling;
  return a.row != b.row && (a.flip_distance <= noise || b.flip_distance <= noise) ? Layer::near_tie : Layer::real;
}

LOGITKIT_NAMESPACE_END
