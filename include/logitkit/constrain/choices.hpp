// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/matcher.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Spells any of `texts` between `from` and `to`, sharing common beginnings.
inline void add_choices(GrammarBuilder& grammar, GrammarBuilder::NodeId from, std::vector<std::string> texts,
                        GrammarBuilder::NodeId to) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::vector<GrammarBuilder::NodeId> path{from};  // path[d]: the node after d bytes of the previous text
  std::string_view previous;
  for (const std::string& text : texts) {
    const auto common = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), previous.begin(), previous.end()).first - text.begin());
    path.resize(common + 1);
    for (char c : std::string_view(text).substr(common)) {
      path.push_back(grammar.node());
      grammar.byte(path[path.size() - 2], c, path.back());
    }
    grammar.empty(path.back(), to);
    previous = text;
  }
}

}  // namespace detail

/// One of these byte strings and nothing else. A choice that begins another one stays selectable: end ids stand beside
/// its continuation. Duplicates count once; an empty choice means that the text may end at once; an empty list is a
/// ConstraintError.
inline Constraint compile_choices(const Vocabulary& vocabulary, const std::vector<std::string>& choices) {
  if (choices.empty()) detail::refuse("choices: the list is empty");
  detail::GrammarBuilder grammar;
  const std::uint32_t root = grammar.rule("choices");
  detail::add_choices(grammar, grammar[root].start, choices, grammar[root].end);
  return detail::make_constraint(vocabulary, grammar, root, "choices");
}

LOGITKIT_NAMESPACE_END
