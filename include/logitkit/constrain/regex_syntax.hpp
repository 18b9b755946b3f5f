// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/constraint_error.hpp"
#include "logitkit/constrain/utf8.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// A parsed pattern as a list of nodes; children come before their parents, the root is last.
struct RegexNode {
  enum class Kind : std::uint8_t { empty, set, sequence, alternatives, repeat, at_start, at_end };
  static constexpr std::uint32_t kEndless = 0xFFFFFFFF;

  Kind kind = Kind::empty;
  CodePointSet set{};
  std::vector<std::uint32_t> children{};
  std::uint32_t least = 0, most = 0;  // repeat
};

/// Reads ECMAScript-like patterns (see `compile_regex`). Errors name the construct and its byte position.
class RegexParser {
 public:
  /// Error texts begin with `place`.
  RegexParser(std::string_view pattern, std::string place) : text_(pattern), place_(std::move(place)) {}

  std::vector<RegexNode> parse() {
    const std::uint32_t root = alternatives();
    if (pos_ < text_.size()) error(pos_, "unbalanced \")\"");
    if (root + 1 != nodes_.size()) error(0, "internal order");
    return std::move(nodes_);
  }

  /// The class of `\d`, `\w`, `\s` (ECMAScript's white space); empty for other letters.
  static CodePointSet class_escape(char letter) {
    switch (letter) {
      case 'd':
        return {{'0', '9'}};
      case 'w':
        return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
      case 's':
        return {{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
      default:
        return {};
    }
  }

 private:
  using Kind = RegexNode::Kind;
  static constexpr int kMaxDepth = 250;
  static constexpr std::uint32_t kMaxRepeat = 100'000;

  [[noreturn]] void error(std::size_t position, const std::string& what) const {
    refuse(place_ + " position " + std::to_string(position) + ": " + what);
  }
  bool at(char c) const { return pos_ < text_.size() && text_[pos_] == c; }
  bool take(char c) { return at(c) && (++pos_, true); }
  bool take(std::string_view s) { return text_.substr(pos_, s.size()) == s && (pos_ += s.size(), true); }

  std::uint32_t add(RegexNode node) {
    nodes_.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  std::uint32_t add_list(Kind kind, std::vector<std::uint32_t> children) {
    return children.size() == 1 ? children[0] : add({.kind = kind, .children = std::move(children)});
  }

  std::uint32_t alternatives() {
    std::vector<std::uint32_t> branches;
    do branches.push_back(sequence());
    while (take('|'));
    return add_list(Kind::alternatives, std::move(branches));
  }

  std::uint32_t sequence() {
    std::vector<std::uint32_t> parts;
    while (pos_ < text_.size() && !at('|') && !at(')')) {
      const std::size_t start = pos_;
      const std::uint32_t part = atom();
      parts.push_back(quantified(part, start));
    }
    if (parts.empty()) return add({});
    return add_list(Kind::sequence, std::move(parts));
  }

  std::uint32_t quantified(std::uint32_t part, std::size_t start) {
    std::uint32_t least = 0, most = RegexNode::kEndless;
    const std::size_t position = pos_;
    if (take('+'))
      least = 1;
    else if (take('?'))
      most = 1;
    else if (!take('*') && !bounds(least, most))
      return part;
    const Kind kind = nodes_[part].kind;
    if (kind == Kind::at_start || kind == Kind::at_end) error(start, "nothing to repeat");
    if (most < least) error(position, "reversed bounds of a repetition");
    take('?');  // a lazy form accepts the same texts
    const std::size_t after = pos_;
    std::uint32_t unused_least = 0, unused_most = 0;
    if (at('*') || at('+') || at('?') || bounds(unused_least, unused_most)) error(after, "nothing to repeat");
    return add({.kind = Kind::repeat, .children = {part}, .least = least, .most = most});
  }

  // {m} {m,} {m,n}; any other brace is itself, but for {,n}, which dialects read differently
  bool bounds(std::uint32_t& least, std::uint32_t& most) {
    const std::size_t start = pos_;
    if (!take('{')) return false;
    const bool digits = number(least, start);
    most = least;
    if (take(',') && !number(most, start)) most = RegexNode::kEndless;
    if (take('}')) {
      if (!digits) error(start, "a repetition without a lower bound");
      return true;
    }
    pos_ = start;
    return false;
  }
  bool number(std::uint32_t& value, std::size_t start) {
    const std::size_t first = pos_;
    value = 0;
    for (; pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9'; ++pos_) {
      value = value * 10 + static_cast<std::uint32_t>(text_[pos_] - '0');
      if (value > kMaxRepeat) error(start, "a repetition count above " + std::to_string(kMaxRepeat));
    }
    return pos_ > first;
  }

  std::uint32_t atom() {
    const std::size_t start = pos_;
    switch (text_[pos_]) {
      case '(':
        return group();
      case '[':
        return add({.kind = Kind::set, .set = bracket()});
      case '.':
        ++pos_;
        return add({.kind = Kind::set, .set = CodePointSet{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}.complement()});
      case '^':
        ++pos_;
        return add({.kind = Kind::at_start});
      case '$':
        ++pos_;
        return add({.kind = Kind::at_end});
      case '\\': {
        CodePointSet set;
        const char32_t c = escape(set, false);
        if (c != kNoCodePoint) set.add(c, c);
        return add({.kind = Kind::set, .set = std::move(set)});
      }
      case '*':
      case '+':
      case '?':
        error(start, "nothing to repeat");
      default: {
        std::uint32_t least = 0, most = 0;
        if (bounds(least, most)) error(start, "nothing to repeat");
        const char32_t c = character();
        return add({.kind = Kind::set, .set = {{c, c}}});
      }
    }
  }

  std::uint32_t group() {
    const std::size_t start = pos_;
    ++pos_;
    if (at('?')) {
      if (take("?=") || take("?!")) error(start, "look-ahead is not supported");
      if (take("?<=") || take("?<!")) error(start, "look-behind is not supported");
      if (take("?<") || take("?P<")) {
        while (pos_ < text_.size() && !at('>') && !at(')')) ++pos_;
        if (!take('>')) error(start, "a group name without \">\"");
      } else if (!take("?:")) {
        error(start, "inline flags are not supported");
      }
    }
    if (++depth_ > kMaxDepth) error(start, "groups nested more than " + std::to_string(kMaxDepth) + " deep");
    const std::uint32_t inner = alternatives();
    if (!take(')')) error(start, "unbalanced \"(\"");
    --depth_;
    // an own node, so that a quantifier after ^ inside a group still has something to repeat
    return add({.kind = Kind::sequence, .children = {inner}});
  }

  CodePointSet bracket() {
    const std::size_t start = pos_;
    ++pos_;
    const bool negated = take('^');
    if (at(']')) error(start, "a class that begins with \"]\": dialects differ, write \"\\]\"");
    CodePointSet set;
    while (!at(']')) {
      if (pos_ >= text_.size()) error(start, "unbalanced \"[\"");
      const std::size_t item = pos_;
      const char32_t lo = member(set);
      if (!at('-') || pos_ + 1 >= text_.size() || text_[pos_ + 1] == ']') {
        if (lo != kNoCodePoint) set.add(lo, lo);
        continue;
      }
      ++pos_;
      const char32_t hi = member(set);
      if (lo == kNoCodePoint || hi == kNoCodePoint) {  // [\w-.]: the dash is itself
        set.add('-', '-');
        if (lo != kNoCodePoint) set.add(lo, lo);
        if (hi != kNoCodePoint) set.add(hi, hi);
      } else if (lo > hi) {
        error(item, "a reversed range");
      } else {
        set.add(lo, hi);
      }
    }
    ++pos_;
    return negated ? set.complement() : set;
  }
  // one character of a class, or kNoCodePoint after adding a whole class to `set`
  char32_t member(CodePointSet& set) { return at('\\') ? escape(set, true) : character(); }

  char32_t character() {
    const std::size_t start = pos_;
    const char32_t c = next_code_point(text_, pos_);
    if (c == kNoCodePoint) error(start, "not UTF-8");
    return c;
  }

  char32_t escape(CodePointSet& set, bool in_class) {
    const std::size_t start = pos_;
    ++pos_;
    if (pos_ >= text_.size()) error(start, "a trailing backslash");
    const char letter = text_[pos_];
    const char lower = static_cast<char>(letter | 0x20);
    if (const CodePointSet known = class_escape(lower); !known.empty()) {
      ++pos_;
      set.add(letter == lower ? known : known.complement());
      return kNoCodePoint;
    }
    const bool alphanumeric = (lower >= 'a' && lower <= 'z') || (letter >= '0' && letter <= '9');
    if (!alphanumeric) return character();
    ++pos_;
    switch (letter) {
      case 't':
        return '\t';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'x':
        return hex(2, start);
      case 'u':
        return unicode(start);
      case '0':
        if (pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9')
          error(start, "octal escapes are not supported");
        return 0;
      case 'b':
        if (in_class) return '\b';
        [[fallthrough]];
      case 'B':
        error(start, "word boundaries are not supported");
      case 'p':
      case 'P':
        error(start, "Unicode properties are not supported");
      case 'k':
        error(start, "back-references are not supported");
      default:
        error(start, letter >= '1' && letter <= '9' ? std::string("back-references are not supported")
                                                    : std::string("unknown escape \"\\") + letter + '"');
    }
  }
  char32_t unicode(std::size_t start) {
    if (take('{')) {
      char32_t value = 0;
      std::size_t digits = 0;
      for (; pos_ < text_.size() && !at('}'); ++digits) value = value * 16 + hex(1, start);
      if (digits == 0 || digits > 6 || value > kMaxCodePoint || !take('}')) error(start, "a malformed \\u{...}");
      return value;
    }
    const char32_t high = hex(4, start);
    if (high < kFirstSurrogate || high >= 0xDC00) return high;
    const std::size_t before = pos_;
    if (!take("\\u")) return high;
    const char32_t low = hex(4, start);
    if (low >= 0xDC00 && low <= kLastSurrogate) return 0x10000 + ((high - kFirstSurrogate) << 10) + (low - 0xDC00);
    pos_ = before;
    return high;
  }
  char32_t hex(int digits, std::size_t start) {
    char32_t value = 0;
    for (int i = 0; i < digits; ++i, ++pos_) {
      const char c = pos_ < text_.size() ? text_[pos_] : ' ';
      const char lower = static_cast<char>(c | 0x20);
      const int digit = c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
      if (digit < 0) error(start, "a malformed hexadecimal escape");
      value = value * 16 + static_cast<char32_t>(digit);
    }
    return value;
  }

  std::string_view text_;
  std::string place_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  std::vector<RegexNode> nodes_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
