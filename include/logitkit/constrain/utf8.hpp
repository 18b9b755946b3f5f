// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

inline constexpr char32_t kMaxCodePoint = 0x10FFFF;
inline constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
inline constexpr char32_t kNoCodePoint = 0xFFFFFFFF;

/// Appends one code point as UTF-8.
inline void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (c < 0x80) return put(c);
  if (c < 0x800) return put(0xC0 | c >> 6), put(0x80 | (c & 63));
  if (c < 0x10000) return put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
  put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
}

/// Reads the code point at `pos` and moves `pos` past it; kNoCodePoint (one byte consumed) where the text is not UTF-8.
inline char32_t next_code_point(std::string_view text, std::size_t& pos) {
  const auto byte = [&](std::size_t i) -> char32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : char32_t{0};
  };
  const char32_t lead = byte(pos);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  char32_t c = length == 1 ? lead : lead & (0x7Fu >> length);
  bool good = length != 0;
  for (std::size_t i = 1; i < length; ++i) {
    good = good && (byte(pos + i) & 0xC0) == 0x80;
    c = c << 6 | (byte(pos + i) & 63);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  good = good && c >= kLeast[length] && c <= kMaxCodePoint && (c < kFirstSurrogate || c > kLastSurrogate);
  pos += good ? length : 1;
  return good ? c : kNoCodePoint;
}

/// A set of code points as sorted, disjoint, inclusive ranges.
class CodePointSet {
 public:
  struct Range {
    char32_t lo, hi;
    friend bool operator==(const Range&, const Range&) = default;
  };

  CodePointSet() = default;
  CodePointSet(std::initializer_list<Range> ranges) {
    for (Range r : ranges) add(r.lo, r.hi);
  }
  static CodePointSet all() { return {{0, kMaxCodePoint}}; }

  /// Ranges may come in any order and overlap.
  void add(char32_t lo, char32_t hi) {
    if (ranges_.empty() || ranges_.back().hi + 1 < lo) return ranges_.push_back({lo, hi});
    ranges_.push_back({lo, hi});
    std::sort(ranges_.begin(), ranges_.end(), [](Range a, Range b) { return a.lo < b.lo; });
    std::size_t kept = 0;
    for (Range r : ranges_) {
      if (kept > 0 && r.lo <= ranges_[kept - 1].hi + 1)
        ranges_[kept - 1].hi = std::max(ranges_[kept - 1].hi, r.hi);
      else
        ranges_[kept++] = r;
    }
    ranges_.resize(kept);
  }
  void add(const CodePointSet& other) {
    for (Range r : other.ranges_) add(r.lo, r.hi);
  }
  CodePointSet complement() const {
    CodePointSet out;
    char32_t from = 0;
    for (Range r : ranges_) {
      if (r.lo > from) out.ranges_.push_back({from, r.lo - 1});
      from = r.hi + 1;
    }
    if (from <= kMaxCodePoint) out.ranges_.push_back({from, kMaxCodePoint});
    return out;
  }
  bool contains(char32_t c) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), c, [](char32_t x, Range r) { return x < r.lo; });
    return after != ranges_.begin() && std::prev(after)->hi >= c;
  }
  const std::vector<Range>& ranges() const& { return ranges_; }
  bool empty() const { return ranges_.empty(); }

 private:
  std::vector<Range> ranges_;
};

/// Splits [lo, hi] into boxes: sub-ranges whose numbers, written with `digits` digits of `bits` bits, are exactly all
/// combinations of one range per digit. f(lo, hi) gets each box; the ranges of digit i are those of its two ends.
template <class F>
void for_each_digit_box(char32_t lo, char32_t hi, int bits, int digits, const F& f) {
  for (int i = 1; i < digits; ++i) {
    const char32_t low = (char32_t{1} << (bits * i)) - 1;
    if ((lo & ~low) == (hi & ~low)) continue;
    if ((lo & low) != 0) {
      for_each_digit_box(lo, lo | low, bits, digits, f);
      return for_each_digit_box((lo | low) + 1, hi, bits, digits, f);
    }
    if ((hi & low) != low) {
      for_each_digit_box(lo, (hi & ~low) - 1, bits, digits, f);
      return for_each_digit_box(hi & ~low, hi, bits, digits, f);
    }
  }
  f(lo, hi);
}

struct ByteRange {
  std::uint8_t lo, hi;
};

/// f(ranges, length) for each sequence of byte ranges that together spell exactly the code points lo..hi (surrogates
/// left out).
template <class F>
void for_each_utf8_sequence(char32_t lo, char32_t hi, const F& f) {
  struct Band {
    char32_t lo, hi;
    int length;
  };
  constexpr Band kBands[] = {{0, 0x7F, 1},
                             {0x80, 0x7FF, 2},
                             {0x800, kFirstSurrogate - 1, 3},
                             {kLastSurrogate + 1, 0xFFFF, 3},
                             {0x10000, kMaxCodePoint, 4}};
  for (const Band& band : kBands) {
    const char32_t from = std::max(lo, band.lo), to = std::min(hi, band.hi);
    if (from > to) continue;
    for_each_digit_box(from, to, 6, band.length, [&](char32_t a, char32_t b) {
      std::string first, last;
      append_utf8(first, a), append_utf8(last, b);
      std::array<ByteRange, 4> ranges{};
      for (std::size_t i = 0; i < first.size(); ++i)
        ranges[i] = {static_cast<std::uint8_t>(first[i]), static_cast<std::uint8_t>(last[i])};
      f(ranges, first.size());
    });
  }
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
