// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "logitkit/constrain/constraint_error.hpp"
#include "logitkit/constrain/text_slices.hpp"
#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

// What every front end (choices, regex, GBNF, JSON Schema) compiles to: rules that are automata over bytes and may call
// each other. Regular parts need no calls; recursion becomes a stack when the grammar runs.

inline constexpr std::uint32_t kNoLimit = 0xFFFFFFFF;

/// What a byte does to the number of characters read since the last JSON string was opened. JSON's quotes are found
/// without knowing the schema, so one number serves all alternatives that are alive.
enum class CountOp : std::uint8_t {
  keep,
  tick,   ///< begins a character of a string
  reset,  ///< opens a string
  close,  ///< ends a string: only from `min_count` characters on
};

struct Edge {
  enum class Kind : std::uint8_t { bytes, empty, call, token, other_token };
  std::uint32_t to;
  std::uint32_t arg;  // call: start node of the rule (in the builder: the rule); token, other_token: the id
  Kind kind;
  std::uint8_t lo, hi;
  CountOp op;
};

struct Node {
  std::uint32_t first_edge = 0, last_edge = 0;
  std::uint32_t min_count = 0;            // `close` edges need as many characters
  std::uint32_t max_count = kNoLimit;     // with more characters there is no way on from here
  std::uint32_t least_max = kNoLimit;     // the smallest max_count of the string that this node is part of
  bool end = false;                       // a rule ends here
  TextClass absorbs = TextClass::none;    // text of this class leads back here, or to nodes that absorb it too,
  std::uint32_t absorb_limit = kNoLimit;  // while it keeps to this count
};

struct Grammar {
  std::vector<Node> nodes;
  std::vector<Edge> edges;  // sorted by node
  std::uint32_t start = 0;
  std::array<std::uint8_t, 256> byte_class{};  // bytes of one class are alike everywhere; classes ascend with the bytes
  std::vector<std::uint8_t> class_byte;        // one byte of each class

  std::size_t bytes() const { return nodes.size() * sizeof(Node) + edges.size() * sizeof(Edge); }
};

class GrammarBuilder {
 public:
  using NodeId = std::uint32_t;
  struct Rule {
    NodeId start, end;
    std::string name;
  };

  NodeId node() {
    if (nodes_.size() >= kMaxNodes)
      refuse("the grammar is too large: more than " + std::to_string(kMaxNodes) + " states");
    nodes_.emplace_back();
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  /// A rule without content; `name` is for error texts.
  std::uint32_t rule(std::string name) {
    const NodeId start = node(), end = node();
    nodes_[end].end = true;
    rules_.push_back({start, end, std::move(name)});
    return static_cast<std::uint32_t>(rules_.size() - 1);
  }
  const Rule& operator[](std::uint32_t rule) const { return rules_[rule]; }
  Node& at(NodeId node) { return nodes_[node]; }
  /// Nodes so far; they are numbered one after the other.
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }

  void bytes(NodeId from, std::uint8_t lo, std::uint8_t hi, NodeId to, CountOp op = CountOp::keep) {
    add(from, {to, 0, Edge::Kind::bytes, lo, hi, op});
  }
  void byte(NodeId from, char c, NodeId to, CountOp op = CountOp::keep) {
    bytes(from, static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c), to, op);
  }
  void empty(NodeId from, NodeId to) { add(from, {to, 0, Edge::Kind::empty, 0, 0, CountOp::keep}); }
  void call(NodeId from, std::uint32_t rule, NodeId to) {
    add(from, {to, rule, Edge::Kind::call, 0, 0, CountOp::keep});
  }
  void token(NodeId from, TokenId id, bool other, NodeId to) {
    add(from,
        {to, static_cast<std::uint32_t>(id), other ? Edge::Kind::other_token : Edge::Kind::token, 0, 0, CountOp::keep});
  }
  /// Spells `text` from `from`; returns the node after it.
  NodeId literal(NodeId from, std::string_view text) {
    for (char c : text) {
      const NodeId next = node();
      byte(from, c, next);
      from = next;
    }
    return from;
  }

  /// Copies a finished grammar in as a rule.
  std::uint32_t import(const Grammar& grammar, std::string name) {
    const auto offset = static_cast<NodeId>(nodes_.size());
    const std::uint32_t entry = rule(std::move(name));
    const NodeId base = offset + 2;
    for (std::size_t n = 0; n < grammar.nodes.size(); ++n) node();
    for (std::size_t n = 0; n < grammar.nodes.size(); ++n) {
      const Node& source = grammar.nodes[n];
      nodes_[base + n] = source;
      for (std::uint32_t e = source.first_edge; e < source.last_edge; ++e) {
        Edge edge = grammar.edges[e];
        edge.to += base;
        if (edge.kind == Edge::Kind::call) edge.arg = rule_at(edge.arg + base);
        add(base + static_cast<NodeId>(n), edge);
      }
    }
    call(rules_[entry].start, rule_at(base + grammar.start), rules_[entry].end);
    return entry;
  }

  /// No text satisfies `rule`. Empties the builder.
  bool is_empty(std::uint32_t rule);
  /// The grammar of `root`, without the parts that lead nowhere or are never reached. `usable[b]`: some token contains
  /// byte b. Refuses left recursion, naming the rules, and a language without any text; `where` begins these messages.
  /// Empties the builder.
  Grammar finish(std::uint32_t root, const std::array<bool, 256>& usable, const std::string& where);

 private:
  static constexpr std::size_t kMaxNodes = 1'000'000;
  void add(NodeId from, const Edge& edge) { edges_.emplace_back(from, edge); }
  // an imported rule has a start node, but several or no end nodes of its own
  std::uint32_t rule_at(NodeId start) {
    const auto [found, fresh] = imported_.try_emplace(start, static_cast<std::uint32_t>(rules_.size()));
    if (fresh) rules_.push_back({start, start, "imported"});
    return found->second;
  }

  std::vector<Node> nodes_;
  std::vector<std::pair<NodeId, Edge>> edges_;
  std::vector<Rule> rules_;
  std::unordered_map<NodeId, std::uint32_t> imported_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
