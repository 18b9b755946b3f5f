// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "logitkit/constrain/dfa.hpp"
#include "logitkit/constrain/grammar.hpp"
#include "logitkit/constrain/text_slices.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Bounds on the number of code points of a JSON string.
struct LengthBounds {
  std::uint32_t least = 0, most = kNoLimit;
  friend auto operator<=>(const LengthBounds&, const LengthBounds&) = default;
};

/// Spells the texts of an automaton over code points as bytes of a grammar: as they are (`add_text`), or as the content
/// of a JSON string, where a character may also be escaped (`add_json_string`).
class TextAutomaton {
 public:
  using NodeId = GrammarBuilder::NodeId;

  static void add_text(GrammarBuilder& grammar, NodeId from, const Dfa& dfa, NodeId to) {
    if (dfa.empty()) return;
    TextAutomaton text(grammar, dfa, false, {});
    grammar.empty(from, text.nodes_[0]);
    for (std::size_t q = 0; q < dfa.size(); ++q)
      if (dfa.accepting[q]) grammar.empty(text.nodes_[q], to);
  }

  /// With both quotes. An escape is one code point, a surrogate pair of escapes too; lone surrogates are refused.
  /// `bounds.least` is only right with an automaton that accepts after any character (else build it into the
  /// automaton).
  static void add_json_string(GrammarBuilder& grammar, NodeId from, const Dfa& dfa, LengthBounds bounds, NodeId to) {
    if (dfa.empty() || bounds.least > bounds.most) return;
    TextAutomaton text(grammar, dfa, true, bounds);
    if (text.max_count(0) == kDeadCount) return;
    const bool counted = bounds.least > 0 || bounds.most != kNoLimit;
    grammar.byte(from, '"', text.nodes_[0], counted ? CountOp::reset : CountOp::keep);
    for (std::size_t q = 0; q < dfa.size(); ++q)
      if (dfa.accepting[q]) grammar.byte(text.nodes_[q], '"', to, CountOp::close);
  }

 private:
  static constexpr std::int64_t kDeadCount = -1;
  using Range = CodePointSet::Range;

  TextAutomaton(GrammarBuilder& grammar, const Dfa& dfa, bool json, LengthBounds bounds)
      : grammar_(grammar), dfa_(dfa), json_(json), bounds_(bounds) {
    const NodeId first = grammar.size();
    if (bounds.most != kNoLimit) distances_ = dfa.distances();
    for (std::size_t q = 0; q < dfa.size(); ++q) {
      const NodeId node = grammar.node();
      nodes_.push_back(node);
      if (max_count(q) == kDeadCount) continue;
      grammar.at(node).max_count = static_cast<std::uint32_t>(max_count(q));
      grammar.at(node).min_count = bounds.least;
    }
    for (std::size_t q = 0; q < dfa.size(); ++q)
      if (max_count(q) != kDeadCount) add_moves(q);
    mark_absorbing();
    std::uint32_t least_max = kNoLimit;
    for (NodeId node = first; node < grammar.size(); ++node)
      least_max = std::min(least_max, grammar.at(node).max_count);
    for (NodeId node = first; node < grammar.size(); ++node) grammar.at(node).least_max = least_max;
  }

  // the most characters that may have been read in a state, so that what is still needed fits
  std::int64_t max_count(std::size_t q) const {
    if (bounds_.most == kNoLimit) return kNoLimit;
    return distances_[q] > bounds_.most ? kDeadCount : std::int64_t{bounds_.most} - distances_[q];
  }

