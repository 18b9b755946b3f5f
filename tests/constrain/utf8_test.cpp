// SPDX-License-Identifier: MIT
#include "logitkit/constrain/utf8.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace utf8_test {

using namespace logitkit::detail;

bool spelled(const std::string& bytes, char32_t lo, char32_t hi) {
  int matches = 0;
  for_each_utf8_sequence(lo, hi, [&](const std::array<ByteRange, 4>& ranges, std::size_t length) {
    bool all = length == bytes.size();
    for (std::size_t i = 0; all && i < length; ++i) {
      const auto b = static_cast<std::uint8_t>(bytes[i]);
      all = b >= ranges[i].lo && b <= ranges[i].hi;
    }
    matches += all;
  });
  EXPECT_LE(matches, 1);
  return matches == 1;
}

TEST(Utf8, SequencesSpellExactlyTheRange) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<char32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    char32_t lo = below(kMaxCodePoint + 1), hi = below(kMaxCodePoint + 1);
    if (round % 2 == 1) hi = std::min<char32_t>(lo + below(3000), kMaxCodePoint);
    if (lo > hi) std::swap(lo, hi);
    const std::vector<char32_t> tried{
        lo, hi, lo == 0 ? lo : lo - 1, hi + 1, lo + (hi - lo) / 2, below(kMaxCodePoint + 1)};
    for (char32_t c : tried) {
      if (c > kMaxCodePoint || (c >= kFirstSurrogate && c <= kLastSurrogate)) continue;
      std::string bytes;
      append_utf8(bytes, c);
      EXPECT_EQ(spelled(bytes, lo, hi), c >= lo && c <= hi) << static_cast<std::uint32_t>(c);
    }
  }
}

TEST(Utf8, WhatIsNotUtf8IsNotSpelled) {
  for (const char* bytes : {"\xc0\xaf", "\xc1\x81", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
                            "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "\xff"}) {
    EXPECT_FALSE(spelled(bytes, 0, kMaxCodePoint)) << bytes;
    std::size_t pos = 0;
    EXPECT_EQ(next_code_point(bytes, pos), kNoCodePoint);
  }
}

TEST(Utf8, ReadsWhatItWrites) {
  for (char32_t c = 1; c <= kMaxCodePoint; c += c < 0x3000 ? 1 : 37) {
    if (c >= kFirstSurrogate && c <= kLastSurrogate) continue;
    std::string bytes;
    append_utf8(bytes, c);
    std::size_t pos = 0;
    ASSERT_EQ(next_code_point(bytes, pos), c);
    ASSERT_EQ(pos, bytes.size());
  }
}

TEST(CodePointSet, MergesAndComplements) {
  CodePointSet set{{10, 20}, {30, 40}, {21, 25}};
  EXPECT_EQ(set.ranges(), (std::vector<CodePointSet::Range>{{10, 25}, {30, 40}}));
  EXPECT_EQ(set.complement().ranges(), (std::vector<CodePointSet::Range>{{0, 9}, {26, 29}, {41, kMaxCodePoint}}));
  EXPECT_TRUE(set.contains(25));
  EXPECT_FALSE(set.contains(26));
  EXPECT_TRUE(CodePointSet::all().complement().empty());
}

}  // namespace utf8_test
