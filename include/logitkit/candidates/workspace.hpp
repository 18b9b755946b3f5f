// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "logitkit/candidates/point_edits.hpp"
#include "logitkit/core/token_counts.hpp"
#include "logitkit/random/mersenne_twister.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Scratch of one thread: grows during the first steps, then nothing is allocated any more. Reuse it for any pipelines,
/// rows and requests; it carries nothing from one step to the next. Not for two threads at a time.
class Workspace {
 public:
  /// Bytes held at present.
  std::size_t bytes() const {
    return edits.bytes() + size_in_bytes(strip_max) + size_in_bytes(left_strips) + size_in_bytes(ids) +
           size_in_bytes(values) + size_in_bytes(exps) + size_in_bytes(positions) + size_in_bytes(keys) +
           size_in_bytes(spare_keys) + size_in_bytes(block_sums) + size_in_bytes(block_starts) + size_in_bytes(sample) +
           size_in_bytes(packed) + size_in_bytes(packed_masks) + size_in_bytes(packed_starts) + size_in_bytes(mask) +
           size_in_bytes(array) + window.bytes() + size_in_bytes(counts) + size_in_bytes(order) +
           size_in_bytes(invalid) + size_in_bytes(matches) + size_in_bytes(lengths) + size_in_bytes(constraint) +
           size_in_bytes(twisters);
  }

  // Internals of the library, by use.
  detail::PointEdits edits;                ///< values changed at single ids of a whole row
  std::vector<float> strip_max;            ///< maxima of the strips of a whole row
  std::vector<std::uint32_t> left_strips;  ///< edited ids that were their strip's maximum, which is still to be renewed
  std::vector<std::uint32_t> ids;          ///< the compact list, in id order
  std::vector<float> values;               ///< its logits
  std::vector<float> exps;                 ///< exps of a list
  std::vector<std::uint32_t> positions;    ///< where in `exps` those stand that are looked at
  std::vector<std::uint64_t> keys;         ///< rank keys
  std::vector<std::uint64_t> spare_keys;   ///< the other half of a radix sort
  std::vector<double> block_sums;          ///< running totals of the blocks of a whole row, or of a list
  std::vector<std::size_t> block_starts;   ///< where a list's blocks begin, and its end
  std::vector<float> sample;               ///< exps of a sample of a whole row
  std::vector<float> packed;               ///< exps of the ids whose bits are set in packed_masks
  std::vector<std::uint16_t> packed_masks;
  std::vector<std::size_t> packed_starts;  ///< where each block's exps (or ties) begin, and the end
  std::vector<std::int32_t> mask;          ///< allowed ids, packed
  std::vector<float> array;                ///< V floats, only after materialize()
  TokenCounts window;                      ///< counts of a window of the history
  std::vector<std::uint32_t> counts;       ///< counts of the tokens that a penalty looks at
  std::vector<std::uint32_t> order;        ///< ids in the order that steps leave behind, where it is not id order
  std::vector<std::pair<TokenId, float>> invalid;  ///< NaN and +inf that a remove_invalid step has yet to look at
  std::vector<std::uint64_t> matches;              ///< tokens that would continue a repetition, and how long it is
  std::vector<std::uint32_t> lengths;              ///< lengths of repetitions by distance
  std::vector<std::int32_t> constraint;            ///< the constraint's mask
  std::vector<detail::MersenneTwister> twisters;   ///< live generators of stateful steps

 private:
  template <class T>
  static std::size_t size_in_bytes(const std::vector<T>& v) {
    return v.capacity() * sizeof(T);
  }
};

LOGITKIT_NAMESPACE_END
