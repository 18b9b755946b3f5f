// SPDX-License-Identifier: MIT
// The part of kernels.inl that is about exps and their sums; included by it.

constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2High = 0x1.62e43p-1f;
constexpr float kLn2Low = -0x1.05c61p-29f;
constexpr float kRoundToInteger = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
constexpr float kExpIsZeroBelow = -87.0f;       // exp(-87) is the last comfortable normal float
// Minimax on |r| <= ln(2) / 2 with the first two coefficients fixed at 1: 0.04 ulp before rounding.
constexpr float kC2 = 0x1.fffffap-2f, kC3 = 0x1.555484p-3f, kC4 = 0x1.555938p-5f, kC5 = 0x1.124368p-7f,
                kC6 = 0x1.6a884ap-10f;

/// exp(d) for -87 <= d <= 0, within 0.9 ulp; garbage elsewhere.
LOGITKIT_INLINE F exp_in_range(F d) {
  const F shifted = fma(d, set1(kLog2E), set1(kRoundToInteger));
  const F n = sub(shifted, set1(kRoundToInteger));
  const F r = fma(n, set1(-kLn2Low), fma(n, set1(-kLn2High), d));
  F p = fma(set1(kC6), r, set1(kC5));
  p = fma(p, r, set1(kC4));
  p = fma(p, r, set1(kC3));
  p = fma(p, r, set1(kC2));
  p = fma(p, r, set1(1.0f));
  p = fma(p, r, set1(1.0f));
  return times_power_of_two(p, shifted);
}
/// The same; exactly 0 below -87, so for -inf, and where `wanted` is not set.
LOGITKIT_INLINE F exp_lanes(F d, M wanted) {
  return select(both(ge(d, set1(kExpIsZeroBelow)), wanted), exp_in_range(d), set1(0.0f));
}

/// Calls body(offset, values, exps, wanted, n) for every 16 values, wanted: those >= least, all unless kCut.
/// low(values) gets the smallest of each lane, for four times 16 at once or for one, +inf where none is wanted.
template <bool kDivide, bool kCut, class Low, class Body>
LOGITKIT_INLINE void for_exps(const float* x, std::size_t n, float divisor, float max_value, float least, Low low,
                              Body body) {
  const F top = set1(max_value), d = set1(divisor), bound = set1(least);
  const M all = mask_of(0xffffu);
  const auto below_top = [&](F v) LOGITKIT_INLINE_BODY { return sub(kDivide ? div(v, d) : v, top); };
  // Masking costs a fifth of an exp, so it is left out for four times 16 values that are wanted and in range.
  const float candidate = (max_value - 86.0f) * (kDivide ? divisor : 1.0f);
  const bool in_range = bits(ge(below_top(set1(candidate)), set1(kExpIsZeroBelow))) == 0xffffu;
  const bool bound_is_safe = kCut && in_range && least >= candidate;
  const F safe = set1(!in_range ? -kMasked : bound_is_safe ? least : candidate);
  for_lanes(
      x, n,
      [&](F a, F b, F c, F e) LOGITKIT_INLINE_BODY {
        const F lowest = min(min(a, b), min(c, e));
        const bool is_simple = bits(ge(lowest, safe)) == 0xffffu;
        if (is_simple) low(lowest);
        return is_simple;
      },
      [&](std::size_t i, F v) LOGITKIT_INLINE_BODY { body(i, v, exp_in_range(below_top(v)), all, kLanes); },
      [&](std::size_t i, F v, std::size_t lanes) LOGITKIT_INLINE_BODY {
        const M wanted = kCut ? ge(v, bound) : all;
        low(select(wanted, v, set1(-kMasked)));
        const F below = below_top(v);
        body(i, v, bound_is_safe ? select(wanted, exp_in_range(below), set1(0.0f)) : exp_lanes(below, wanted), wanted,
             lanes);
      });
}
/// The lanes' sums, with body() for all.
template <bool kDivide, bool kCut, class Body>
LOGITKIT_INLINE F exp_lane_sums(const float* x, std::size_t n, float divisor, float max_value, float least, Body body) {
  F sum = set1(0.0f);
  for_exps<kDivide, kCut>(
      x, n, divisor, max_value, least, [](F) LOGITKIT_INLINE_BODY {},
      [&](std::size_t i, F v, F e, M wanted, std::size_t lanes) LOGITKIT_INLINE_BODY {
        sum = add(sum, e);
        body(i, v, e, wanted, lanes);
      });
  return sum;
}
template <bool kDivide>
LOGITKIT_INLINE ExpSum exp_sum_any(const float* x, std::size_t n, float divisor, float max_value, float least) {
  if (least == kMasked)
    return {tree_sum(exp_lane_sums<kDivide, false>(x, n, divisor, max_value, least,
                                                   [](std::size_t, F, F, M, std::size_t) LOGITKIT_INLINE_BODY {})),
            static_cast<std::uint32_t>(n)};
  std::uint32_t found = 0;
  const F sum = exp_lane_sums<kDivide, true>(x, n, divisor, max_value, least,
                                             [&](std::size_t, F, F, M wanted, std::size_t) LOGITKIT_INLINE_BODY {
                                               found += static_cast<std::uint32_t>(std::popcount(bits(wanted)));
                                             });
  return {tree_sum(sum), found};
}
inline ExpSum exp_sum(const float* x, std::size_t n, float divisor, float max_value, float least) {
  return divisor == 1.0f ? exp_sum_any<false>(x, n, divisor, max_value, least)
                         : exp_sum_any<true>(x, n, divisor, max_value, least);
}

