// SPDX-License-Identifier: MIT
// Every kernel of every instruction set against a plain loop. The exps themselves come from the kernel, one at a time;
// exp_slow_test.cpp measures their accuracy.
#include "logitkit/numeric/simd/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "isas.hpp"
#include "rows.hpp"
#include "support/random_case.hpp"

namespace lk = logitkit;

namespace kernels_test {

constexpr std::uint32_t kFirstId = 2048;  // blocks start at a multiple of 16

std::vector<std::size_t> block_lengths() {
  auto all = rows::lengths();
  std::erase_if(all, [](std::size_t n) { return n > lk::detail::kBlock; });
  return all;
}

struct Packed {
  std::vector<float> values;
  std::vector<std::uint32_t> ids;
  bool operator==(const Packed&) const = default;
};
template <class Wanted>
Packed pack(const std::vector<float>& x, Wanted wanted) {
  Packed packed;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (wanted(x[i])) {
      packed.values.push_back(x[i]);
      packed.ids.push_back(kFirstId + static_cast<std::uint32_t>(i));
    }
  return packed;
}

class Kernels : public EveryIsa {
 protected:
  const lk::detail::Kernels& k = lk::detail::kernels();

  // exp(v - max) of one value.
  float exp(float v, float max) const {
    float e = -1;
    k.exp(&v, &e, 1, max);
    return e;
  }
  // The sum in the order of the contract: 16 lanes, then a tree.
  static float tree(const std::vector<float>& exps) {
    float lanes[16] = {};
    for (std::size_t i = 0; i < exps.size(); ++i) lanes[i % 16] += exps[i];
    for (int half = 8; half >= 1; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return lanes[0];
  }
  // The exps of x / divisor where x >= least, 0 elsewhere.
  std::vector<float> exps(const std::vector<float>& x, float divisor, float max, float least) const {
    std::vector<float> e;
    for (const float v : x) e.push_back(v >= least ? exp(v / divisor, max) : 0.0f);
    return e;
  }
};
LOGITKIT_FOR_EVERY_ISA(Kernels);

TEST_P(Kernels, ScanFindsTheMaximumOfEveryStrip) {
  for (const std::size_t n : rows::lengths()) {
    const auto x = rows::noise(n, n, 3, 3);
    std::vector<float> expected((n + 31) / 32, rows::kMasked), strip_max(expected.size() + 1, 77.0f);
    for (std::size_t i = 0; i < n; ++i) {
      float& most = expected[i / 32];
      most = std::max(most, x[i]);
    }
    expected.push_back(77.0f);  // nothing is written past the end
    const auto scan = k.scan(x.data(), n, strip_max.data());
    ASSERT_EQ(scan.max, *std::max_element(x.begin(), x.end())) << n;
    ASSERT_FALSE(scan.invalid) << n;
    ASSERT_EQ(strip_max, expected) << n;
    ASSERT_EQ(k.scan(x.data(), n, nullptr).max, scan.max);
  }
}

TEST_P(Kernels, ScanFindsTheMaximumAtEveryPlace) {
  const std::size_t n = 2 * 512 + 32 + 7;
  std::vector<float> strip_max(n / 32 + 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> x(n, -2.0f), expected(n / 32 + 1, -2.0f);
    x[i] = expected[i / 32] = 3.0f;
    const auto half = rows::narrowed<lk::float16>(x);
    const auto brain = rows::narrowed<lk::bfloat16>(x);
    for (int type = 0; type < 3; ++type) {
      const auto scan = type == 0   ? k.scan(x.data(), n, strip_max.data())
                        : type == 1 ? k.scan_f16(half.data(), n, strip_max.data())
                                    : k.scan_bf16(brain.data(), n, strip_max.data());
      ASSERT_EQ(scan.max, 3.0f) << i;
      ASSERT_EQ(strip_max, expected) << i;
    }
  }
}

TEST_P(Kernels, ScanTellsNoSignOfAZero) {
  for (const std::size_t n : {5u, 40u, 600u})
    for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<float> x(n, -0.0f), strip_max(n / 32 + 1);
      ASSERT_FALSE(std::signbit(k.scan(x.data(), n, nullptr).max));
      x[place] = 0.0f;
      ASSERT_FALSE(std::signbit(k.scan(x.data(), n, strip_max.data()).max));
    }
}

TEST_P(Kernels, ScanSeesNaNAndInfinityAtEveryPlace) {
  const auto row = rows::noise(1, 700, 3, 3);
  const auto half = rows::narrowed<lk::float16>(row);
  const auto brain = rows::narrowed<lk::bfloat16>(row);
  std::vector<float> strip_max(row.size() / 32 + 1);
  for (const float bad : {rows::kNaN, -rows::kNaN, rows::kInf})
    for (std::size_t i = 0; i < row.size(); ++i) {
      auto x = row;
      auto h = half;
      auto b = brain;
      x[i] = bad;
      h[i] = lk::float16(bad);
      b[i] = lk::bfloat16(bad);
      for (const std::size_t n : {i + 1, row.size()}) {
        for (float* const strips : {static_cast<float*>(nullptr), strip_max.data()}) {
          ASSERT_TRUE(k.scan(x.data(), n, strips).invalid) << i;
          ASSERT_TRUE(k.scan_f16(h.data(), n, strips).invalid) << i;
          ASSERT_TRUE(k.scan_bf16(b.data(), n, strips).invalid) << i;
        }
      }
      ASSERT_FALSE(k.scan(x.data(), i, nullptr).invalid) << i;
      ASSERT_FALSE(k.scan(x.data(), i, strip_max.data()).invalid) << i;
    }
}

// Masks from empty to full, some of whose words are empty, over rows around the 4,096 ids that are looked at in a go.
TEST_P(Kernels, ScanAllowedFindsTheIdsOfAMask) {
  random_case::Source s(11);
  for (const std::size_t n : {1u, 31u, 32u, 33u, 1000u, 4095u, 4096u, 4097u, 8192u, 12321u})
    for (const double density : {0.0, 0.001, 0.01, 0.05, 0.4, 1.0})
      for (const std::size_t missing : {std::size_t{0}, std::size_t{2}}) {  // words that the mask is too short by
        const std::size_t words = (n + 31) / 32 - std::min(missing, (n + 31) / 32), bits = std::min(n, words * 32);
        const auto x = rows::noise(n, n, 3, 3);
        std::vector<std::int32_t> mask(words, static_cast<std::int32_t>(0x80000000u));  // a bit past the end, perhaps
        if (density < 0.3) std::fill(mask.begin(), mask.end() - (words > 0 && n % 32 != 0 ? 1 : 0), 0);
        std::vector<std::uint32_t> expected;
        for (std::uint32_t id = 0; id < bits; ++id) {
          if (s.chance(density)) mask[id / 32] |= static_cast<std::int32_t>(1u << (id % 32));
          if ((static_cast<std::uint32_t>(mask[id / 32]) >> (id % 32) & 1) != 0) expected.push_back(id);
        }
        for (const std::size_t most : {n, expected.size(), expected.size() / 2})
          for (const std::size_t looked_at : {n, std::size_t{0}}) {
            std::vector<std::uint32_t> ids(most + lk::detail::kIdsBeyond, 77);
            const auto scan =
                k.scan_allowed(looked_at > 0 ? x.data() : nullptr, looked_at, mask.data(), bits, ids.data(), most);
            ASSERT_LE(scan.found, ids.size());
            ASSERT_GE(scan.found, std::min(expected.size(), most + 1)) << n;
            ids.resize(scan.found);
            ASSERT_TRUE(std::equal(ids.begin(), ids.end(), expected.begin(),
                                   expected.begin() + static_cast<std::ptrdiff_t>(ids.size())))
                << n;
            ASSERT_FALSE(scan.row.invalid);
            ASSERT_EQ(scan.row.max, looked_at > 0 ? k.scan(x.data(), n, nullptr).max : rows::kMasked) << n;
          }
      }
}

TEST_P(Kernels, ScanAllowedLooksAtEveryValueAllowedOrNot) {
  const std::size_t n = 2 * 4096 + 37;
  std::vector<std::int32_t> mask(n / 32 + 1, 0x00010001);
  std::vector<std::uint32_t> ids(n + lk::detail::kIdsBeyond);
  std::vector<float> x(n, -2.0f);
  for (std::size_t i = 0; i < n; i += i % 512 < 40 ? 1 : 7)
    for (const std::size_t most : {n, std::size_t{3}}) {
      const auto scan_with = [&](float value) {
        x[i] = value;
        const auto scan = k.scan_allowed(x.data(), n, mask.data(), n, ids.data(), most).row;
        x[i] = -2.0f;
        return scan;
      };
      ASSERT_EQ(scan_with(3.0f).max, 3.0f) << i;
      ASSERT_FALSE(scan_with(rows::kMasked).invalid) << i;
      for (const float bad : {rows::kNaN, -rows::kNaN, rows::kInf}) ASSERT_TRUE(scan_with(bad).invalid) << i;
    }
}

TEST_P(Kernels, WidenEveryHalf) {
  std::vector<lk::float16> half;
  std::vector<lk::bfloat16> brain;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    half.push_back(lk::float16::from_bits(static_cast<std::uint16_t>(bits)));
    brain.push_back(lk::bfloat16::from_bits(static_cast<std::uint16_t>(bits)));
  }
  std::vector<float> wide(65536);
  k.widen_f16(half.data(), wide.data(), wide.size());
  EXPECT_EQ(rows::bits(wide), rows::bits(rows::widened(half)));
  k.widen_bf16(brain.data(), wide.data(), wide.size());
  EXPECT_EQ(rows::bits(wide), rows::bits(rows::widened(brain)));
}

