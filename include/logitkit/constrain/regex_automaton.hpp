// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/dfa.hpp"
#include "logitkit/constrain/regex_syntax.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Parsed pattern -> Thompson's automaton -> deterministic automaton.
class RegexAutomaton {
 public:
  enum class Match {
    whole,  ///< the whole text
    part,   ///< some part of it, as JSON Schema's `pattern` does
  };

  /// Error texts begin with `place`.
  static Dfa build(std::string_view pattern, Match match, const std::string& place = "pattern") {
    RegexAutomaton nfa(RegexParser(pattern, place).parse(), place);
    return nfa.determinize(match);
  }

 private:
  using Id = std::uint32_t;
  static constexpr Id kNone = 0xFFFFFFFF;
  static constexpr std::size_t kMaxNodes = 200'000;
  static constexpr std::size_t kMaxWork = 3'000'000;  // visits of nodes, about 0.1 s
  enum class Kind : std::uint8_t { split, at_start, at_end, set };
  struct Node {
    Kind kind;
    Id out = kNone, other = kNone;  // `other` for split only
    std::uint32_t set = 0;
  };

  RegexAutomaton(std::vector<RegexNode> syntax, const std::string& place) : place_(place), syntax_(std::move(syntax)) {
    accept_ = add({Kind::split});
    start_ = build(static_cast<Id>(syntax_.size() - 1), accept_);
  }

  Id add(Node node) {
    if (nodes_.size() == kMaxNodes)
      refuse(place_ + " position 0: the pattern is too large: more than " + std::to_string(kMaxNodes) + " states");
    nodes_.push_back(node);
    return static_cast<Id>(nodes_.size() - 1);
  }

  // the automaton of one node, built from its end: returns where to enter it
  Id build(Id syntax, Id then) {
    const RegexNode& node = syntax_[syntax];
    switch (node.kind) {
      case RegexNode::Kind::empty:
        return then;
      case RegexNode::Kind::set:
        return add({Kind::set, then, kNone, syntax});
      case RegexNode::Kind::at_start:
        return add({Kind::at_start, then});
      case RegexNode::Kind::at_end:
        return add({Kind::at_end, then});
      case RegexNode::Kind::sequence:
        for (std::size_t i = node.children.size(); i-- > 0;) then = build(node.children[i], then);
        return then;
      case RegexNode::Kind::alternatives: {
        Id entry = build(node.children.back(), then);
        for (std::size_t i = node.children.size() - 1; i-- > 0;)
          entry = add({Kind::split, build(node.children[i], then), entry});
        return entry;
      }
      case RegexNode::Kind::repeat:
        break;
    }
    const Id child = node.children[0];
    if (node.most == RegexNode::kEndless) {
      const Id loop = add({Kind::split, kNone, then});
      const Id body = build(child, loop);
      nodes_[loop].out = body;
      then = loop;
    } else {
      const Id exit = then;
      for (std::uint32_t i = node.least; i < node.most; ++i) then = add({Kind::split, build(child, then), exit});
    }
    for (std::uint32_t i = 0; i < node.least; ++i) then = build(child, then);
    return then;
  }

  // sets of nodes may be many and large at once
  void count_work(std::size_t visits) {
    work_done_ += visits;
    if (work_done_ > kMaxWork) refuse(place_ + " position 0: the pattern is too large: too many ways to match it");
  }

  // adds what can be reached without reading; sorted sets are the states of the deterministic automaton
  std::vector<Id> closure(std::vector<Id> work, bool at_start, bool at_end) {
    std::vector<Id> out;
    if (seen_.size() < nodes_.size()) seen_.resize(nodes_.size());
    while (!work.empty()) {
      const Id id = work.back();
      work.pop_back();
      if (id == kNone || seen_[id]) continue;
      seen_[id] = true;
      out.push_back(id);
      const Node& node = nodes_[id];
      if (node.kind == Kind::split || (node.kind == Kind::at_start && at_start) ||
          (node.kind == Kind::at_end && at_end)) {
        work.push_back(node.out);
        work.push_back(node.other);
      }
    }
    for (Id id : out) seen_[id] = false;
    count_work(out.size());
    // what neither reads nor asserts only led here
    std::erase_if(out, [&](Id id) { return nodes_[id].kind == Kind::split && id != accept_; });
    std::sort(out.begin(), out.end());
    return out;
  }

  Dfa determinize(Match match) {
    const std::uint32_t any_set = static_cast<std::uint32_t>(syntax_.size());
    if (match == Match::part) {
      syntax_.push_back({.kind = RegexNode::Kind::set, .set = CodePointSet::all()});
      const Id loop = add({Kind::split, kNone, start_});
      const Id any = add({Kind::set, loop, kNone, any_set});
      nodes_[loop].out = any;
      start_ = loop;
    }
    std::vector<char32_t> cuts;
    std::vector<std::uint32_t> sets;
    for (const Node& node : nodes_)
      if (node.kind == Kind::set) sets.push_back(node.set);
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    for (std::uint32_t set : sets)
      for (const CodePointSet::Range& range : syntax_[set].set.ranges())
        cuts.insert(cuts.end(), {range.lo, range.hi + 1});
    Alphabet alphabet = Alphabet::make(std::move(cuts), [&](char32_t c) {
      std::vector<bool> in;
      for (std::uint32_t set : sets) in.push_back(syntax_[set].set.contains(c));
      return in;
    });
    std::vector<char32_t> example(static_cast<std::size_t>(alphabet.size));
    for (std::size_t i = 0; i < alphabet.starts.size(); ++i)
      if (alphabet.symbol[i] >= 0) example[static_cast<std::size_t>(alphabet.symbol[i])] = alphabet.starts[i];
    std::vector<std::vector<bool>> reads(syntax_.size());
    for (std::uint32_t set : sets)
      for (char32_t c : example) reads[set].push_back(syntax_[set].set.contains(c));

    struct Key {
      std::vector<Id> nodes;
      bool at_start;
      auto operator<=>(const Key&) const = default;
    };
    // once a part has matched, whatever follows is accepted: one state for all of that
    const auto finished = [&](const std::vector<Id>& nodes) {
      return match == Match::part && std::binary_search(nodes.begin(), nodes.end(), accept_);
    };
    const auto step = [&](const Key& key, std::int32_t symbol) -> std::optional<Key> {
      if (finished(key.nodes)) return Key{{accept_}, false};
      count_work(key.nodes.size());
      std::vector<Id> to;
      for (Id id : key.nodes)
        if (nodes_[id].kind == Kind::set && reads[nodes_[id].set][static_cast<std::size_t>(symbol)])
          to.push_back(nodes_[id].out);
      Key next{closure(std::move(to), false, false), false};
      if (finished(next.nodes)) next.nodes = {accept_};
      if (next.nodes.empty()) return std::nullopt;
      return next;
    };
    const auto accept = [&](const Key& key) {
      const std::vector<Id> end = closure(key.nodes, key.at_start, true);
      return std::binary_search(end.begin(), end.end(), accept_);
    };
    const bool asserts =
        std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.kind == Kind::at_start; });
    return explore(std::move(alphabet), Key{closure({start_}, true, false), asserts}, step, accept,
                   place_ + " position 0: the pattern");
  }

  const std::string& place_;
  std::vector<RegexNode> syntax_;
  std::vector<Node> nodes_;
  std::vector<bool> seen_;
  std::size_t work_done_ = 0;
  Id start_ = kNone, accept_ = kNone;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
