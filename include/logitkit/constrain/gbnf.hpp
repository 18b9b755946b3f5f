// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/matcher.hpp"
#include "logitkit/constrain/utf8.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Reads GBNF straight into a grammar. Errors name the line, and the rule where one is known.
class GbnfParser {
 public:
  using NodeId = GrammarBuilder::NodeId;
  using Rule = std::uint32_t;

  GbnfParser(GrammarBuilder& grammar, const Vocabulary& vocabulary, std::string_view text)
      : grammar_(grammar), vocabulary_(vocabulary), text_(text) {}

  Rule parse(const std::string& root) {
    for (skip_blank(true); pos_ < text_.size(); skip_blank(true)) definition();
    for (const auto& [name, known] : rules_)
      if (!known.defined)
        refuse("line " + std::to_string(line(known.first_use)) + ": rule \"" + name + "\" is not defined");
    const auto found = rules_.find(root);
    if (found == rules_.end()) refuse("line 1: there is no rule \"" + root + "\" to start from");
    return found->second.rule;
  }

 private:
  struct Known {
    Rule rule;
    bool defined;
    std::size_t first_use;
  };
  // a piece of grammar; pieces without calls and tokens could be copied, but a rule is copied by its number alone
  static constexpr std::uint32_t kMaxRepeat = 2000;
  static constexpr int kMaxDepth = 250;

