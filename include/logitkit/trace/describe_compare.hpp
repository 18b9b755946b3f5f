// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/trace/batch_sensitivity.hpp"
#include "logitkit/trace/compare.hpp"
#include "logitkit/trace/describe_trace.hpp"
#include "logitkit/trace/sweep.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A comparison for people: one line a spec, then for each two how far they are apart and why.
inline std::string describe(const Comparison& comparison, const TextStyle& style = {}) {
  const detail::Ink ink(style);
  detail::TextTable table({"spec", "survivors", "entropy", "token", "probability", "best"});
  for (const ComparedSpec& spec : comparison.specs) {
    const Explanation& e = spec.trace.draw;
    if (!e) {
      table.row({spec.name, "0", "", "none", "", e.pick.message()});
      continue;
    }
    table.row({spec.name, std::to_string(e.pick.survivors), detail::digits(spec.trace.steps.back().entropy, 4),
               std::to_string(e.pick.token), detail::digits(detail::math::exp(static_cast<double>(e.pick.logprob)), 4),
               e.top.empty() ? "" : detail::token_text(e.top.front())});
  }
  std::string text = table.text(style);
  for (const SpecDifference& d : comparison.pairs) {
    const ComparedSpec &a = comparison.specs[d.a], &b = comparison.specs[d.b];
    text += "\n" + ink.bold(a.name + " and " + b.name) + "\n" + d.why + "\n";
    if (d.cause == Cause::none || d.cause == Cause::selector || d.cause == Cause::failure) continue;
    text += "total variation " + detail::digits(d.total_variation, 4) + ", KL " + detail::digits(d.kl_ab, 4) + " and " +
            detail::digits(d.kl_ba, 4) + "\n";
    const auto step = [](const ComparedSpec& spec, int at) {
      return spec.name + (at < 0 ? " changes nothing more"
                                 : " at step " + std::to_string(at) + " (" +
                                       std::string(spec.trace.spec[static_cast<std::size_t>(at)].type()) + ")");
    };
    text += "they part: " + step(a, d.step_a) + ", " + step(b, d.step_b) + "\n";
    const auto only = [&](const ComparedSpec& spec, const std::vector<TokenShare>& tokens, std::size_t count) {
      if (count == 0) return;
      text += "only " + spec.name + " keeps " + std::to_string(count) + ":";
      for (const TokenShare& share : tokens) text += " " + detail::token_text(share);
      text += tokens.size() < count ? " ...\n" : "\n";
    };
    only(a, d.only_a, d.only_a_count);
    only(b, d.only_b, d.only_b_count);
  }
  return text;
}

/// A sweep as a table: a line a value, survivors and entropy of each curve.
inline std::string describe(const Sweep& sweep, const TextStyle& style = {}) {
  std::vector<std::string> heads = {sweep.key};
  for (const SweepCurve& curve : sweep.curves) {
    heads.push_back(curve.name);
    heads.push_back("entropy");
  }
  detail::TextTable table(heads);
  for (std::size_t i = 0; !sweep.curves.empty() && i < sweep.curves.front().points.size(); ++i) {
    std::vector<std::string> cells = {detail::number_text(sweep.curves.front().points[i].value)};
    for (const SweepCurve& curve : sweep.curves) {
      const SweepPoint& point = curve.points[i];
      const bool is_ok = point.status == Status::ok;
      cells.push_back(is_ok ? std::to_string(point.survivors) : std::string(name(point.status)));
      cells.push_back(is_ok ? detail::digits(point.entropy, 4) : "");
    }
    table.row(cells);
  }
  return table.text(style);
}

/// What two recordings of the same steps differ in, in sentences.
inline std::string describe(const BatchSensitivity& s) {
  const std::string of_rows = " of " + std::to_string(s.rows) + " rows";
  if (s.largest_token == kNoToken) return "all" + of_rows.substr(3) + " are equal\n";
  const auto line = [&](const std::string& what, std::size_t differences, std::size_t first, std::size_t near_ties) {
    return what + " differs in " + std::to_string(differences) + of_rows +
           (differences == 0 ? "" : ", first in row " + std::to_string(first)) + "; " + std::to_string(near_ties) +
           " are within that of a tie\n";
  };
  return "largest logit difference " + detail::number_text(s.largest_difference) + ", row " +
         std::to_string(s.largest_at) + ", id " + std::to_string(s.largest_token) + "\n" +
         line("greedy", s.greedy_differences, s.first_greedy, s.greedy_near_ties) +
         line("the pipeline", s.draw_differences, s.first_draw, s.draw_near_ties);
}

LOGITKIT_NAMESPACE_END
