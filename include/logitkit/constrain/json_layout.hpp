// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logitkit/constrain/grammar.hpp"
#include "logitkit/core/error.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Which blanks JSON text may have between its tokens. None before the first or after the last byte of the document,
/// whatever the policy: models run on in blanks.
class Whitespace {
 public:
  /// None at all: {"a":[1,2]}
  static Whitespace compact() { return Whitespace(Kind::compact, 0); }
  /// One exact layout, that of Python's json.dumps(indent=n): a line per member, ": " after keys, {} and [] when empty.
  /// `indent` in [0, 16]. Containers nest at most 64 deep.
  static Whitespace pretty(int indent) { return Whitespace(Kind::pretty, checked(indent, 0, 16, "indent")); }
  /// Up to `max` blanks (space, tab, LF, CR) wherever JSON allows them; `max` in [0, 1000].
  static Whitespace flexible(int max) { return Whitespace(Kind::flexible, checked(max, 0, 1000, "max")); }

  enum class Kind : std::uint8_t { compact, pretty, flexible };
  Kind kind() const { return kind_; }
  int amount() const { return amount_; }

 private:
  Whitespace(Kind kind, int amount) : kind_(kind), amount_(amount) {}
  static int checked(int value, int least, int most, const char* name) {
    if (value < least || value > most)
      detail::fail(InvalidParameter("Whitespace: " + std::string(name) + " = " + std::to_string(value) +
                                    ": must be in [" + std::to_string(least) + ", " + std::to_string(most) + "]"));
    return value;
  }
  Kind kind_;
  int amount_;
};

namespace detail {

/// Writes the structure of arrays and objects, with the blanks that the policy has between the tokens.
class JsonLayout {
 public:
  using NodeId = GrammarBuilder::NodeId;
  using Rule = std::uint32_t;
  static constexpr std::uint32_t kUnbounded = kNoLimit;

  struct Member {
    Rule rule;  // key, colon and value
    bool required;
  };
  struct Counts {
    std::uint32_t least = 0, most = kUnbounded;
  };

  JsonLayout(GrammarBuilder& grammar, Whitespace whitespace) : grammar_(grammar), whitespace_(whitespace) {}

  /// Only a pretty layout looks different at each depth; the others use depth 0 throughout, so that rules are shared.
  int deeper(int depth) const { return whitespace_.kind() == Whitespace::Kind::pretty ? depth + 1 : 0; }
  bool too_deep(int depth) const { return depth > kMaxPrettyDepth; }

  NodeId colon(NodeId from) {
    const NodeId after = grammar_.literal(blank(from), ":");
    return whitespace_.kind() == Whitespace::Kind::pretty ? grammar_.literal(after, " ") : blank(after);
  }

  /// Members in this order, those that are not required may be left out; then any number of `open` ones, in any order.
  /// The cost is linear in the members: what matters is which one may come next, and (if counts are bounded) how many
  /// there are.
  void object(NodeId from, const std::vector<Member>& members, const std::vector<Rule>& open, Counts counts, int depth,
              NodeId to) {
    const std::uint32_t cap = counts.most != kUnbounded ? counts.most : counts.least;
    const auto columns = std::size_t{cap} + 1;
    if (columns > kMaxGrid / (members.size() + 1)) refuse("too many combinations of members and counts of members");
    const auto next = [&](std::uint32_t c) { return std::min(c + 1, cap); };
    const auto full = [&](std::uint32_t c) { return counts.most != kUnbounded && c >= counts.most; };
    std::vector<NodeId> key((members.size() + 1) * columns), written(key.size());
    for (NodeId& node : key) node = grammar_.node();
    for (NodeId& node : written) node = grammar_.node();
    const auto at = [&](std::size_t i, std::uint32_t c) { return i * columns + c; };

    std::size_t last_required = 0;  // one past it
    for (std::size_t i = 0; i < members.size(); ++i)
      if (members[i].required) last_required = i + 1;
    const NodeId opened = grammar_.literal(from, "{");
    open_container(opened, full(0) ? kNone : key[0], counts.least == 0 && last_required == 0, '}', deeper(depth), to);
    for (std::size_t i = 0; i <= members.size(); ++i)
      for (std::uint32_t c = 0; c <= cap; ++c) {
        if (!full(c)) {
          if (i < members.size()) {
            grammar_.call(key[at(i, c)], members[i].rule, written[at(i + 1, next(c))]);
            if (!members[i].required) grammar_.empty(key[at(i, c)], key[at(i + 1, c)]);
          } else {
            for (Rule rule : open) grammar_.call(key[at(i, c)], rule, written[at(i, next(c))]);
          }
        }
        const bool more = !full(c) && (i < members.size() || !open.empty());
        continue_container(written[at(i, c)], more ? key[at(i, c)] : kNone, c >= counts.least && i >= last_required,
                           '}', deeper(depth), to);
      }
  }