TEST_P(Kernels, PointwiseKernelsEqualOneOperationEach) {
  for (const std::size_t n : block_lengths()) {
    const auto x = rows::noise(n, n, 3, 2);
    std::vector<std::int32_t> words;
    for (std::size_t i = 0; i < (n + 31) / 32; ++i)
      words.push_back(static_cast<std::int32_t>(synthetic::hash64(n, i) >> 32));
    std::vector<float> divided, less, scaled, cut, masked;
    for (std::size_t i = 0; i < n; ++i) {
      divided.push_back(x[i] / 0.7f);
      less.push_back(static_cast<float>(static_cast<double>(x[i]) - 1.23456789012345));
      scaled.push_back(x[i] * 0.3f);
      cut.push_back(x[i] >= 0.5f ? x[i] : rows::kMasked);
      masked.push_back((static_cast<std::uint32_t>(words[i / 32]) >> (i % 32) & 1) != 0 ? x[i] : rows::kMasked);
    }
    const auto expect = [&](const std::vector<float>& expected, auto kernel) {
      std::vector<float> y(n + 1, 77.0f);
      kernel(x.data(), y.data());
      ASSERT_EQ(y.back(), 77.0f) << n;  // nothing is written past the end
      y.pop_back();
      ASSERT_EQ(rows::bits(y), rows::bits(expected)) << n;
      y = x;  // in place
      kernel(y.data(), y.data());
      ASSERT_EQ(rows::bits(y), rows::bits(expected)) << n;
    };
    expect(divided, [&](const float* in, float* out) { k.divide(in, out, n, 0.7f); });
    expect(less, [&](const float* in, float* out) { k.subtract(in, out, n, 1.23456789012345); });
    expect(scaled, [&](const float* in, float* out) { k.multiply(in, out, n, 0.3f); });
    expect(cut, [&](const float* in, float* out) { k.cut(in, out, n, 0.5f); });
    expect(masked, [&](const float* in, float* out) { k.apply_mask(in, out, n, words.data()); });
  }
}