  // moves are grouped by target, so that what targets have in common (the tails of UTF-8 sequences) is built once per
  // source
  void add_moves(std::size_t q) {
    std::vector<std::pair<std::int32_t, Range>> moves;
    for (std::size_t i = 0; i < dfa_.alphabet.starts.size(); ++i) {
      if (dfa_.alphabet.symbol[i] < 0) continue;
      const std::int32_t to = dfa_.step(static_cast<std::int32_t>(q), dfa_.alphabet.symbol[i]);
      if (to == Dfa::kDead || max_count(static_cast<std::size_t>(to)) == kDeadCount) continue;
      moves.push_back({to, {dfa_.alphabet.starts[i], dfa_.alphabet.last(i)}});
    }
    std::stable_sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    escape_ = unicode_ = kNone;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (i == 0 || moves[i].first != moves[i - 1].first) tails_.clear();
      while (i + 1 < moves.size() && moves[i + 1].first == moves[i].first &&
             moves[i + 1].second.lo == moves[i].second.hi + 1) {
        moves[i + 1].second.lo = moves[i].second.lo;
        ++i;
      }
      target_ = nodes_[static_cast<std::size_t>(moves[i].first)];
      add_move(nodes_[q], moves[i].second);
    }
  }

  void add_move(NodeId from, Range range) {
    const CountOp op = json_ ? CountOp::tick : CountOp::keep;
    const auto raw = [&](char32_t lo, char32_t hi) {
      for_each_utf8_sequence(lo, hi, [&](const std::array<ByteRange, 4>& bytes, std::size_t length) {
        grammar_.bytes(from, bytes[0].lo, bytes[0].hi, tail(bytes.data() + 1, length - 1), op);
      });
    };
    if (!json_) return raw(range.lo, range.hi);
    // what must be escaped lies between these
    constexpr Range kPlain[] = {{0x20, '"' - 1}, {'"' + 1, '\\' - 1}, {'\\' + 1, kMaxCodePoint}};
    for (Range plain : kPlain)
      if (std::max(plain.lo, range.lo) <= std::min(plain.hi, range.hi))
        raw(std::max(plain.lo, range.lo), std::min(plain.hi, range.hi));
    add_escapes(from, range);
  }

  void add_escapes(NodeId from, Range range) {
    if (escape_ == kNone) {
      escape_ = grammar_.node();
      grammar_.byte(from, '\\', escape_, CountOp::tick);
      grammar_.at(escape_).max_count = 0;
    }
    raise_max_count(escape_);
    constexpr std::pair<char32_t, char> kShort[] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'\b', 'b'},
                                                    {'\f', 'f'}, {'\n', 'n'},  {'\r', 'r'}, {'\t', 't'}};
    for (const auto& [c, letter] : kShort)
      if (c >= range.lo && c <= range.hi) grammar_.byte(escape_, letter, target_);
    if (unicode_ == kNone) {
      unicode_ = grammar_.node();
      grammar_.byte(escape_, 'u', unicode_);
      grammar_.at(unicode_).max_count = 0;
    }
    raise_max_count(unicode_);
    constexpr Range kUnits[] = {{0, kFirstSurrogate - 1}, {kLastSurrogate + 1, 0xFFFF}};
    for (Range unit : kUnits)
      if (std::max(unit.lo, range.lo) <= std::min(unit.hi, range.hi))
        add_hex(unicode_, std::max(unit.lo, range.lo), std::min(unit.hi, range.hi), target_);
    if (range.hi < 0x10000) return;
    for_each_digit_box(std::max<char32_t>(range.lo, 0x10000) - 0x10000, range.hi - 0x10000, 10, 2,
                       [&](char32_t lo, char32_t hi) {
                         const NodeId between = low_surrogate(0xDC00 | (lo & 1023), 0xDC00 | (hi & 1023));
                         add_hex(unicode_, 0xD800 | lo >> 10, 0xD800 | hi >> 10, between);
                       });
  }

  // four hexadecimal digits, both cases
  void add_hex(NodeId from, char32_t lo, char32_t hi, NodeId to) {
    for_each_digit_box(lo, hi, 4, 4, [&](char32_t a, char32_t b) { add_digits(from, a, b, 4, to); });
  }
  void add_digits(NodeId from, char32_t a, char32_t b, int digits, NodeId to) {
    const int shift = 4 * (digits - 1);
    const char32_t below = (char32_t{1} << shift) - 1;
    const NodeId next = digits == 1 ? to : hex_tail(a & below, b & below, digits - 1, to);
    const auto range = [&](char32_t first, char32_t last, char zero) {
      const char32_t lo = std::max<char32_t>(a >> shift, first), hi = std::min<char32_t>(b >> shift, last);
      if (lo <= hi)
        grammar_.bytes(from, static_cast<std::uint8_t>(zero + static_cast<int>(lo)),
                       static_cast<std::uint8_t>(zero + static_cast<int>(hi)), next);
    };
    range(0, 9, '0');
    range(10, 15, 'a' - 10);
    range(10, 15, 'A' - 10);
  }
  NodeId hex_tail(char32_t a, char32_t b, int digits, NodeId to) {
    return shared({Tail::Kind::hex, to, a, b, static_cast<std::uint32_t>(digits)},
                  [&](NodeId node) { add_digits(node, a, b, digits, to); });
  }
  // \uXXXX, the second half of a pair
  NodeId low_surrogate(char32_t lo, char32_t hi) {
    return shared({Tail::Kind::low_surrogate, target_, lo, hi, 0}, [&](NodeId node) {
      const NodeId escape = node_to_target(), unicode = node_to_target();
      grammar_.byte(node, '\\', escape);
      grammar_.byte(escape, 'u', unicode);
      add_hex(unicode, lo, hi, target_);
    });
  }
  NodeId tail(const ByteRange* bytes, std::size_t length) {
    if (length == 0) return target_;
    std::uint32_t lo = 0, hi = 0;
    for (std::size_t i = 0; i < length; ++i) lo = lo << 8 | bytes[i].lo, hi = hi << 8 | bytes[i].hi;
    return shared({Tail::Kind::utf8, target_, lo, hi, static_cast<std::uint32_t>(length)},
                  [&](NodeId node) { grammar_.bytes(node, bytes[0].lo, bytes[0].hi, tail(bytes + 1, length - 1)); });
  }

  struct Tail {
    enum class Kind : std::uint8_t { utf8, hex, low_surrogate } kind;
    NodeId to;
    std::uint32_t lo, hi, length;
    friend bool operator==(const Tail&, const Tail&) = default;
  };
  // the node from which `fill` leads to the target, built at most once
  template <class Fill>
  NodeId shared(const Tail& tail, const Fill& fill) {
    for (const auto& [known, node] : tails_)
      if (known == tail) return node;
    const NodeId node = node_to_target();
    tails_.emplace_back(tail, node);
    fill(node);
    return node;
  }
  // a node on the way to the target, alive as long as the target would be; the count is kept in mind
  NodeId node_to_target() {
    const NodeId node = grammar_.node();
    grammar_.at(node).max_count = grammar_.at(target_).max_count;
    grammar_.at(node).min_count = bounds_.least;
    return node;
  }
  // `node` leads to several targets: alive while one of them is
  void raise_max_count(NodeId node) {
    grammar_.at(node).min_count = bounds_.least;
    grammar_.at(node).max_count = std::max(grammar_.at(node).max_count, grammar_.at(target_).max_count);
  }

  // From an absorbing state every text of a class leads to absorbing states. With a bound on the length all its
  // characters must lead to one state that loops on them, so that each costs exactly one.
  void mark_absorbing() {
    std::vector<bool> done(dfa_.size());
    for (TextClass each : {TextClass::plain, TextClass::uri, TextClass::alphanumeric, TextClass::lower}) {
      const std::vector<std::int32_t> symbols = symbols_of(each);
      const std::vector<std::int32_t> target = absorbing(symbols);
      for (std::size_t q = 0; q < dfa_.size(); ++q) {
        if (done[q] || target[q] == Dfa::kDead) continue;
        done[q] = true;
        grammar_.at(nodes_[q]).absorbs = each;
        grammar_.at(nodes_[q]).absorb_limit = grammar_.at(nodes_[static_cast<std::size_t>(target[q])]).max_count;
      }
    }
  }
  std::vector<std::int32_t> symbols_of(TextClass text_class) const {
    std::vector<std::int32_t> symbols;
    const CodePointSet set = characters(text_class);
    for (CodePointSet::Range range : set.ranges())
      for (std::size_t i = 0; i < dfa_.alphabet.starts.size(); ++i)
        if (dfa_.alphabet.symbol[i] >= 0 && dfa_.alphabet.starts[i] <= range.hi && dfa_.alphabet.last(i) >= range.lo)
          symbols.push_back(dfa_.alphabet.symbol[i]);
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
    return symbols;
  }
  // for each state that absorbs these symbols a state that it leads to, else kDead
  std::vector<std::int32_t> absorbing(const std::vector<std::int32_t>& symbols) const {
    constexpr int kMaxPasses =
        64;  // automata are numbered forwards, so few are needed; giving up only costs time later
    std::vector<std::int32_t> target(dfa_.size());
    for (std::size_t q = 0; q < dfa_.size(); ++q) target[q] = dfa_.step(static_cast<std::int32_t>(q), symbols[0]);
    bool changed = true;
    for (int pass = 0; changed && pass < kMaxPasses; ++pass) {
      changed = false;
      for (std::size_t q = dfa_.size(); q-- > 0;) {
        if (target[q] == Dfa::kDead) continue;
        const bool stays = std::all_of(symbols.begin(), symbols.end(), [&](std::int32_t s) {
          const std::int32_t to = dfa_.step(static_cast<std::int32_t>(q), s);
          if (to == Dfa::kDead || target[static_cast<std::size_t>(to)] == Dfa::kDead) return false;
          return bounds_.most == kNoLimit || (to == target[q] && target[static_cast<std::size_t>(to)] == to);
        });
        if (!stays) target[q] = Dfa::kDead, changed = true;
      }
    }
    if (changed) target.assign(target.size(), Dfa::kDead);
    return target;
  }

  static constexpr NodeId kNone = 0xFFFFFFFF;

  GrammarBuilder& grammar_;
  const Dfa& dfa_;
  bool json_;
  LengthBounds bounds_;
  std::vector<std::uint32_t> distances_;
  std::vector<NodeId> nodes_;
  std::vector<std::pair<Tail, NodeId>> tails_;
  NodeId escape_ = kNone, unicode_ = kNone, target_ = kNone;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
