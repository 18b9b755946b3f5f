// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/constrain/choices.hpp"
#include "logitkit/constrain/json_layout.hpp"
#include "logitkit/constrain/matcher.hpp"
#include "logitkit/constrain/regex_automaton.hpp"
#include "logitkit/constrain/text_automaton.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// The rules of JSON itself, each built when it is first asked for.
class JsonText {
 public:
  using NodeId = GrammarBuilder::NodeId;
  using Rule = std::uint32_t;

  JsonText(GrammarBuilder& grammar, Whitespace whitespace) : layout(grammar, whitespace), grammar_(grammar) {}

  JsonLayout layout;

  /// -?(0|[1-9][0-9]*): no fraction, no exponent.
  Rule integer() {
    return once("integer", [&](Rule rule) { number_rule(rule, "-?(0|[1-9][0-9]*)"); });
  }
  Rule number() {
    return once("number", [&](Rule rule) { number_rule(rule, "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?"); });
  }
  Rule boolean() {
    return once("boolean", [&](Rule rule) {
      add_choices(grammar_, grammar_[rule].start, {"true", "false"}, grammar_[rule].end);
    });
  }
  Rule null() {
    return once("null", [&](Rule rule) { add_choices(grammar_, grammar_[rule].start, {"null"}, grammar_[rule].end); });
  }
  Rule string(LengthBounds bounds = {}) {
    std::string name = "string";
    if (bounds != LengthBounds()) name += " of " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most);
    return once(name, [&](Rule rule) {
      TextAutomaton::add_json_string(grammar_, grammar_[rule].start, any_text(), bounds, grammar_[rule].end);
    });
  }
  /// Any value whose containers begin at `depth`.
  Rule value(int depth) {
    return once("value at " + std::to_string(depth), [&](Rule rule) {
      for (Rule each : {string(), number(), boolean(), null()}) alternative(rule, each);
      if (layout.too_deep(depth)) return;
      alternative(rule, object(depth));
      alternative(rule, array(depth));
    });
  }
  Rule object(int depth) {
    return once("object at " + std::to_string(depth), [&](Rule rule) {
      layout.object(grammar_[rule].start, {}, {member(string(), value(layout.deeper(depth)))}, {}, depth,
                    grammar_[rule].end);
    });
  }
  Rule array(int depth) {
    return once("array at " + std::to_string(depth), [&](Rule rule) {
      layout.array(grammar_[rule].start, {}, value(layout.deeper(depth)), {}, depth, grammar_[rule].end);
    });
  }
  Rule member(Rule key, Rule value) {
    const Rule rule = grammar_.rule("member");
    const NodeId after_key = grammar_.node();
    grammar_.call(grammar_[rule].start, key, after_key);
    grammar_.call(layout.colon(after_key), value, grammar_[rule].end);
    return rule;
  }
  void alternative(Rule rule, Rule called) { grammar_.call(grammar_[rule].start, called, grammar_[rule].end); }

 private:
  template <class Build>
  Rule once(const std::string& name, const Build& build) {
    const auto [found, fresh] = rules_.try_emplace(name, 0);
    if (!fresh) return found->second;
    const Rule rule = found->second = grammar_.rule(name);  // known before it is built: rules are recursive
    build(rule);
    return rule;
  }
  void number_rule(Rule rule, const char* pattern) {
    TextAutomaton::add_text(grammar_, grammar_[rule].start,
                            RegexAutomaton::build(pattern, RegexAutomaton::Match::whole), grammar_[rule].end);
  }

  GrammarBuilder& grammar_;
  std::map<std::string, Rule> rules_;
};

}  // namespace detail

/// Any JSON value ("JSON mode"). Strings are valid UTF-8, lone surrogate escapes are refused; nesting is bounded by
/// memory only (but see Whitespace::pretty).
inline Constraint compile_json(const Vocabulary& vocabulary, Whitespace whitespace = Whitespace::flexible(1)) {
  detail::GrammarBuilder grammar;
  detail::JsonText json(grammar, whitespace);
  const std::uint32_t root = json.value(0);
  return detail::make_constraint(vocabulary, grammar, root, "JSON");
}

LOGITKIT_NAMESPACE_END