TEST_P(Kernels, ExpSumsAddUpTheExpsInTheOrderOfTheContract) {
  for (const std::size_t n : block_lengths()) {
    const auto x = rows::noise(n + 3, n, 3, 2);
    const float max = *std::max_element(x.begin(), x.end());
    const auto all = exps(x, 1, max, rows::kMasked);
    std::vector<float> e(n + 1, 77.0f);
    ASSERT_EQ(k.exp(x.data(), e.data(), n, max), tree(all)) << n;
    ASSERT_EQ(e.back(), 77.0f);
    e.pop_back();
    ASSERT_EQ(rows::bits(e), rows::bits(all)) << n;
    for (const float divisor : {1.0f, 0.7f})
      for (const float least : {rows::kMasked, lk::detail::kLowest, 0.5f}) {
        const auto sum = k.exp_sum(x.data(), n, divisor, max / divisor, least);
        ASSERT_EQ(sum.total, tree(exps(x, divisor, max / divisor, least))) << n;
        ASSERT_EQ(sum.count, std::count_if(x.begin(), x.end(), [&](float v) { return v >= least; })) << n;
      }
  }
}

// They look at 64 values at once: all in range and wanted, or some not.
TEST_P(Kernels, ExpSumsAreTheSameWhereverTheRangeEnds) {
  constexpr std::size_t kLength = 1000;
  for (const float top : {0.0f, 5.0f, 1e6f, 3e8f, -3e38f})
    for (const float range : {20.0f, 86.5f, 87.5f, 1000.0f}) {
      std::vector<float> x;
      for (std::size_t i = 0; i < kLength; ++i)  // 7 is prime to 1,000: every value once
        x.push_back(top - range * static_cast<float>(i < 128 ? 0 : i * 7 % kLength) / static_cast<float>(kLength));
      for (const float divisor : {1.0f, 0.7f})
        for (const float least : {rows::kMasked, lk::detail::kLowest, top - 3, top - 90}) {
          const float max = top / divisor;
          if (!(max > rows::kMasked)) continue;
          const auto sum = k.exp_sum(x.data(), kLength, divisor, max, least);
          ASSERT_EQ(sum.total, tree(exps(x, divisor, max, least))) << top << ' ' << range << ' ' << least;
          ASSERT_EQ(sum.count, std::count_if(x.begin(), x.end(), [&](float v) { return v >= least; }));
        }
    }
}

