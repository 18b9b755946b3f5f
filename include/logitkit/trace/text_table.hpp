// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/process/field_text.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How reports are written. The environment variable NO_COLOR, set and not empty, rules color out (no-color.org).
struct TextStyle {
  bool color = false;  ///< ANSI escape sequences: for terminals
};

namespace detail {

class Ink {
 public:
  explicit Ink(const TextStyle& style) {
    const char* no_color = std::getenv("NO_COLOR");
    color_ = style.color && (no_color == nullptr || *no_color == '\0');
  }
  std::string bold(const std::string& text) const { return wrap("\033[1m", text); }
  std::string dim(const std::string& text) const { return wrap("\033[2m", text); }
  std::string red(const std::string& text) const { return wrap("\033[31m", text); }

 private:
  std::string wrap(const char* code, const std::string& text) const { return color_ ? code + text + "\033[0m" : text; }
  bool color_ = false;
};

/// A number with so many digits after the point, trailing zeros kept; "inf", "nan".
inline std::string digits(double x, int after_point) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, after_point).ptr;
  return {text, end};
}

/// In double quotes, control characters escaped, so that a token never breaks a line.
inline std::string in_quotes(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c == '\n')
      out += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      out += std::string("\\x") + kHex[byte / 16] + kHex[byte % 16];
    else
      out += c;
  }
  return out + "\"";
}

/// Columns that a terminal needs: bytes that do not begin a UTF-8 character take none.
inline std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Type and the parameters that are not at their default: "top_k k 50".
inline std::string short_step(std::string_view type, const Fields& fields) {
  std::string text(type);
  for (const Field& field : fields)
    if (!field.is_default) text += " " + std::string(field.key) + " " + value_text(field.value);
  return text;
}

/// Aligned columns: numbers to the right, texts to the left.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string text(const TextStyle& style) const {
    const Ink ink(style);
    std::vector<std::size_t> widths(rows_.front().size());
    std::vector<bool> is_number(widths.size(), true);
    for (std::size_t r = 0; r < rows_.size(); ++r)
      for (std::size_t c = 0; c < widths.size(); ++c) {
        widths[c] = std::max(widths[c], columns(rows_[r][c]));
        if (r > 0 && !looks_like_number(rows_[r][c])) is_number[c] = false;
      }
    std::string text;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::string line;
      for (std::size_t c = 0; c < widths.size(); ++c) {
        const std::string pad(widths[c] - columns(rows_[r][c]), ' ');
        line += (c == 0 ? "" : "  ") + (is_number[c] ? pad + rows_[r][c] : rows_[r][c] + pad);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += (r == 0 ? ink.dim(line) : line) + "\n";
    }
    return text;
  }

 private:
  static bool looks_like_number(const std::string& text) {
    return text.find_first_not_of("0123456789.+-einfa") == std::string::npos;
  }
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
