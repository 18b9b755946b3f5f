// SPDX-License-Identifier: MIT
// The kernel text; it includes exp_kernels.inl. Included inside a namespace and a target region per instruction set,
// where F is 16 virtual float lanes and M a mask of them. FMA is explicit, one accumulator per lane, so that every set
// gives the same bits.

/// Calls body(offset, values, n) for every 16 values; the last may be short and is filled up with -inf.
template <class Body>
LOGITKIT_INLINE void for_lanes(const float* x, std::size_t n, Body body) {
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {  // two at a time: the loop itself costs
    const F first = load(x + i), second = load(x + i + kLanes);
    body(i, first, kLanes);
    body(i + kLanes, second, kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) body(i, load(x + i), kLanes);
  if (i < n) body(i, load(x + i, n - i, kMasked), n - i);
}
/// The same, but simple(offset, values) for each of four times 16 values of which test(all four) is true.
template <class Test, class Simple, class Body>
LOGITKIT_INLINE void for_lanes(const float* x, std::size_t n, Test test, Simple simple, Body body) {
  std::size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    const F v0 = load(x + i), v1 = load(x + i + kLanes), v2 = load(x + i + 2 * kLanes), v3 = load(x + i + 3 * kLanes);
    if (test(v0, v1, v2, v3)) {
      simple(i, v0);
      simple(i + kLanes, v1);
      simple(i + 2 * kLanes, v2);
      simple(i + 3 * kLanes, v3);
    } else {
      body(i, v0, kLanes);
      body(i + kLanes, v1, kLanes);
      body(i + 2 * kLanes, v2, kLanes);
      body(i + 3 * kLanes, v3, kLanes);
    }
  }
  for_lanes(x + i, n - i, [&](std::size_t j, F v, std::size_t lanes) LOGITKIT_INLINE_BODY { body(i + j, v, lanes); });
}
LOGITKIT_INLINE void put(float* y, F x, std::size_t n) {
  if (n == kLanes)
    store(y, x);
  else
    store(y, x, n);
}

LOGITKIT_INLINE F read(const float* p) { return load_once(p); }
LOGITKIT_INLINE F read(const float16* p) { return load_half(p); }
LOGITKIT_INLINE F read(const bfloat16* p) { return load_half(p); }
LOGITKIT_INLINE F read(const float* p, std::size_t n) { return load(p, n, kMasked); }
template <class Half>
LOGITKIT_INLINE F read(const Half* p, std::size_t n) {
  Half all[kLanes] = {};
  for (std::size_t i = 0; i < n; ++i) all[i] = p[i];
  float wide[kLanes];
  store(wide, load_half(all));
  return load(wide, n, kMasked);
}

LOGITKIT_INLINE float horizontal_max(F x) {
  float all[kLanes], most = kMasked;
  store(all, x);
  for (float v : all) most = v > most ? v : most;
  return most;
}

/// Lane i: the maximum of the 16 values of row(i). Halves are compared, then quarters, so that two rows share a vector.
template <class Row>
LOGITKIT_INLINE F maxima_of(Row row) {
  const auto two = [&](std::size_t i) LOGITKIT_INLINE_BODY {  // variables, since arguments may come last first
    const F first = row(i), second = row(i + 1);
    return fold_max<8>(first, second);
  };
  const auto four = [&](std::size_t i) LOGITKIT_INLINE_BODY {
    const F first = two(i), second = two(i + 2);
    return fold_max<4>(first, second);
  };
  const auto eight = [&](std::size_t i) LOGITKIT_INLINE_BODY {
    const F first = four(i), second = four(i + 4);
    return fold_max<2>(first, second);
  };
  const F first = eight(0), second = eight(8);
  return fold_max<1>(first, second);
}