TEST_P(Kernels, ExpLowsAddsUpWithoutLossAndFindsTheSmallestOfEveryLane) {
  for (const std::size_t n : block_lengths()) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      std::vector<float> x = rows::noise(seed * 31 + n, n, seed % 2 ? 0.2 : 30);
      for (std::size_t i = seed; i < n && seed % 3 == 0; i += 7) x[i] = rows::kMasked;
      const float divisor = std::array{1.0f, 0.7f, 1.9f}[seed % 3];
      const float largest = x.empty() ? 0 : *std::max_element(x.begin(), x.end()), max = largest / divisor;
      for (const float least : {lk::detail::kLowest, std::max(largest - 40, lk::detail::kLowest),
                                std::max(largest - 0.3f, lk::detail::kLowest)}) {
        SCOPED_TRACE("n " + std::to_string(n) + ", seed " + std::to_string(seed));
        std::vector<float> lows(16, -1), expected(16, std::numeric_limits<float>::infinity());
        long double exact = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (x[i] < least) continue;
          exact += exp(x[i] / divisor, max);
          expected[i % 16] = std::min(expected[i % 16], x[i]);
        }
        const auto sum = k.exp_lows(x.data(), n, divisor, max, least, lows.data());
        const auto plain = k.exp_sum(x.data(), n, divisor, max, least);
        EXPECT_EQ(sum.total, plain.total);
        EXPECT_EQ(sum.count, plain.count);
        EXPECT_NEAR(sum.exact, static_cast<double>(exact), 0x1p-18);
        EXPECT_EQ(lows, expected);
      }
    }
  }
}

TEST_P(Kernels, ExpPackKeepsTheExpsFromAThresholdOnAndSumPackedAddsThemInTheSameOrder) {
  for (const std::size_t n : block_lengths())
    for (const float divisor : {1.0f, 0.7f}) {
      const auto x = rows::noise(n + 4, n, 3, 2);
      const float max = *std::max_element(x.begin(), x.end()) / divisor, least = 0.5f;
      const auto all = exps(x, divisor, max, rows::kMasked);
      std::vector<float> packed(n + 16), expected;
      std::vector<std::uint16_t> masks((n + 15) / 16), bits(masks.size());
      const auto sum = k.exp_pack(x.data(), n, divisor, max, least, packed.data(), masks.data());
      for (std::size_t i = 0; i < n; ++i) {
        if (!(x[i] >= least)) continue;
        bits[i / 16] = static_cast<std::uint16_t>(bits[i / 16] | 1u << (i % 16));
        expected.push_back(all[i]);
      }
      ASSERT_EQ(sum.total, tree(all)) << n;
      ASSERT_EQ(sum.count, expected.size()) << n;
      ASSERT_EQ(masks, bits) << n;
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), packed.begin())) << n;

      const float smallest = 0.01f;
      auto kept = exps(x, divisor, max, least);
      for (float& e : kept) e = e >= smallest ? e : 0.0f;
      const auto again = k.sum_packed(packed.data(), masks.data(), n, smallest);
      ASSERT_EQ(again, tree(kept)) << n;
    }
}

