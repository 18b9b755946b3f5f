// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/constrain/utf8.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Undoes the byte-level spelling of GPT-2-like vocabularies, where each byte is written as a printable character (`Ġ`
/// for a space): the raw bytes of `spelling`. Characters outside that alphabet (special tokens in UTF-8) are kept as
/// they are.
inline std::string undo_byte_level_spelling(std::string_view spelling) {
  // printable Latin-1 bytes spell themselves, the others are U+0100 and up in byte order
  static constexpr auto kBytes = [] {
    std::array<std::int16_t, 0x144> bytes{};
    bytes.fill(-1);
    std::int16_t next = 0x100;
    for (std::int16_t b = 0; b < 256; ++b) {
      const bool itself = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
      bytes[static_cast<std::size_t>(itself ? b : next++)] = b;
    }
    return bytes;
  }();
  std::string out;
  for (std::size_t pos = 0; pos < spelling.size();) {
    const std::size_t start = pos;
    const char32_t c = detail::next_code_point(spelling, pos);
    if (c < kBytes.size() && kBytes[c] >= 0)
      out.push_back(static_cast<char>(static_cast<unsigned char>(kBytes[c])));
    else
      out += spelling.substr(start, pos - start);
  }
  return out;
}

/// Reads a vocabulary written as one base64 token (raw bytes) a line; line n is token n. An empty line is an empty
/// token; anything after the first character that is not base64 (padding, CR) is ignored.
inline std::vector<std::string> tokens_from_base64_lines(std::string_view text) {
  const auto value = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  std::vector<std::string> tokens;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string token;
    std::uint32_t bits = 0;
    int have = 0;
    for (char c : text.substr(0, end)) {
      const int v = value(c);
      if (v < 0) break;
      bits = bits << 6 | static_cast<std::uint32_t>(v);
      have += 6;
      if (have >= 8) {
        have -= 8;
        token.push_back(static_cast<char>(static_cast<unsigned char>(bits >> have & 255)));
      }
    }
    tokens.push_back(std::move(token));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return tokens;
}

LOGITKIT_NAMESPACE_END
