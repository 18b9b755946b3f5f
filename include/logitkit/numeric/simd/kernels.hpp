// SPDX-License-Identifier: MIT
#pragma once
// What every instruction set offers: one table of functions over blocks of a row. The text of all of them is
// kernels.inl, included once per instruction set; the sums' order is part of the contract, not of the ISA.
#include <cstddef>
#include <cstdint>
#include <limits>

#include "logitkit/core/half.hpp"
#include "logitkit/numeric/simd/isa.hpp"
#include "logitkit/numeric/simd/region.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Sums and pointwise work go by blocks of 1,024 ids: float within a block and lane, double across blocks.
inline constexpr std::size_t kBlock = 1024;
/// Virtual lanes; the lane of an id is id mod 16.
inline constexpr std::size_t kLanes = 16;
/// The scan keeps the maximum of every strip: so many neighbouring ids, two cache lines of a row, one word of a mask.
inline constexpr std::size_t kStrip = 32;

inline constexpr float kMasked = -std::numeric_limits<float>::infinity();
/// What every candidate reaches.
inline constexpr float kLowest = -std::numeric_limits<float>::max();

/// What one reading of a row tells.
struct Scan {
  float max = kMasked;   ///< -inf where every value is -inf
  bool invalid = false;  ///< a NaN or +inf is in the row; the maxima then mean nothing
};

/// What one reading of a row under a mask tells.
struct MaskedScan {
  Scan row;               ///< of all values, allowed or not
  std::size_t found = 0;  ///< how many ids were written
};
/// Room for the ids that it may write beyond those that were asked for: 32 words are looked at before it asks.
inline constexpr std::size_t kIdsBeyond = kBlock + 2 * kStrip;

/// The sum of the exps of a block, and how many values it is of.
struct ExpSum {
  float total;
  std::uint32_t count;  ///< values >= least, the exps of some of which may be 0
};

/// The same, and the sum without its rounding: see Kernels::exp_lows.
struct ExactExpSum {
  double exact;
  float total;
  std::uint32_t count;
};

/// Exps split at two thresholds: see Kernels::split_mass.
struct MassSplit {
  double above = 0;        ///< the sum of all e >= high, within 2^-36 * (16 + above)
  std::size_t count = 0;   ///< how many those are
  std::size_t inside = 0;  ///< how many are in [low, high)
};

/// Exps from `low` up to `high`, outside.
struct ExpInterval {
  float low = 0, high = 0;
};

/// Kernels take up to kBlock values whose first id is a multiple of 16. `exp` means exp(x - max), exactly 0 below -87.
struct Kernels {
  Isa isa;
  /// One pass over n values; `strip_max` gets the maxima of the strips, or is null.
  Scan (*scan)(const float* x, std::size_t n, float* strip_max);
  Scan (*scan_f16)(const float16* x, std::size_t n, float* strip_max);
  Scan (*scan_bf16)(const bfloat16* x, std::size_t n, float* strip_max);
  /// The ids whose bit is 1 among the `bits` first of a mask: `most` of them, or more. `ids` has room for kIdsBeyond
  /// above `most`. On the way n >= bits values are looked at as scan() does; n = 0: none.
  MaskedScan (*scan_allowed)(const float* x, std::size_t n, const std::int32_t* mask, std::size_t bits,
                             std::uint32_t* ids, std::size_t most);
  void (*widen_f16)(const float16* x, float* y, std::size_t n);
  void (*widen_bf16)(const bfloat16* x, float* y, std::size_t n);
  /// y = x / divisor, correctly rounded; in place allowed.
  void (*divide)(const float* x, float* y, std::size_t n, float divisor);
  /// y = float(double(x) - c); in place allowed.
  void (*subtract)(const float* x, float* y, std::size_t n, double c);
  /// Any n.
  void (*multiply)(const float* x, float* y, std::size_t n, float factor);
  /// Where the count is above 0: x / r if x > 0, else x * r.
  void (*scale_counted)(float* x, const std::uint32_t* counts, std::size_t n, float r);
  /// Where the count is above 0: x - each * count - once, every operation rounded; a part that is 0 changes no bit.
  void (*subtract_counted)(float* x, const std::uint32_t* counts, std::size_t n, float each, float once);
  /// y = x where x >= least, else -inf; in place allowed.
  void (*cut)(const float* x, float* y, std::size_t n, float least);
  /// -inf where the bit is 0; `words` holds ceil(n / 32) words.
  void (*apply_mask)(const float* x, float* y, std::size_t n, const std::int32_t* words);
  /// Sum of exp(x / divisor - max) over all x >= least in the fixed order; divisor 1 and least -inf cost nothing, the
  /// latter counts n.
  ExpSum (*exp_sum)(const float* x, std::size_t n, float divisor, float max, float least);
  /// The same for least > -inf, and the sum within 2^-18 of the exps' own; `lows` gets the smallest x >= least of each
  /// of the 16 lanes, +inf where there is none.
  ExactExpSum (*exp_lows)(const float* x, std::size_t n, float divisor, float max, float least, float* lows);
  /// The sum of exp(x - max) over all x, and the exps are written to `e` (in place allowed).
  float (*exp)(const float* x, float* e, std::size_t n, float max);
  /// The sum over all x as exp_sum gives it; the exps of the x >= least (before the division, above -inf) are packed:
  /// one bit per id in `masks` (16 ids each), one float per set bit in `packed`, which needs room for 16 more.
  ExpSum (*exp_pack)(const float* x, std::size_t n, float divisor, float max, float least, float* packed,
                     std::uint16_t* masks);
  /// The sum of the packed exps >= least of n ids, in the fixed order; `packed` must be readable 16 floats further.
  float (*sum_packed)(const float* packed, const std::uint16_t* masks, std::size_t n, float least);
  /// Splits n <= kBlock exps; those in [low, high), low > 0, are packed into `inside` and `first` + their positions
  /// into `positions` (may be null), each with room for 16 more.
  MassSplit (*split_mass)(const float* e, std::size_t n, float low, float high, std::uint32_t first, float* inside,
                          std::uint32_t* positions);
  /// The sum of all e >= least, any n, in float lanes throughout: for estimates.
  ExpSum (*mass_above)(const float* e, std::size_t n, float least);
  /// The sums of n rows of 16 lanes, each by the tree.
  void (*tree_sums)(const float* lanes, std::size_t n, float* sums);
  /// Packs the values >= threshold; the arrays need room for 16 more than are found. -inf is never packed.
  std::size_t (*collect)(const float* x, std::size_t n, float threshold, std::uint32_t first_id, float* values,
                         std::uint32_t* ids);
  /// The same of n <= kStrip strips of a row of `size` values.
  std::size_t (*collect_strips)(const float* row, std::size_t size, const std::uint32_t* strips, std::size_t n,
                                float threshold, float* values, std::uint32_t* ids);
  /// Number of values >= threshold, any n.
  std::size_t (*count)(const float* x, std::size_t n, float threshold);
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