  /// The first items by position, then `rest` (none: no further items).
  void array(NodeId from, const std::vector<Rule>& first, std::optional<Rule> rest, Counts counts, int depth,
             NodeId to) {
    const auto positions = static_cast<std::uint32_t>(first.size());
    const std::uint32_t most = rest ? counts.most : std::min(counts.most, positions);
    if (counts.least > most) return;
    // past this many items, all items are alike
    const std::uint32_t last = most != kUnbounded ? most : std::max(positions, counts.least);
    if (last > kMaxGrid) refuse("more than " + std::to_string(kMaxGrid) + " items to count");
    std::vector<NodeId> item(std::size_t{last} + 1), written(item.size());
    for (NodeId& node : item) node = grammar_.node();
    for (NodeId& node : written) node = grammar_.node();
    open_container(grammar_.literal(from, "["), most == 0 ? kNone : item[0], counts.least == 0, ']', deeper(depth), to);
    for (std::uint32_t i = 0; i <= last; ++i) {
      const bool more = most == kUnbounded || i < most;
      if (more) grammar_.call(item[i], i < positions ? first[i] : *rest, written[std::min(i + 1, last)]);
      continue_container(written[i], more ? item[i] : kNone, i >= counts.least, ']', deeper(depth), to);
    }
  }

 private:
  static constexpr NodeId kNone = 0xFFFFFFFF;
  static constexpr int kMaxPrettyDepth = 64;
  static constexpr std::size_t kMaxGrid = 100'000;

  // after the opening bracket: the first element, or the end
  void open_container(NodeId from, NodeId element, bool may_end, char bracket, int depth, NodeId to) {
    const bool pretty = whitespace_.kind() == Whitespace::Kind::pretty;
    const NodeId inside = pretty ? from : blank(from);
    if (element != kNone) grammar_.empty(pretty ? line(from, depth) : inside, element);
    if (may_end) grammar_.byte(inside, bracket, to);
  }
  // after an element: a comma and the next one, or the end
  void continue_container(NodeId from, NodeId element, bool may_end, char bracket, int depth, NodeId to) {
    const bool pretty = whitespace_.kind() == Whitespace::Kind::pretty;
    const NodeId after = pretty ? from : blank(from);
    if (element != kNone) {
      const NodeId comma = grammar_.literal(after, ",");
      grammar_.empty(pretty ? line(comma, depth) : blank(comma), element);
    }
    if (may_end) grammar_.byte(pretty ? line(from, depth - 1) : after, bracket, to);
  }

  NodeId blank(NodeId from) {
    if (whitespace_.kind() != Whitespace::Kind::flexible || whitespace_.amount() == 0) return from;
    const auto [found, fresh] = rules_.try_emplace(0, 0);
    if (fresh) {
      const Rule rule = found->second = grammar_.rule("white space");
      NodeId node = grammar_[rule].start;
      for (int i = 0; i < whitespace_.amount(); ++i) {
        const NodeId next = grammar_.node();
        for (char c : {' ', '\t', '\n', '\r'}) grammar_.byte(node, c, next);
        grammar_.empty(node, grammar_[rule].end);
        node = next;
      }
      grammar_.empty(node, grammar_[rule].end);
    }
    return call(from, found->second);
  }
  NodeId line(NodeId from, int depth) {
    const auto [found, fresh] = rules_.try_emplace(depth, 0);
    if (fresh) {
      const Rule rule = found->second = grammar_.rule("line");
      const std::string text = "\n" + std::string(static_cast<std::size_t>(depth * whitespace_.amount()), ' ');
      grammar_.empty(grammar_.literal(grammar_[rule].start, text), grammar_[rule].end);
    }
    return call(from, found->second);
  }
  NodeId call(NodeId from, Rule rule) {
    const NodeId to = grammar_.node();
    grammar_.call(from, rule, to);
    return to;
  }

  GrammarBuilder& grammar_;
  Whitespace whitespace_;
  std::map<int, Rule> rules_;  // pretty: lines by depth; flexible: the blanks
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
