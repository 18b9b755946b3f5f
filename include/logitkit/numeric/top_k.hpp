// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "logitkit/numeric/float_environment.hpp"
#include "logitkit/numeric/select_k.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A logit and its index in the row.
struct RankedLogit {
  std::size_t index = 0;
  float logit = 0;
  bool operator==(const RankedLogit&) const = default;
};

/// Scratch of `top_k` that a caller may keep between calls, so that nothing is allocated.
struct TopKScratch {
  std::vector<float> strip_max;
  std::vector<std::uint64_t> keys, spare;
};

/// The k largest logits, best first.
///   in     float32, float16 or bfloat16, any length
///   ties   lower index first; exactly min(k, number above -inf) come out
///   edge   empty for k = 0 and for a row that holds a NaN or +inf; -0 and +0 are equal
///   cost   one reading that keeps the maxima of strips of 32 logits, a bisection over those, and a second look at the
///          strips that reach the threshold; a sort of about k keys. No allocation once `scratch` and `out` have
///          grown
inline void top_k(LogitsView in, std::size_t k, std::vector<RankedLogit>& out, TopKScratch& scratch) {
  using namespace detail;
  out.clear();
  if (in.size() == 0 || k == 0) return;
  const FloatEnvironment plain;
  const Kernels& kernel = kernels();
  const std::size_t lanes = strip_count(in.size());
  if (scratch.strip_max.size() < lanes) scratch.strip_max.resize(lanes);
  const Scan scanned = detail::scan(kernel, in, scratch.strip_max.data());
  if (is_unusable(scanned)) return;
  const float threshold = threshold_for(kernel, scratch.strip_max.data(), lanes, k, scanned.max);
  scratch.keys.clear();
  for_each_reaching(kernel, in, scratch.strip_max.data(), threshold, [&](std::uint32_t id, float x) {
    scratch.keys.push_back(rank_key(x, id));
    return true;
  });
  std::span<std::uint64_t> keys(scratch.keys);
  if (keys.size() > k && keys.size() > 4 * k) {  // many ties or a row without structure: cut before sorting
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(k - 1), keys.end(), std::greater<>());
    keys = keys.first(k);
    std::sort(keys.begin(), keys.end(), [](std::uint64_t a, std::uint64_t b) { return id_of(a) < id_of(b); });
  }
  sort_ranks(keys, scratch.spare);
  for (const std::uint64_t key : keys.first(std::min(k, keys.size()))) out.push_back({id_of(key), in[id_of(key)]});
}

/// The same, with fresh vectors.
inline std::vector<RankedLogit> top_k(LogitsView in, std::size_t k) {
  std::vector<RankedLogit> out;
  TopKScratch scratch;
  top_k(in, k, out, scratch);
  return out;
}

LOGITKIT_NAMESPACE_END