TEST_P(Kernels, SplitMassTellsWhatLiesAboveAndBetweenTwoThresholds) {
  for (const std::size_t n : block_lengths()) {
    const auto x = rows::noise(n + 4, n, 3, 2);
    const auto e = exps(x, 1, *std::max_element(x.begin(), x.end()), rows::kMasked);
    const float low = 0.001f, high = 0.02f;
    double above = 0;
    std::size_t count = 0;
    Packed between, inside{std::vector<float>(n + 16), std::vector<std::uint32_t>(n + 16)};
    for (std::size_t i = 0; i < n; ++i) {
      above += e[i] >= high ? static_cast<double>(e[i]) : 0;
      count += e[i] >= high ? 1 : 0;
      if (!(e[i] >= low && e[i] < high)) continue;
      between.values.push_back(e[i]);
      between.ids.push_back(kFirstId + static_cast<std::uint32_t>(i));
    }
    const auto split = k.split_mass(e.data(), n, low, high, kFirstId, inside.values.data(), inside.ids.data());
    inside.values.resize(split.inside);
    inside.ids.resize(split.inside);
    ASSERT_EQ(inside, between) << n;
    ASSERT_EQ(split.count, count) << n;
    std::vector<float> alone(n + 16);
    const auto again = k.split_mass(e.data(), n, low, high, kFirstId, alone.data(), nullptr);
    alone.resize(again.inside);
    ASSERT_EQ(alone, between.values) << n;
    ASSERT_NEAR(split.above, above, 0x1p-36 * (16 + above)) << n;
    const auto sum = k.mass_above(e.data(), n, high);
    ASSERT_EQ(sum.count, count) << n;
    ASSERT_NEAR(static_cast<double>(sum.total), above, 0x1p-20 * above) << n;
  }
}

TEST_P(Kernels, TreeSumsAddsUpRowsOfLanes) {
  const std::size_t rows_number = 5;
  const auto lanes = rows::noise(1, rows_number * 16, 3, 2);
  std::vector<float> sums(rows_number), expected;
  for (std::size_t row = 0; row < rows_number; ++row)
    expected.push_back(tree(std::vector<float>(lanes.begin() + static_cast<std::ptrdiff_t>(row * 16),
                                               lanes.begin() + static_cast<std::ptrdiff_t>(row * 16 + 16))));
  k.tree_sums(lanes.data(), rows_number, sums.data());
  EXPECT_EQ(sums, expected);
}

TEST_P(Kernels, CollectPacksAndCountCountsWhatReachesTheThreshold) {
  for (const std::size_t n : block_lengths())
    for (const float threshold : {rows::kMasked, -1.0f, 2.0f, 1000.0f}) {
      auto x = rows::noise(n + 5, n, 3, 2);
      x[n / 2] = threshold == 2.0f ? 2.0f : -1.0f;  // reached exactly
      const auto expected = pack(x, [&](float v) { return v >= threshold && v > rows::kMasked; });
      Packed found{std::vector<float>(n + 16), std::vector<std::uint32_t>(n + 16)};
      const std::size_t size = k.collect(x.data(), n, threshold, kFirstId, found.values.data(), found.ids.data());
      found.values.resize(size);
      found.ids.resize(size);
      ASSERT_EQ(found, expected) << n;
      ASSERT_EQ(k.count(x.data(), n, threshold),
                static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [&](float v) { return v >= threshold; })));
    }
}

TEST_P(Kernels, CollectStripsLooksAtTheseStripsOnly) {
  for (const std::size_t n : rows::lengths())
    for (const float threshold : {rows::kMasked, 1.0f}) {
      const auto x = rows::noise(n + 9, n, 3, 2);
      std::vector<std::uint32_t> strips;  // some of them, among them the last, which may be short
      for (std::size_t strip = 0; strip * 32 < n && strips.size() < 31; ++strip)
        if (synthetic::hash64(n, strip) % 3 == 0) strips.push_back(static_cast<std::uint32_t>(strip));
      if (const auto last = static_cast<std::uint32_t>((n - 1) / 32); strips.empty() || strips.back() != last)
        strips.push_back(last);
      Packed expected, found{std::vector<float>(1024 + 16), std::vector<std::uint32_t>(1024 + 16)};
      for (const std::uint32_t strip : strips)
        for (std::size_t id = strip * 32; id < std::min<std::size_t>(strip * 32 + 32, n); ++id) {
          if (!(x[id] >= threshold && x[id] > rows::kMasked)) continue;
          expected.values.push_back(x[id]);
          expected.ids.push_back(static_cast<std::uint32_t>(id));
        }
      const std::size_t size =
          k.collect_strips(x.data(), n, strips.data(), strips.size(), threshold, found.values.data(), found.ids.data());
      found.values.resize(size);
      found.ids.resize(size);
      ASSERT_EQ(found, expected) << n;
    }
}

}  // namespace kernels_test
