// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

/// Bytes as UTF-8 that anything can print: bytes that are no character become \xNN.
inline std::string printable(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size();) {
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
    const unsigned char b = at(i);
    std::size_t n = b < 0x80                ? 1
                    : b >= 0xC2 && b < 0xE0 ? 2
                    : b >= 0xE0 && b < 0xF0 ? 3
                    : b >= 0xF0 && b < 0xF5 ? 4
                                            : 0;
    bool is_character = n > 0 && i + n <= bytes.size();
    for (std::size_t k = 1; is_character && k < n; ++k) is_character = (at(i + k) & 0xC0) == 0x80;
    if (is_character && n == 3) is_character = !(b == 0xE0 && at(i + 1) < 0xA0) && !(b == 0xED && at(i + 1) > 0x9F);
    if (is_character && n == 4) is_character = !(b == 0xF0 && at(i + 1) < 0x90) && !(b == 0xF4 && at(i + 1) > 0x8F);
    if (is_character) {
      out += bytes.substr(i, n);
      i += n;
    } else {
      out += {'\\', 'x', "0123456789abcdef"[b / 16], "0123456789abcdef"[b % 16]};
      ++i;
    }
  }
  return out;
}

/// Standard base64; throws where it is none.
inline std::string from_base64(std::string_view text) {
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t value =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (value == std::string_view::npos) throw std::runtime_error("\"" + std::string(text) + "\" is not base64");
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFF;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(static_cast<unsigned char>(bits >> count & 0xFF));
  }
  return out;
}

/// One token a line, as it is or in base64; the line's number from 0 is its id.
inline std::vector<std::string> parse_token_texts(std::string_view file, bool is_base64) {
  std::vector<std::string> texts;
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    std::string_view line = file.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    texts.push_back(printable(is_base64 ? from_base64(line) : std::string(line)));
    file.remove_prefix(std::min(end + 1, file.size()));
  }
  return texts;
}

}  // namespace examples