  [[noreturn]] void error(const std::string& what) const {
    std::string place = "line " + std::to_string(line(pos_));
    if (!current_.empty()) place += ", rule \"" + current_ + '"';
    refuse(place + ": " + what);
  }
  std::size_t line(std::size_t pos) const {
    return 1 + static_cast<std::size_t>(std::count(
                   text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(pos, text_.size())), '\n'));
  }
  bool at(char c) const { return pos_ < text_.size() && text_[pos_] == c; }
  bool take(char c) { return at(c) && (++pos_, true); }
  bool take(std::string_view s) { return text_.substr(pos_, s.size()) == s && (pos_ += s.size(), true); }

  void skip_blank(bool lines) {
    while (pos_ < text_.size()) {
      if (at(' ') || at('\t') || (lines && (at('\n') || at('\r'))))
        ++pos_;
      else if (at('#'))
        while (pos_ < text_.size() && !at('\n') && !at('\r')) ++pos_;
      else
        break;
    }
  }

  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  }
  std::string name() {
    const std::size_t start = pos_;
    while (pos_ < text_.size() && is_name(text_[pos_])) ++pos_;
    if (pos_ == start) error("a rule name is expected");
    return std::string(text_.substr(start, pos_ - start));
  }
  Known& known(const std::string& name) {
    const auto [found, fresh] = rules_.try_emplace(name);
    if (fresh) found->second = {grammar_.rule(name), false, pos_};
    return found->second;
  }

  void definition() {
    current_.clear();
    const std::string rule_name = name();
    current_ = rule_name;
    skip_blank(false);
    if (!take("::=")) error("\"::=\" is expected");
    skip_blank(true);
    Known& rule = known(rule_name);
    if (rule.defined) error("is defined twice");
    rule.defined = true;
    alternatives(grammar_[rule.rule].start, grammar_[rule.rule].end, false);
    skip_blank(false);
    if (pos_ < text_.size() && !at('\n') && !at('\r')) error(at(')') ? "unbalanced \")\"" : "unexpected text");
  }

  void alternatives(NodeId from, NodeId to, bool in_group) {
    do {
      skip_blank(true);
      grammar_.empty(sequence(from, in_group), to);
      if (in_group) skip_blank(true);
    } while (next_alternative());
  }
  // "|" may stand at the beginning of the next line
  bool next_alternative() {
    const std::size_t before = pos_;
    skip_blank(true);
    if (take('|')) return true;
    pos_ = before;
    return false;
  }

  NodeId sequence(NodeId from, bool in_group) {
    for (;;) {
      skip_blank(in_group);
      if (pos_ >= text_.size() || at('|') || at(')') || at('\n') || at('\r')) return from;
      from = repeated(from);
    }
  }

  // an item and what follows it; the item is a rule of its own, so that a repetition can call it
  NodeId repeated(NodeId from) {
    const Rule item = grammar_.rule(current_);
    element(grammar_[item].start, grammar_[item].end);
    std::uint32_t least = 1, most = 1;
    if (!repetition(least, most)) return call(from, item);
    skip_blank(false);
    std::uint32_t again_least = 0, again_most = 0;
    if (repetition(again_least, again_most)) error("nothing to repeat");
    for (std::uint32_t i = 0; i < least; ++i) from = call(from, item);
    const NodeId end = grammar_.node();
    if (most == kNoLimit) {
      const NodeId loop = grammar_.node();
      grammar_.empty(from, loop);
      grammar_.call(loop, item, loop);
      grammar_.empty(loop, end);
      return end;
    }
    for (std::uint32_t i = least; i < most; ++i) {
      grammar_.empty(from, end);
      from = call(from, item);
    }
    grammar_.empty(from, end);
    return end;
  }
  NodeId call(NodeId from, Rule rule) {
    const NodeId to = grammar_.node();
    grammar_.call(from, rule, to);
    return to;
  }

  bool repetition(std::uint32_t& least, std::uint32_t& most) {
    const std::size_t before = pos_;
    skip_blank(false);
    if (take('*')) return least = 0, most = kNoLimit, true;
    if (take('+')) return least = 1, most = kNoLimit, true;
    if (take('?')) return least = 0, most = 1, true;
    if (!take('{')) {
      pos_ = before;
      return false;
    }
    skip_blank(false);
    least = number();
    most = least;
    skip_blank(false);
    if (take(',')) {
      skip_blank(false);
      most = at('}') ? kNoLimit : number();
      skip_blank(false);
    }
    if (!take('}')) error("\"}\" is expected");
    if (most < least) error("reversed bounds of a repetition");
    return true;
  }
  std::uint32_t number() {
    const std::size_t start = pos_;
    std::uint32_t value = 0;
    for (; pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9'; ++pos_) {
      value = value * 10 + static_cast<std::uint32_t>(text_[pos_] - '0');
      if (value > kMaxRepeat) error("a repetition count above " + std::to_string(kMaxRepeat));
    }
    if (pos_ == start) error("a number is expected");
    return value;
  }

  void element(NodeId from, NodeId to) {
    if (at('"')) return grammar_.empty(literal(from), to);
    if (at('[')) return set(from, bracket(), to);
    if (at('<') || at('!')) return token(from, to);
    if (take('.')) return set(from, CodePointSet::all(), to);
    if (take('(')) {
      if (++depth_ > kMaxDepth) error("groups nested more than " + std::to_string(kMaxDepth) + " deep");
      alternatives(from, to, true);
      if (!take(')')) error("unbalanced \"(\"");
      --depth_;
      return;
    }
    if (at('*') || at('+') || at('?') || at('{')) error("nothing to repeat");
    if (!is_name(text_[pos_])) error(std::string("unexpected \"") + text_[pos_] + '"');
    grammar_.call(from, known(name()).rule, to);
  }

  NodeId literal(NodeId from) {
    ++pos_;
    std::string bytes;
    while (!at('"')) {
      if (pos_ >= text_.size() || at('\n') || at('\r')) error("a literal without its closing quote");
      append_utf8(bytes, character());
    }
    ++pos_;
    return grammar_.literal(from, bytes);
  }

  CodePointSet bracket() {
    ++pos_;
    const bool negated = take('^');
    CodePointSet out;
    while (!at(']')) {
      if (pos_ >= text_.size() || at('\n') || at('\r')) error("a class without its closing bracket");
      const char32_t lo = character();
      char32_t hi = lo;
      if (at('-') && pos_ + 1 < text_.size() && text_[pos_ + 1] != ']') {
        ++pos_;
        if (pos_ >= text_.size() || at('\n')) error("a class without its closing bracket");
        hi = character();
      }
      if (lo > hi) error("a reversed range");
      out.add(lo, hi);
    }
    ++pos_;
    return negated ? out.complement() : out;
  }

  char32_t character() {
    if (!take('\\')) {
      const char32_t c = next_code_point(text_, pos_);
      if (c == kNoCodePoint) error("not UTF-8");
      return c;
    }
    const char letter = pos_ < text_.size() ? text_[pos_] : '\0';
    ++pos_;
    switch (letter) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
      case '^':
        return static_cast<unsigned char>(letter);
      case 'x':
        return hex(2);
      case 'u':
        return hex(4);
      case 'U':
        return hex(8);
      default:
        error(std::string("unknown escape \"\\") + letter + '"');
    }
  }
  char32_t hex(int digits) {
    char32_t value = 0;
    for (int i = 0; i < digits; ++i, ++pos_) {
      const char c = pos_ < text_.size() ? text_[pos_] : ' ';
      const char lower = static_cast<char>(c | 0x20);
      const int digit = c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
      if (digit < 0) error("a malformed hexadecimal escape");
      value = value * 16 + static_cast<char32_t>(digit);
    }
    if (value > kMaxCodePoint || (value >= kFirstSurrogate && value <= kLastSurrogate))
      error("an escape that is no code point");
    return value;
  }

  void set(NodeId from, const CodePointSet& set, NodeId to) {
    for (CodePointSet::Range range : set.ranges())
      for_each_utf8_sequence(range.lo, range.hi, [&](const std::array<ByteRange, 4>& bytes, std::size_t length) {
        NodeId at = from;
        for (std::size_t i = 0; i < length; ++i) {
          const NodeId next = i + 1 == length ? to : grammar_.node();
          grammar_.bytes(at, bytes[i].lo, bytes[i].hi, next);
          at = next;
        }
      });
  }

  // <[17]> or <name>, with ! before it: any other ordinary token
  void token(NodeId from, NodeId to) {
    const bool other = take('!');
    if (!take('<')) error("\"<\" is expected");
    const std::size_t end = text_.find('>', pos_);
    if (end == std::string_view::npos) error("a token without its closing \">\"");
    TokenId id = kNoToken;
    if (take('[')) {
      const std::size_t start = pos_;
      std::int64_t value = 0;
      for (; pos_ < end && text_[pos_] >= '0' && text_[pos_] <= '9'; ++pos_)
        value = std::min<std::int64_t>(value * 10 + (text_[pos_] - '0'), 1 << 30);
      if (pos_ == start || !take(']') || pos_ != end) error("a malformed token id");
      if (value >= static_cast<std::int64_t>(vocabulary_.size())) error("a token id outside the vocabulary");
      id = static_cast<TokenId>(value);
    } else {
      // a special token is named with or without its own brackets
      const std::string_view inner = text_.substr(pos_, end - pos_);
      id = vocabulary_.find_special('<' + std::string(inner) + '>');
      if (id == kNoToken) id = vocabulary_.find(inner);
      if (id == kNoToken) error("\"" + std::string(inner) + "\" is not one token of the vocabulary");
    }
    pos_ = end + 1;
    grammar_.token(from, id, other, to);
  }

  GrammarBuilder& grammar_;
  const Vocabulary& vocabulary_;
  std::string_view text_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  std::string current_;
  std::map<std::string, Known> rules_;
};

}  // namespace detail

/// Texts of a grammar in llama.cpp's GBNF.
///
///   offers   name ::= alternatives (letters, digits, - and _); "literals", [classes] and [^negated ones], . (any code
///            point), groups, | (also at the beginning of the next line), * + ? {m} {m,} {m,n}, # comments;
///            escapes \n \r \t \\ \" \[ \] \- \^ \xHH \uHHHH \UHHHHHHHH; token terminals <[id]>, <name> (a special
///            token by its name, or the token with just that text), and !<...> (any other ordinary token)
///   refuses  left recursion (naming the cycle), undefined rules, a missing start rule, counts above 2,000, groups
///            nested more than 250 deep, more than 4,096 alternatives at the beginning (later: Matcher::error),
///            grammars that generate nothing: a ConstraintError that names line or rule
inline Constraint compile_gbnf(const Vocabulary& vocabulary, std::string_view text, const std::string& root = "root") {
  detail::GrammarBuilder grammar;
  const std::uint32_t start = detail::GbnfParser(grammar, vocabulary, text).parse(root);
  return detail::make_constraint(vocabulary, grammar, start, "rule \"" + root + '"');
}

LOGITKIT_NAMESPACE_END
