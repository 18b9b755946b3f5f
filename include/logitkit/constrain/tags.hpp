// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/constrain/matcher.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A stretch of constrained text within free text: after `begin` comes a text of `constraint`, then `end`.
struct Tag {
  std::string begin;
  Constraint constraint;
  std::string end;
};

namespace detail {

/// Free text that watches for the beginnings of tags: the automaton of Aho and Corasick over bytes.
class TagText {
 public:
  using NodeId = GrammarBuilder::NodeId;

  TagText(GrammarBuilder& grammar, const Vocabulary& vocabulary, const std::vector<Tag>& tags) : grammar_(grammar) {
    const std::uint32_t root = root_ = grammar.rule("tags");
    std::map<std::string, NodeId> bodies;
    for (const Tag& tag : tags) bodies.try_emplace(tag.begin, 0);
    for (auto& [begin, body] : bodies) body = grammar.node();
    build_states(bodies);
    for (NodeId node : nodes_) grammar.empty(node, grammar[root].end);
    grammar.empty(grammar[root].start, nodes_[0]);
    for (const Tag& tag : tags) {
      const NodeId after = grammar.node();
      grammar.call(bodies.at(tag.begin), grammar.import(tag.constraint.compiled()->grammar(), "tag " + tag.begin),
                   after);
      grammar.empty(grammar.literal(after, tag.end), nodes_[0]);
      if (const TokenId id = vocabulary.find_special(tag.end); id != kNoToken)
        grammar.token(after, id, false, nodes_[0]);
    }
    for (const auto& [begin, body] : bodies)
      if (const TokenId id = vocabulary.find_special(begin); id != kNoToken)
        for (NodeId node : nodes_) grammar.token(node, id, false, body);
  }
  std::uint32_t root() const { return root_; }

 private:
  struct State {
    NodeId node = 0;
    std::array<std::uint32_t, 256> to{};  // 0: the root
    std::uint32_t fallback = 0;           // the longest end of this state's text that is a state too
    bool whole = false;
  };

  // one state per beginning of a beginning; the node of a whole one is that of its body
  void build_states(const std::map<std::string, NodeId>& bodies) {
    std::vector<State> states(1);
    for (const auto& [begin, body] : bodies) {
      std::uint32_t at = 0;
      for (const char c : begin) {
        const auto byte = static_cast<unsigned char>(c);
        if (states[at].to[byte] == 0) {
          states[at].to[byte] = static_cast<std::uint32_t>(states.size());
          states.emplace_back();
        }
        at = states[at].to[byte];
      }
      states[at].node = body;
      states[at].whole = true;
    }
    for (State& state : states)
      if (!state.whole) nodes_.push_back(state.node = grammar_.node());
    std::vector<std::uint32_t> by_length{0};
    for (std::size_t i = 0; i < by_length.size(); ++i) {
      State& state = states[by_length[i]];
      if (state.whole) continue;
      const std::array<std::uint32_t, 256> fallback = states[state.fallback].to;
      for (unsigned b = 0; b < 256; ++b) {
        std::uint32_t& to = state.to[b];
        const std::uint32_t elsewhere = by_length[i] == 0 ? 0 : fallback[b];
        if (to == 0) {
          to = elsewhere;
        } else {
          states[to].fallback = elsewhere;
          by_length.push_back(to);
        }
      }
      for (unsigned b = 0; b < 256;) {
        unsigned last = b;
        while (last < 255 && state.to[last + 1] == state.to[b]) ++last;
        grammar_.bytes(state.node, static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(last),
                       states[state.to[b]].node);
        b = last + 1;
      }
    }
  }

  GrammarBuilder& grammar_;
  std::uint32_t root_ = 0;
  std::vector<NodeId> nodes_;
};

}  // namespace detail

/// Free text with tags in it, for tool calls: any bytes until some `begin` is complete, then that tag's constraint and
/// its `end`, then free text again. The text may end wherever it is free. Tags with the same `begin` are alternatives.
///
/// Where `begin` or `end` is the name of a special token (`<tool_call>` often is), that token counts as well as its
/// spelling; other special tokens are not allowed. Throws ConstraintError for an empty list, a beginning that is empty
/// or has more than 1,000 bytes, and one that contains another one: it could never complete.
inline Constraint compile_tags(const Vocabulary& vocabulary, const std::vector<Tag>& tags) {
  if (tags.empty()) detail::refuse("tags: the list is empty");
  for (const Tag& tag : tags) {
    if (tag.begin.empty()) detail::refuse("tags: a tag without a beginning");
    if (tag.begin.size() > 1000) detail::refuse("tags: a beginning of more than 1000 bytes");
    for (const Tag& other : tags)
      if (tag.begin != other.begin && tag.begin.find(other.begin) != std::string::npos)
        detail::refuse("tags: \"" + other.begin + "\" is contained in \"" + tag.begin + '"');
  }
  detail::GrammarBuilder grammar;
  const detail::TagText text(grammar, vocabulary, tags);
  return detail::make_constraint(vocabulary, grammar, text.root(), "tags");
}

LOGITKIT_NAMESPACE_END
