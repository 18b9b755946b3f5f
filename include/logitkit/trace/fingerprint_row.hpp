// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

#include "logitkit/core/logits.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Of all fingerprints; a value is comparable to those of the same version only. It changes with the normal form of a
/// spec or the compiled form of a constraint, never between platforms.
inline constexpr std::uint32_t kFingerprintVersion = 1;

namespace detail {

/// FNV-1a of 64 bits (Fowler, Noll, Vo): every language has it, or writes it in two lines.
class Fnv1a {
 public:
  void byte(std::uint8_t b) {
    hash_ ^= b;
    hash_ *= 0x100000001B3;
  }
  /// Little-endian on every platform.
  void word(std::uint32_t w) {
    for (int shift = 0; shift < 32; shift += 8) byte(static_cast<std::uint8_t>(w >> shift));
  }
  void text(std::string_view text) {
    for (const char c : text) byte(static_cast<std::uint8_t>(c));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325;
};

}  // namespace detail

/// A stable 64-bit value of a row: FNV-1a over its logits as little-endian float32. Rows of 16-bit floats have that of
/// the same row in float32, since they give the same tokens; NaNs and zeros of different bits differ.
///   cost  about a nanosecond per byte
inline std::uint64_t fingerprint(LogitsView row) {
  detail::Fnv1a hash;
  for (std::size_t id = 0; id < row.size(); ++id) hash.word(std::bit_cast<std::uint32_t>(row[id]));
  return hash.value();
}

LOGITKIT_NAMESPACE_END