template <class T>
LOGITKIT_INLINE Scan scan_any(const T* x, std::size_t n, float* strip_max) {
  static_assert(kStrip == 2 * kLanes);
  F most = set1(kMasked);
  M valid[2] = {mask_of(0xffffu), mask_of(0xffffu)};
  const auto pair = [&](F a, F b, std::size_t parity) LOGITKIT_INLINE_BODY {  // max passes over a NaN, `valid` sees it
    valid[parity] = ordered(valid[parity], a, b);
    return max(a, b);
  };
  const auto at = [&](std::size_t i) LOGITKIT_INLINE_BODY {
    return i + kLanes <= n ? read(x + i) : i < n ? read(x + i, n - i) : set1(kMasked);
  };
  std::size_t i = 0;
  if (strip_max != nullptr) {
    for (; i + kLanes * kStrip <= n; i += kLanes * kStrip) {
      const F maxima = maxima_of([&](std::size_t s) LOGITKIT_INLINE_BODY {
        const F low = read(x + i + s * kStrip), high = read(x + i + s * kStrip + kLanes);
        return pair(low, high, s % 2);
      });
      store(strip_max + i / kStrip, maxima);
      most = max(maxima, most);
    }
    for (; i < n; i += kStrip) {
      const F both_halves = pair(at(i), at(i + kLanes), 0);
      strip_max[i / kStrip] = horizontal_max(both_halves);
      most = max(both_halves, most);
    }
  } else {
    F most_too = most;
    for (; i + 2 * kStrip <= n; i += 2 * kStrip) {
      most = max(pair(read(x + i), read(x + i + kLanes), 0), most);
      most_too = max(pair(read(x + i + kStrip), read(x + i + kStrip + kLanes), 1), most_too);
    }
    for (; i < n; i += kStrip) most = max(pair(at(i), at(i + kLanes), 0), most);
    most = max(most_too, most);
  }
  Scan result;
  result.max = horizontal_max(most) + 0.0f;  // the sign of a zero would tell of the order
  result.invalid = bits(both(valid[0], valid[1])) != 0xffffu || result.max == std::numeric_limits<float>::infinity();
  return result;
}
inline Scan scan(const float* x, std::size_t n, float* strip_max) { return scan_any(x, n, strip_max); }
inline Scan scan_f16(const float16* x, std::size_t n, float* strip_max) { return scan_any(x, n, strip_max); }
inline Scan scan_bf16(const bfloat16* x, std::size_t n, float* strip_max) { return scan_any(x, n, strip_max); }

