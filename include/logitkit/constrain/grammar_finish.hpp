// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/constrain/grammar.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// The passes that turn what a front end built into a grammar that can run: every state alive, no endless call.
class GrammarFinisher {
 public:
  using NodeId = GrammarBuilder::NodeId;

  GrammarFinisher(std::vector<Node> nodes, const std::vector<std::pair<NodeId, Edge>>& edges, NodeId start)
      : nodes_(std::move(nodes)), start_(start) {
    sort_by_node(edges);
  }

  /// Nodes from which the end of their rule can be reached; `silently`: without reading a byte.
  std::vector<bool> reach_end(bool silently) const {
    // an edge waits for its target and, if it is a call, for the start of the rule
    std::vector<std::uint32_t> first(nodes_.size() + 1);
    const auto each_dependency = [&](const auto& f) {
      for (std::uint32_t e = 0; e < edges_.size(); ++e) {
        f(edges_[e].to, e);
        if (edges_[e].kind == Edge::Kind::call) f(edges_[e].arg, e);
      }
    };
    each_dependency([&](NodeId n, std::uint32_t) { ++first[n + 1]; });
    for (std::size_t n = 0; n < nodes_.size(); ++n) first[n + 1] += first[n];
    std::vector<std::uint32_t> waiting(first.back()), fill = first;
    each_dependency([&](NodeId n, std::uint32_t e) { waiting[fill[n]++] = e; });

    std::vector<bool> reached(nodes_.size());
    std::vector<NodeId> work;
    for (NodeId n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].end) reached[n] = true, work.push_back(n);
    while (!work.empty()) {
      const NodeId n = work.back();
      work.pop_back();
      for (std::uint32_t w = first[n]; w < first[n + 1]; ++w) {
        const Edge& edge = edges_[waiting[w]];
        const NodeId from = from_[waiting[w]];
        const bool call = edge.kind == Edge::Kind::call;
        if (silently && !call && edge.kind != Edge::Kind::empty) continue;
        if (reached[from] || !reached[edge.to] || (call && !reached[edge.arg])) continue;
        reached[from] = true;
        work.push_back(from);
      }
    }
    return reached;
  }

  /// A cycle of rule starts that call each other before anything is read; empty if there is none.
  std::vector<NodeId> left_recursion() const {
    const std::vector<bool> nullable = reach_end(true);
    enum : char { unseen, open, done };
    std::vector<char> color(nodes_.size(), unseen);
    struct Frame {
      NodeId rule;
      std::vector<NodeId> calls;
    };
    std::vector<Frame> path;
    const auto enter = [&](NodeId rule) {
      color[rule] = open;
      path.push_back({rule, first_calls(rule, nullable)});
    };
    std::vector<NodeId> starts{start_};
    for (const Edge& edge : edges_)
      if (edge.kind == Edge::Kind::call) starts.push_back(edge.arg);
    for (NodeId root : starts) {
      if (color[root] != unseen) continue;
      enter(root);
      while (!path.empty()) {
        if (path.back().calls.empty()) {
          color[path.back().rule] = done;
          path.pop_back();
          continue;
        }
        const NodeId next = path.back().calls.back();
        path.back().calls.pop_back();
        if (color[next] == unseen) {
          enter(next);
        } else if (color[next] == open) {
          std::vector<NodeId> cycle;
          for (const Frame& frame : path)
            if (frame.rule == next || !cycle.empty()) cycle.push_back(frame.rule);
          return cycle;
        }
      }
    }
    return {};
  }

  /// Cuts byte edges down to the bytes that tokens contain.
  void keep_bytes(const std::array<bool, 256>& usable) {
    std::vector<std::pair<NodeId, Edge>> kept;
    for (std::uint32_t e = 0; e < edges_.size(); ++e) {
      Edge edge = edges_[e];
      if (edge.kind != Edge::Kind::bytes) {
        kept.emplace_back(from_[e], edge);
        continue;
      }
      for (unsigned b = edges_[e].lo; b <= edges_[e].hi; ++b) {
        if (!usable[b]) continue;
        edge.lo = static_cast<std::uint8_t>(b);
        while (b < edges_[e].hi && usable[b + 1]) ++b;
        edge.hi = static_cast<std::uint8_t>(b);
        kept.emplace_back(from_[e], edge);
      }
    }
    sort_by_node(kept);
  }

  Grammar result(const std::vector<bool>& alive) const {
    std::vector<bool> reached(nodes_.size());
    std::vector<NodeId> work{start_}, order;
    reached[start_] = true;
    Grammar out;
    std::vector<NodeId> renamed(nodes_.size());
    const auto visit = [&](NodeId n) {
      if (!reached[n]) reached[n] = true, work.push_back(n);
    };
    while (!work.empty()) {
      const NodeId n = work.back();
      work.pop_back();
      renamed[n] = static_cast<NodeId>(out.nodes.size());
      Node node = nodes_[n];
      node.first_edge = static_cast<std::uint32_t>(out.edges.size());
      for (std::uint32_t e = nodes_[n].first_edge; e < nodes_[n].last_edge; ++e) {
        const Edge& edge = edges_[e];
        const bool call = edge.kind == Edge::Kind::call;
        if (!alive[edge.to] || (call && !alive[edge.arg])) continue;
        out.edges.push_back(edge);
        out.edges.back().to = beyond(edge.to, alive);
        visit(out.edges.back().to);
        if (call) visit(edge.arg);
      }
      node.last_edge = static_cast<std::uint32_t>(out.edges.size());
      out.nodes.push_back(node);
    }
    std::array<bool, 257> starts{};
    starts[0] = true;
    for (Edge& edge : out.edges) {
      edge.to = renamed[edge.to];
      if (edge.kind == Edge::Kind::call) edge.arg = renamed[edge.arg];
      if (edge.kind == Edge::Kind::bytes) starts[edge.lo] = starts[edge.hi + 1u] = true;
    }
    for (unsigned b = 0; b < 256; ++b) {
      if (starts[b]) out.class_byte.push_back(static_cast<std::uint8_t>(b));
      out.byte_class[b] = static_cast<std::uint8_t>(out.class_byte.size() - 1);
    }
    out.start = renamed[start_];
    return out;
  }

 private:
  void sort_by_node(const std::vector<std::pair<NodeId, Edge>>& edges) {
    for (Node& node : nodes_) node.first_edge = node.last_edge = 0;
    for (const auto& [from, edge] : edges) ++nodes_[from].last_edge;
    std::uint32_t total = 0;
    for (Node& node : nodes_) {
      node.first_edge = total;
      total += std::exchange(node.last_edge, total);
    }
    edges_.resize(edges.size());
    from_.resize(edges.size());
    for (const auto& [from, edge] : edges) {
      edges_[nodes_[from].last_edge] = edge;
      from_[nodes_[from].last_edge++] = from;
    }
  }

  // where a node that only passes on leads; a call that comes back to the end of its rule is then seen to need no stack
  NodeId beyond(NodeId n, const std::vector<bool>& alive) const {
    for (;;) {
      const Node& node = nodes_[n];
      if (node.end || node.last_edge == node.first_edge) return n;
      NodeId next = n;
      for (std::uint32_t e = node.first_edge; e < node.last_edge; ++e) {
        const Edge& edge = edges_[e];
        if (!alive[edge.to] || (edge.kind == Edge::Kind::call && !alive[edge.arg])) continue;
        if (edge.kind != Edge::Kind::empty || next != n) return n;
        next = edge.to;
      }
      n = next;
    }
  }

  // the rules that a rule may call before it reads anything
  std::vector<NodeId> first_calls(NodeId rule, const std::vector<bool>& nullable) const {
    std::vector<NodeId> calls, seen{rule};
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const auto visit = [&](NodeId n) {
        if (visited_.size() < nodes_.size()) visited_.resize(nodes_.size());
        if (!visited_[n]) visited_[n] = true, seen.push_back(n);
      };
      for (std::uint32_t e = nodes_[seen[i]].first_edge; e < nodes_[seen[i]].last_edge; ++e) {
        const Edge& edge = edges_[e];
        if (edge.kind == Edge::Kind::call) calls.push_back(edge.arg);
        if (edge.kind == Edge::Kind::empty || (edge.kind == Edge::Kind::call && nullable[edge.arg])) visit(edge.to);
      }
    }
    for (NodeId n : seen)
      if (n < visited_.size()) visited_[n] = false;
    return calls;
  }

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<NodeId> from_;
  NodeId start_;
  mutable std::vector<bool> visited_;
};