/// What each addition loses is added up beside the sum. It is found exactly but where the sum is the smaller of the
/// two, which doubles it.
LOGITKIT_INLINE F add_with_loss(F sum, F addend, F& lost) {
  const F next = add(sum, addend);
  lost = add(lost, sub(addend, sub(next, sum)));
  return next;
}
template <bool kDivide>
LOGITKIT_INLINE ExactExpSum exp_lows_any(const float* x, std::size_t n, float divisor, float max_value, float least,
                                         float* lows) {
  F sum = set1(0.0f), lost = sum, lowest = set1(-kMasked);
  std::uint32_t found = 0;
  for_exps<kDivide, true>(
      x, n, divisor, max_value, least, [&](F v) LOGITKIT_INLINE_BODY { lowest = min(lowest, v); },
      [&](std::size_t, F, F e, M wanted, std::size_t) LOGITKIT_INLINE_BODY {
        sum = add_with_loss(sum, e, lost);
        found += static_cast<std::uint32_t>(std::popcount(bits(wanted)));
      });
  store(lows, lowest);
  float sums[kLanes], losses[kLanes];
  store(sums, sum);
  store(losses, lost);
  double exact[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) exact[i] = static_cast<double>(sums[i]) + static_cast<double>(losses[i]);
  for (std::size_t half = kLanes / 2; half >= 1; half /= 2)
    for (std::size_t i = 0; i < half; ++i) exact[i] += exact[i + half];
  return {exact[0], tree_sum(sum), found};
}
inline ExactExpSum exp_lows(const float* x, std::size_t n, float divisor, float max_value, float least, float* lows) {
  return divisor == 1.0f ? exp_lows_any<false>(x, n, divisor, max_value, least, lows)
                         : exp_lows_any<true>(x, n, divisor, max_value, least, lows);
}
inline float exp(const float* x, float* e, std::size_t n, float max_value) {
  return tree_sum(exp_lane_sums<false, false>(x, n, 1.0f, max_value, kMasked,
                                              [&](std::size_t i, F, F values, M, std::size_t lanes)
                                                  LOGITKIT_INLINE_BODY { put(e + i, values, lanes); }));
}

template <bool kDivide>
LOGITKIT_INLINE ExpSum exp_pack_any(const float* x, std::size_t n, float divisor, float max_value, float least,
                                    float* packed, std::uint16_t* masks) {
  std::uint32_t found = 0;
  const F bound = set1(least);
  const F sum = exp_lane_sums<kDivide, false>(x, n, divisor, max_value, kMasked,
                                              [&](std::size_t i, F v, F e, M, std::size_t) LOGITKIT_INLINE_BODY {
                                                const M wanted = ge(v, bound);
                                                pack(packed + found, e, wanted);
                                                masks[i / kLanes] = static_cast<std::uint16_t>(bits(wanted));
                                                found += static_cast<std::uint32_t>(std::popcount(bits(wanted)));
                                              });
  return {tree_sum(sum), found};
}
inline ExpSum exp_pack(const float* x, std::size_t n, float divisor, float max_value, float least, float* packed,
                       std::uint16_t* masks) {
  return divisor == 1.0f ? exp_pack_any<false>(x, n, divisor, max_value, least, packed, masks)
                         : exp_pack_any<true>(x, n, divisor, max_value, least, packed, masks);
}
inline float sum_packed(const float* packed, const std::uint16_t* masks, std::size_t n, float least) {
  const F bound = set1(least), zero = set1(0.0f);
  F sum = zero;
  const auto take = [&](F e) LOGITKIT_INLINE_BODY { sum = add(sum, select(ge(e, bound), e, zero)); };
  const std::size_t vectors = (n + kLanes - 1) / kLanes;
  std::size_t i = 0;
  for (; i + 4 <= vectors; i += 4) {  // where each begins need not wait for the one before
    const std::uint32_t m0 = masks[i], m1 = masks[i + 1], m2 = masks[i + 2], m3 = masks[i + 3];
    const int to_1 = std::popcount(m0), to_2 = std::popcount(m0 << 16 | m1), to_3 = to_2 + std::popcount(m2);
    const F e0 = unpack(packed, m0), e1 = unpack(packed + to_1, m1), e2 = unpack(packed + to_2, m2),
            e3 = unpack(packed + to_3, m3);
    packed += to_3 + std::popcount(m3);
    take(e0);
    take(e1);
    take(e2);
    take(e3);
  }
  for (; i < vectors; ++i) {
    const std::uint32_t here = masks[i];
    take(unpack(packed, here));
    packed += std::popcount(here);
  }
  return tree_sum(sum);
}

