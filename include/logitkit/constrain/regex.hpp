// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

#include "logitkit/constrain/matcher.hpp"
#include "logitkit/constrain/regex_automaton.hpp"
#include "logitkit/constrain/text_automaton.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Texts that match `pattern` as a whole. The pattern and the texts are UTF-8; `.`, classes and counts mean code
/// points.
///
///   offers   literals, `.` (no line terminator: \n, \r, U+2028, U+2029), classes with ranges and negation;
///            \d \w \s (ASCII digits and letters, ECMAScript's white space) and their complements;
///            \t \n \r \f \v \0 \xHH \uHHHH \u{H...}; groups, (?:...), named groups, |, * + ? {m} {m,} {m,n} and
///            their lazy forms (same language); ^ and $ (beginning and end of the text)
///   refuses  look-around, back-references, \b, \p, inline flags, malformed or reversed bounds and ranges, "[]",
///            automata of more than 20,000 states: a ConstraintError that names construct and byte position
///   cost     builds the deterministic automaton over code points: linear in the pattern, but for unlucky alternatives
inline Constraint compile_regex(const Vocabulary& vocabulary, std::string_view pattern) {
  detail::GrammarBuilder grammar;
  const std::uint32_t root = grammar.rule("pattern");
  const detail::Dfa dfa = detail::RegexAutomaton::build(pattern, detail::RegexAutomaton::Match::whole);
  detail::TextAutomaton::add_text(grammar, grammar[root].start, dfa, grammar[root].end);
  return detail::make_constraint(vocabulary, grammar, root, "pattern position 0");
}

LOGITKIT_NAMESPACE_END