inline bool GrammarBuilder::is_empty(std::uint32_t rule) {
  for (auto& [from, edge] : edges_)
    if (edge.kind == Edge::Kind::call) edge.arg = rules_[edge.arg].start;
  const GrammarFinisher finisher(std::move(nodes_), std::exchange(edges_, {}), rules_[rule].start);
  return !finisher.reach_end(false)[rules_[rule].start];
}

inline Grammar GrammarBuilder::finish(std::uint32_t root, const std::array<bool, 256>& usable,
                                      const std::string& where) {
  bool missing = false;
  for (auto& [from, edge] : edges_) {
    if (edge.kind == Edge::Kind::call) edge.arg = rules_[edge.arg].start;
    if (edge.kind == Edge::Kind::bytes)
      for (unsigned b = edge.lo; b <= edge.hi; ++b) missing = missing || !usable[b];
  }
  GrammarFinisher finisher(std::move(nodes_), std::exchange(edges_, {}), rules_[root].start);
  auto cycle = finisher.left_recursion();
  if (!cycle.empty()) {
    std::string names, last;
    cycle.push_back(cycle.front());
    for (NodeId start : cycle)
      for (const Rule& rule : rules_)
        if (rule.start == start && rule.name != last) names += (names.empty() ? "" : " -> ") + (last = rule.name);
    if (names == last) names += " -> " + last;
    refuse(where + ": left recursion: " + names);
  }
  auto alive = finisher.reach_end(false);
  if (!alive[rules_[root].start]) refuse(where + ": no text can satisfy it");
  if (missing) {
    finisher.keep_bytes(usable);
    alive = finisher.reach_end(false);
    if (!alive[rules_[root].start]) refuse(where + ": every text needs bytes that no token of the vocabulary contains");
  }
  return finisher.result(alive);
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