/// Float lanes lose bits, so what each addition loses is added up beside them; exactly, because the running sum starts
/// at 1 and so is never smaller than what is added.
template <bool kPositions>
LOGITKIT_INLINE MassSplit split_mass_any(const float* e, std::size_t n, float low, float high, std::uint32_t first,
                                         float* inside, std::uint32_t* positions) {
  constexpr float kStart = 1.0f;
  const F lows = set1(low), highs = set1(high), zero = set1(0.0f);
  F above = set1(kStart), lost = zero;
  MassSplit split;
  const auto add_above = [&](F v) LOGITKIT_INLINE_BODY {  // returns which are inside
    const M is_above = ge(v, highs);
    above = add_with_loss(above, select(is_above, v, zero), lost);
    split.count += static_cast<std::size_t>(std::popcount(bits(is_above)));
    return bits(ge(v, lows)) & ~bits(is_above);
  };
  const auto put_inside = [&](std::size_t i, F v, std::uint32_t between) LOGITKIT_INLINE_BODY {
    pack(inside + split.inside, v, mask_of(between));
    if constexpr (kPositions) pack_ids(positions + split.inside, between, first + static_cast<std::uint32_t>(i));
    split.inside += static_cast<std::size_t>(std::popcount(between));
  };
  std::size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {  // often all four or none of them have something inside
    const F v0 = load(e + i), v1 = load(e + i + kLanes), v2 = load(e + i + 2 * kLanes), v3 = load(e + i + 3 * kLanes);
    const std::uint32_t b0 = add_above(v0), b1 = add_above(v1), b2 = add_above(v2), b3 = add_above(v3);
    if ((b0 | b1 | b2 | b3) == 0) continue;
    put_inside(i, v0, b0);
    put_inside(i + kLanes, v1, b1);
    put_inside(i + 2 * kLanes, v2, b2);
    put_inside(i + 3 * kLanes, v3, b3);
  }
  for_lanes(e + i, n - i,
            [&](std::size_t j, F v, std::size_t) LOGITKIT_INLINE_BODY { put_inside(i + j, v, add_above(v)); });
  float a[kLanes], l[kLanes];
  store(a, above);
  store(l, lost);
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    split.above += static_cast<double>(a[lane]) - static_cast<double>(kStart) + static_cast<double>(l[lane]);
  return split;
}
inline MassSplit split_mass(const float* e, std::size_t n, float low, float high, std::uint32_t first, float* inside,
                            std::uint32_t* positions) {
  return positions == nullptr ? split_mass_any<false>(e, n, low, high, first, inside, positions)
                              : split_mass_any<true>(e, n, low, high, first, inside, positions);
}

inline ExpSum mass_above(const float* e, std::size_t n, float least) {
  const F bound = set1(least), zero = set1(0.0f);
  F sum = zero, sum_too = zero;  // two, so that an addition need not wait for the one before
  std::uint32_t found = 0, found_too = 0;
  std::size_t i = 0;
  const auto take = [&](F v, F& to, std::uint32_t& counted) LOGITKIT_INLINE_BODY {
    const M wanted = ge(v, bound);
    to = add(to, select(wanted, v, zero));
    counted += static_cast<std::uint32_t>(std::popcount(bits(wanted)));
  };
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    take(load(e + i), sum, found);
    take(load(e + i + kLanes), sum_too, found_too);
  }
  for_lanes(e + i, n - i, [&](std::size_t, F v, std::size_t) LOGITKIT_INLINE_BODY { take(v, sum, found); });
  return {tree_sum(add(sum, sum_too)), found + found_too};
}
inline void tree_sums(const float* lanes, std::size_t n, float* sums) {
  for (std::size_t i = 0; i < n; ++i) sums[i] = tree_sum(load(lanes + i * kLanes));
}
