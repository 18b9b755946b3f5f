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
  // one node per beginning of a beginning; a whole beginning is the node of its body
  void build_states(const std::map<std::string, NodeId>& bodies) {
    std::map<std::string, std::size_t> states{{"", 0}};
    std::vector<std::string> texts{""};
    for (const auto& [begin, body] : bodies)
      for (std::size_t n = 1; n < begin.size(); ++n)
        if (states.try_emplace(begin.substr(0, n), texts.size()).second) texts.push_back(begin.substr(0, n));
    for (std::size_t i = 0; i < texts.size(); ++i) nodes_.push_back(grammar_.node());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::array<NodeId, 256> to{};
      for (unsigned b = 0; b < 256; ++b) {
        // the longest end of what was read that begins a tag
        std::string text = texts[i] + static_cast<char>(static_cast<unsigned char>(b));
        for (;; text.erase(0, 1)) {
          const auto body = bodies.find(text);
          const auto state = states.find(text);
          if (body == bodies.end() && state == states.end()) continue;
          to[b] = body != bodies.end() ? body->second : nodes_[state->second];
          break;
        }
      }
      for (unsigned b = 0; b < 256;) {
        unsigned last = b;
        while (last < 255 && to[last + 1] == to[b]) ++last;
        grammar_.bytes(nodes_[i], static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(last), to[b]);
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
/// spelling; other special tokens are not allowed. Throws ConstraintError for an empty list or beginning, and for a
/// beginning that contains another one: it could never complete.
inline Constraint compile_tags(const Vocabulary& vocabulary, const std::vector<Tag>& tags) {
  if (tags.empty()) detail::refuse("tags: the list is empty");
  for (const Tag& tag : tags) {
    if (tag.begin.empty()) detail::refuse("tags: a tag without a beginning");
    for (const Tag& other : tags)
      if (tag.begin != other.begin && tag.begin.find(other.begin) != std::string::npos)
        detail::refuse("tags: \"" + other.begin + "\" is contained in \"" + tag.begin + '"');
  }
  detail::GrammarBuilder grammar;
  const detail::TagText text(grammar, vocabulary, tags);
  return detail::make_constraint(vocabulary, grammar, text.root(), "tags");
}

LOGITKIT_NAMESPACE_END
