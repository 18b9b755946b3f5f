// SPDX-License-Identifier: MIT
// The check values come from the Python program that defines these rows, so they hold for every platform. They may
// never change: recorded engine results and published figures refer to these bits.
#include "synthetic_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <numeric>

namespace synthetic_rows_test {

/// 64-bit FNV-1a over the row as little-endian float32.
std::uint64_t fnv1a64(const std::vector<float>& row) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (float logit : row)
    for (int shift = 0; shift < 32; shift += 8)
      hash = (hash ^ (std::bit_cast<std::uint32_t>(logit) >> shift & 0xFF)) * 0x100000001b3;
  return hash;
}

TEST(SyntheticRows, HashAndNoiseHaveTheirCheckValues) {
  EXPECT_EQ(synthetic::hash64(1, 0), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(synthetic::hash64(7, 151935), 0xe8a2bbdc5f53314eu);
  EXPECT_EQ(synthetic::hash64(1, std::uint64_t{1} << 32), 0x37ad5fdd5756bd3du);
  EXPECT_EQ(synthetic::hash64(18446744073709551615u, 5), 0xb6bf613dbebb45dcu);
  EXPECT_EQ(synthetic::noise(1, 0), 0.32135009765625);
  EXPECT_EQ(synthetic::noise(2, 0), -3.3560791015625);
  EXPECT_EQ(synthetic::noise(7, 151935), 0.83013916015625);
}

TEST(SyntheticRows, EveryProfileHasItsBitsAndItsBestTokens) {
  const struct {
    const synthetic::Profile& profile;
    std::uint64_t seed;
    std::size_t vocabulary;
    std::uint64_t hash;
    std::array<std::size_t, 5> best;
  } cases[] = {
      {synthetic::kPeaked, 1, 151936, 0x367658c8db93b835, {126525, 74592, 22659, 122662, 18796}},
      {synthetic::kPeaked, 2, 151936, 0x86518c24c85e199b, {25045, 125048, 73115, 21182, 69252}},
      {synthetic::kPeaked, 7, 1000, 0xb4f70b78c05f89ad, {526, 529, 532, 535, 538}},
      {synthetic::kTypical, 1, 151936, 0x08ab52ad68ba5dcc, {126525, 74592, 22659, 122662, 18796}},
      {synthetic::kTypical, 2, 151936, 0x9e5594d597cd42b7, {25045, 125048, 73115, 21182, 69252}},
      {synthetic::kTypical, 7, 1000, 0x27a9bbbfd8ecba2c, {526, 529, 532, 535, 538}},
      {synthetic::kOpen, 1, 151936, 0x4ec18ce78d0d5dd4, {126525, 74592, 122662, 22659, 18796}},
      {synthetic::kOpen, 2, 151936, 0x93037f8e627ad74c, {25045, 125048, 73115, 69252, 21182}},
      {synthetic::kOpen, 7, 1000, 0x5111dcc1e4abc34f, {526, 529, 532, 535, 538}},
      {synthetic::kFlat, 1, 151936, 0x7c1b5132dcff11bb, {126525, 74592, 122662, 22659, 18796}},
      {synthetic::kFlat, 2, 151936, 0xd17b322aaaad072e, {25045, 125048, 73115, 69252, 21182}},
      {synthetic::kFlat, 7, 1000, 0xef5ca4329f12df6c, {526, 529, 535, 532, 538}},
      {synthetic::kVeryFlat, 1, 151936, 0xcb2f74b0412f538e, {126525, 74592, 122662, 22659, 18796}},
      {synthetic::kVeryFlat, 2, 151936, 0x6dca35f7681a72f9, {125048, 25045, 73115, 69252, 117322}},
      {synthetic::kVeryFlat, 7, 1000, 0x20850e8f9dd4b793, {526, 529, 535, 538, 532}},
  };
  for (const auto& expected : cases) {
    const std::vector<float> row = synthetic::row(expected.profile, expected.seed, expected.vocabulary);
    EXPECT_EQ(fnv1a64(row), expected.hash) << expected.profile.name << " seed " << expected.seed;
    std::vector<std::size_t> ids(row.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});
    std::partial_sort(ids.begin(), ids.begin() + 5, ids.end(),
                      [&](std::size_t a, std::size_t b) { return row[a] > row[b] || (row[a] == row[b] && a < b); });
    EXPECT_TRUE(std::equal(expected.best.begin(), expected.best.end(), ids.begin())) << expected.profile.name;
  }
}

TEST(SyntheticRows, Clt4HasItsBits) {
  const std::vector<float> row = synthetic::clt4(151936, 1, 1.0);
  EXPECT_EQ(fnv1a64(row), 0x740d24cc14832392u);
  EXPECT_EQ(row[2], -3.24853515625f);
  EXPECT_EQ(row[151935], -0.78515625f);
  EXPECT_EQ(std::ranges::min(row), -7.72601318359375f);
  EXPECT_EQ(std::ranges::max(row), 7.62567138671875f);
  // A scale that is not dyadic, and bumps that round.
  EXPECT_EQ(fnv1a64(synthetic::clt4(151936, 7, 0.3, {{17, 9.5f}, {1234, 2.1f}})), 0x630157c27d753bc3u);
}

}  // namespace synthetic_rows_test
