// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/describe.hpp"
#include "logitkit/trace/explain.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What one step did to the candidates.
struct StepTrace {
  int step = -1;            ///< index in the chain; -1: the row as it came
  std::string type;         ///< JSON type; "row" for the row
  std::string description;  ///< as describe(step): type, parameters, what it does
  std::string rule;         ///< what it does: why the removed ones are gone
  Fields parameters;        ///< all, defaults written out
  std::size_t candidates_before = 0;
  std::size_t candidates_after = 0;
  std::size_t changed = 0;  ///< candidates that stayed with another logit
  double mass_removed = 0;  ///< probability, before the step, of the tokens that it removed
  double entropy = 0;       ///< in nats, after it
  bool argmax_changed = false;
  std::vector<TokenShare> top;      ///< the first of the total order, after it
  std::vector<TokenShare> removed;  ///< the likeliest of those that it removed, as they were before it
};

/// One pick, step by step.
struct Trace {
  Spec spec;                     ///< the steps and the selector
  std::vector<StepTrace> steps;  ///< the row, then each step that ran
  Explanation draw;              ///< the pick and how it came about
  const Pick& pick() const { return draw.pick; }
};

struct TraceOptions {
  std::size_t top = 10;           ///< tokens listed per step
  LogitsView unconditional = {};  ///< as in PickOptions
  TokenText text = {};            ///< texts of the tokens
};

namespace detail {

inline StepTrace trace_row(const Distribution& after, const TraceOptions& options) {
  StepTrace t;
  t.type = "row";
  t.description = "row: the logits as they came";
  t.rule = "masked in the row";
  t.candidates_before = after.size();
  t.candidates_after = after.candidates();
  t.entropy = after.entropy();
  t.top = after.top(options.top, options.text);
  return t;
}

inline StepTrace trace_step(int index, const Step& step, const Distribution& before, const Distribution& after,
                            const TraceOptions& options) {
  StepTrace t;
  t.step = index;
  t.type = step.type();
  t.description = describe(step);
  t.rule = step.summary();
  t.parameters = step.fields();
  t.candidates_before = before.candidates();
  t.candidates_after = after.candidates();
  for (std::size_t id = 0; id < after.size(); ++id) {
    if (before.holds(id) && !after.holds(id)) t.mass_removed += before.probability(id);
    if (before.holds(id) && after.holds(id) && before.logits()[id] != after.logits()[id]) ++t.changed;
  }
  t.entropy = after.entropy();
  t.argmax_changed = before.best() != after.best();
  t.top = after.top(options.top, options.text);
  t.removed = before.top(options.top, options.text, [&](std::size_t id) { return !after.holds(id); });
  return t;
}

/// trace(), which also hands the candidates before the first step (-1) and after each to keep(step, distribution).
template <class Keep>
Trace trace_with(const Pipeline& pipeline, LogitsView row, const Request& request, const TraceOptions& options,
                 Keep keep) {
  const FloatEnvironment plain;
  const PickOptions how{.logprob = true, .unconditional = options.unconditional};
  Trace result{pipeline.spec(), {}, {}};
  Distribution last;
  const Pick pick = pipeline.pick(row, request, how, request.workspace(), [&](int step, const Candidates& candidates) {
    Distribution now(candidates);
    result.steps.push_back(step < 0
                               ? trace_row(now, options)
                               : trace_step(step, result.spec[static_cast<std::size_t>(step)], last, now, options));
    keep(step, now);
    last = std::move(now);
  });
  result.draw =
      explain_pick(pipeline, pick, last, row, request, {.top = options.top, .unconditional = {}, .text = options.text});
  return result;
}

}  // namespace detail

/// Picks a token and writes down what every step did on the way. The pick is that of
/// `pipeline.pick(row, request, {.logprob = true})`, bit for bit; the request is not changed.
///   edge  a failing pick has the steps up to the one that failed, and its status in pick()
///   cost  about 10 ms a step for V of 150,000; a pick that is not traced pays nothing
inline Trace trace(const Pipeline& pipeline, LogitsView row, const Request& request, const TraceOptions& options = {}) {
  return detail::trace_with(pipeline, row, request, options, [](int, const detail::Distribution&) {});
}

LOGITKIT_NAMESPACE_END
