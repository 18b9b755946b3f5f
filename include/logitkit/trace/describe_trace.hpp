// SPDX-License-Identifier: MIT
#pragma once
#include <cstdlib>

#include "logitkit/trace/text_table.hpp"
#include "logitkit/trace/trace.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

inline std::string token_text(const TokenShare& share) {
  return std::to_string(share.token) + (share.text.empty() ? "" : " " + in_quotes(share.text));
}

/// Where the uniform fell, and what that means.
inline std::string draw_text(const Explanation& e, const TextStyle& style) {
  const Ink ink(style);
  if (!e) return ink.red("no token: " + e.pick.message()) + "\n";
  const auto chosen = std::find_if(e.nearby.begin(), e.nearby.end(),
                                   [&](const TokenInterval& i) { return i.token.token == e.pick.token; });
  std::string name = std::to_string(e.pick.token);
  if (chosen != e.nearby.end()) name = token_text(chosen->token);
  for (const TokenShare& share : e.top)
    if (share.token == e.pick.token) name = token_text(share);
  const double p = math::exp(static_cast<double>(e.pick.logprob));
  std::string text = ink.bold("token " + name) + ": probability " + digits(p, 4) + ", rank " +
                     std::to_string(e.pick.rank) + " of " + std::to_string(e.pick.survivors) + ", by " + e.selector +
                     "\n";
  if (!std::isnan(e.uniform)) {
    text += "u = " + digits(e.uniform, 6) + " (seed " + std::to_string(e.seed) + ", stream " +
            std::to_string(e.stream) + ", position " + std::to_string(e.position) + ") fell into\n";
    TextTable table({"", "token", "from", "to"});
    for (const TokenInterval& i : e.nearby)
      table.row({i.token.token == e.pick.token ? ">" : "", token_text(i.token), digits(i.low, 6), digits(i.high, 6)});
    text += table.text(style);
  } else {
    text += "the best is " + digits(e.margin, 4) + " above the second\n";
  }
  if (std::isnan(e.flip_distance)) return text;
  return text + (std::isinf(e.flip_distance)
                     ? "no change of the logits brings another token\n"
                     : "another token needs logits that move by " + digits(e.flip_distance, 6) + " or more\n");
}

}  // namespace detail

/// A trace for people: one line a step, the likeliest tokens after each step that did something, what was masked and by
/// which rule, and the draw.
inline std::string describe(const Trace& trace, const TextStyle& style = {}) {
  const detail::Ink ink(style);
  detail::TextTable table({"", "step", "before", "after", "mass removed", "entropy", "changed", "argmax"});
  for (const StepTrace& t : trace.steps)
    table.row({t.step < 0 ? "" : std::to_string(t.step), detail::short_step(t.type, t.parameters),
               std::to_string(t.candidates_before), std::to_string(t.candidates_after),
               detail::digits(t.mass_removed, 6), detail::digits(t.entropy, 4), std::to_string(t.changed),
               t.argmax_changed ? "changed" : ""});
  std::string text = table.text(style);

  for (const StepTrace& t : trace.steps) {
    if (t.step >= 0 && t.candidates_before == t.candidates_after && t.changed == 0) continue;
    text += "\n" + ink.bold(t.step < 0 ? "the row" : "after " + std::to_string(t.step) + " " + t.type) + "\n";
    detail::TextTable top({"rank", "token", "logit", "probability"});
    for (const TokenShare& s : t.top)
      top.row({std::to_string(s.rank), detail::token_text(s), detail::digits(static_cast<double>(s.logit), 4),
               detail::digits(s.probability, 6)});
    text += top.text(style);
    if (t.removed.empty()) continue;
    text += std::to_string(t.candidates_before - std::min(t.candidates_before, t.candidates_after)) + " removed, " +
            t.rule + ":";
    for (const TokenShare& s : t.removed) text += " " + detail::token_text(s);
    text +=
        t.removed.size() < t.candidates_before - std::min(t.candidates_before, t.candidates_after) ? " ...\n" : "\n";
  }
  return text + "\n" + detail::draw_text(trace.draw, style);
}

/// An explanation for people.
inline std::string describe(const Explanation& explanation, const TextStyle& style = {}) {
  return detail::draw_text(explanation, style);
}

LOGITKIT_NAMESPACE_END