/// Writes the ids of a word's bits to `to` and returns the end. Most words that are not empty have one or two: these
/// cost no branch.
LOGITKIT_INLINE std::uint32_t* put_set_bits(std::uint32_t* to, std::uint32_t word, std::uint32_t first_id) {
  const auto lowest = [](std::uint32_t bits) LOGITKIT_INLINE_BODY {  // something below 32 where there is none
    return static_cast<std::uint32_t>(std::countr_zero(bits | 0x80000000u));
  };
  const std::uint32_t rest = word & (word - 1);
  to[0] = first_id + lowest(word);
  to[1] = first_id + lowest(rest);
  to += (word != 0 ? 1 : 0) + (rest != 0 ? 1 : 0);
  for (std::uint32_t more = rest & (rest - 1); more != 0; more &= more - 1) *to++ = first_id + lowest(more);
  return to;
}
/// The ids are found while the row comes from memory: where every so many values are looked at, one word of the mask
/// that is not empty is.
inline MaskedScan scan_allowed(const float* x, std::size_t n, const std::int32_t* mask, std::size_t mask_bits,
                               std::uint32_t* ids, std::size_t most) {
  constexpr std::size_t kPart = 4096, kWords = kPart / 32, kStep = 128;
  std::uint32_t words[kWords + 1], filled[kWords + kPart / kStep + kLanes];  // and which of them are not empty
  words[kWords] = 0;
  std::uint32_t* to = ids;
  const std::uint32_t* const full = ids + most;
  F most_here = set1(kMasked), most_too = most_here;
  M valid[2] = {mask_of(0xffffu), mask_of(0xffffu)};
  std::size_t i = 0;
  for (; i + kPart <= mask_bits && to <= full; i += kPart) {
    for (std::size_t j = i; j < i + 8 * kLanes && n > 0; j += kLanes) prefetch(x + j);  // words come first
    std::size_t count = 0;
    for (std::size_t w = 0; w < kWords; w += kLanes) {
      for (std::size_t j = 0; j < kLanes; ++j) words[w + j] = static_cast<std::uint32_t>(mask[i / 32 + w + j]);
      const F value = load_counts(words + w, kLanes), zero = set1(0.0f);
      const std::uint32_t some = bits(gt(value, zero)) | bits(gt(zero, value));
      pack_ids(filled + count, some, static_cast<std::uint32_t>(w));
      count += static_cast<std::size_t>(std::popcount(some));
    }
    for (std::size_t step = 0; step < kPart / kStep; ++step) filled[count + step] = kWords;
    const auto take = [&](std::uint32_t w) LOGITKIT_INLINE_BODY {
      to = put_set_bits(to, words[w], static_cast<std::uint32_t>(i) + w * 32);
    };
    for (std::size_t j = i, step = 0; j < i + kPart; j += kStep, ++step) {
      for (std::size_t k = j; k < j + kStep && n > 0; k += 4 * kLanes) {
        const F a = read(x + k), b = read(x + k + kLanes), c = read(x + k + 2 * kLanes), d = read(x + k + 3 * kLanes);
        valid[0] = ordered(valid[0], a, b);
        valid[1] = ordered(valid[1], c, d);
        most_here = max(max(a, b), most_here);
        most_too = max(max(c, d), most_too);
      }
      take(filled[step]);
    }
    for (std::size_t w = kPart / kStep; w < count && to <= full; ++w) take(filled[w]);
  }
  const Scan rest = n > 0 ? scan_any(x + i, n - i, nullptr) : Scan{};
  MaskedScan result;
  result.row.max = horizontal_max(max(most_here, max(most_too, set1(rest.max)))) + 0.0f;
  result.row.invalid = rest.invalid || bits(both(valid[0], valid[1])) != 0xffffu ||
                       result.row.max == std::numeric_limits<float>::infinity();
  for (; i < mask_bits && to <= full; i += 32) {
    const std::uint32_t past_end = mask_bits - i < 32 ? ~((1u << (mask_bits - i)) - 1) : 0;
    to = put_set_bits(to, static_cast<std::uint32_t>(mask[i / 32]) & ~past_end, static_cast<std::uint32_t>(i));
  }
  result.found = static_cast<std::size_t>(to - ids);
  return result;
}

template <class Half>
LOGITKIT_INLINE void widen_any(const Half* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, read(x + i));
  if (i < n) store(y + i, read(x + i, n - i), n - i);
}
inline void widen_f16(const float16* x, float* y, std::size_t n) { widen_any(x, y, n); }
inline void widen_bf16(const bfloat16* x, float* y, std::size_t n) { widen_any(x, y, n); }

inline void divide(const float* x, float* y, std::size_t n, float divisor) {
  const F d = set1(divisor);
  for_lanes(x, n, [&](std::size_t i, F v, std::size_t lanes) LOGITKIT_INLINE_BODY { put(y + i, div(v, d), lanes); });
}
inline void subtract(const float* x, float* y, std::size_t n, double c) {
  for_lanes(x, n, [&](std::size_t i, F v, std::size_t lanes) LOGITKIT_INLINE_BODY {
    put(y + i, minus_in_double(v, c), lanes);
  });
}
inline void multiply(const float* x, float* y, std::size_t n, float factor) {
  const F f = set1(factor);
  constexpr std::size_t kLine = 64;  // a store across two cache lines costs two
  const std::size_t to_line = (kLine - reinterpret_cast<std::uintptr_t>(y) % kLine) % kLine / sizeof(float);
  const std::size_t head = to_line < n ? to_line : n;
  store(y, mul(load(x, head, 0.0f), f), head);
  for_lanes(x + head, n - head,
            [&](std::size_t i, F v, std::size_t lanes) LOGITKIT_INLINE_BODY { put(y + head + i, mul(v, f), lanes); });
}
inline void apply_mask(const float* x, float* y, std::size_t n, const std::int32_t* words) {
  for_lanes(x, n, [&](std::size_t i, F v, std::size_t lanes) LOGITKIT_INLINE_BODY {
    const std::uint32_t half = static_cast<std::uint32_t>(words[i / 32]) >> (i % 32) & 0xffffu;
    put(y + i, select(mask_of(half), v, set1(kMasked)), lanes);
  });
}

inline void scale_counted(float* x, const std::uint32_t* counts, std::size_t n, float r) {
  const F factor = set1(r), zero = set1(0.0f);
  for_lanes(x, n, [&](std::size_t i, F v, std::size_t lanes) LOGITKIT_INLINE_BODY {
    const F scaled = select(gt(v, zero), div(v, factor), mul(v, factor));
    put(x + i, select(gt(load_counts(counts + i, lanes), zero), scaled, v), lanes);
  });
}
inline void subtract_counted(float* x, const std::uint32_t* counts, std::size_t n, float each_one, float once) {
  const F factor = set1(each_one), flat = set1(once), zero = set1(0.0f);
  for_lanes(x, n, [&](std::size_t i, F v, std::size_t lanes) LOGITKIT_INLINE_BODY {
    const F count = load_counts(counts + i, lanes);
    put(x + i, select(gt(count, zero), sub(sub(v, mul(factor, count)), flat), v), lanes);
  });
}
inline void cut(const float* x, float* y, std::size_t n, float least) {
  const F bound = set1(least);
  for_lanes(x, n, [&](std::size_t i, F v, std::size_t lanes) LOGITKIT_INLINE_BODY {
    put(y + i, select(ge(v, bound), v, set1(kMasked)), lanes);
  });
}

#include "logitkit/numeric/simd/exp_kernels.inl"

inline std::size_t collect(const float* x, std::size_t n, float threshold, std::uint32_t first_id, float* values,
                           std::uint32_t* ids) {
  const F least = set1(threshold > kLowest ? threshold : kLowest);
  std::size_t found = 0;
  for_lanes(
      x, n,
      [&](F a, F b, F c, F d)
          LOGITKIT_INLINE_BODY { return bits(ge(max(max(a, b), max(c, d)), least)) == 0; },  // most are too small
      [](std::size_t, F) LOGITKIT_INLINE_BODY {},
      [&](std::size_t i, F v, std::size_t) LOGITKIT_INLINE_BODY {
        const std::uint32_t m = bits(ge(v, least));
        if (m == 0) return;
        pack(values + found, v, mask_of(m));
        pack_ids(ids + found, m, first_id + static_cast<std::uint32_t>(i));
        found += static_cast<std::size_t>(std::popcount(m));
      });
  return found;
}
inline std::size_t collect_strips(const float* row, std::size_t size, const std::uint32_t* strips, std::size_t n,
                                  float threshold, float* values, std::uint32_t* ids) {
  const F least = set1(threshold > kLowest ? threshold : kLowest);
  std::size_t found = 0;
  for (std::size_t s = 0; s < n; ++s) {
    const std::uint32_t first = strips[s] * static_cast<std::uint32_t>(kStrip);
    for (std::uint32_t i = first; i < first + kStrip; i += kLanes) {  // both halves without a branch: one has a value
      const F v = i + kLanes <= size ? load(row + i) : i < size ? load(row + i, size - i, kMasked) : set1(kMasked);
      const std::uint32_t m = bits(ge(v, least));
      pack(values + found, v, mask_of(m));
      pack_ids(ids + found, m, i);
      found += static_cast<std::size_t>(std::popcount(m));
    }
  }
  return found;
}
inline std::size_t count(const float* x, std::size_t n, float threshold) {
  const F least = set1(threshold);
  std::size_t found = 0, i = 0;
  for (; i + kLanes <= n; i += kLanes) found += static_cast<std::size_t>(std::popcount(bits(ge(load(x + i), least))));
  for (; i < n; ++i) found += x[i] >= threshold ? 1 : 0;
  return found;
}

inline constexpr Kernels kKernels = {
    kIsa,       scan,          scan_f16,         scan_bf16, scan_allowed, widen_f16,      widen_bf16, divide, subtract,
    multiply,   scale_counted, subtract_counted, cut,       apply_mask,   exp_sum,        exp_lows,   exp,    exp_pack,
    sum_packed, split_mass,    mass_above,       tree_sums, collect,      collect_strips, count};
