// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <type_traits>

#include "logitkit/numeric/float_environment.hpp"
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What one call may ask for besides the token.
struct PickOptions {
  bool logprob = false;           ///< fill Pick::logprob and rank; costs a sum over the survivors
  LogitsView unconditional = {};  ///< the row of the unconditional prompt, for guidance
};

namespace detail {

/// How a run of steps over one row ended.
struct Outcome {
  Status status = Status::ok;
  int step = -1;
  TokenId id = kNoToken;
};

/// Sees the candidates of a run: called with -1 before the first step, then with each step's index after it. It may
/// only look, so what comes out is the same with and without; this one costs nothing.
struct NoObserver {
  void operator()(int, const Candidates&) const {}
};

/// Runs one step; an exception of a custom one becomes a status.
inline void apply_guarded(const Step& step, Candidates& candidates, const StepView& view) {
#if defined(LOGITKIT_EXCEPTIONS)
  try {
    step.apply(candidates, view);
  } catch (...) {
    candidates.fail(Status::step_threw, kNoToken);
  }
#else
  step.apply(candidates, view);
#endif
}

/// Whether a step takes out NaN and +inf before another one ranks or sums, so that the row may hold them.
inline bool cleans_first(std::span<const Step> steps) {
  for (const Step& step : steps) {
    const StepTraits traits = step.traits();
    if (traits.cleans) return true;
    if (traits.truncates || traits.ranks) return false;
  }
  return false;
}

/// Whether the first step's mask can be looked at in the pass that reads the row.
inline bool allows_first(std::span<const Step> steps) {
  return !steps.empty() && steps.front().traits().only_allows && !cleans_first(steps);
}

/// Runs the steps in order, each by apply(step, view), until one fails.
template <class Apply, class Observe = NoObserver>
Outcome run_steps(std::span<const Step> steps, Candidates& candidates, const Request& request, LogitsView unconditional,
                  Workspace& workspace, RunningValues& running, Apply apply, const Observe& observe = {}) {
  if (!candidates.is_unread()) {
    observe(-1, candidates);
    if (candidates.empty()) return {Status::no_candidates};
  }
  StepView view(request, unconditional, candidates.size(), workspace, running);
  std::uint32_t draws = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const int index = static_cast<int>(i);
    view.enter(index, draws);
    apply(steps[i], view);
    candidates.settle();
    if (candidates.look() != Status::ok) return {candidates.look(), -1, candidates.failed_id()};
    if (candidates.status() != Status::ok) return {candidates.status(), index, candidates.failed_id()};
    observe(index, candidates);
    if (candidates.empty()) return {Status::no_candidates, index};
    draws += steps[i].traits().draws ? 1 : 0;
  }
  return {view.constraint_is_ignored() ? Status::constraint_not_applied : Status::ok};
}

/// The first parameter of a step that names an id past the row.
inline Outcome find_id_past(std::span<const Step> steps, std::size_t width) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (const TokenId id = steps[i].id_past(width); id != kNoToken)
      return {Status::id_out_of_range, static_cast<int>(i), id};
  return {};
}

/// Opens the row and runs the steps.
template <class Observe = NoObserver>
Outcome run(std::span<const Step> steps, Candidates& candidates, LogitsView row, const Request& request,
            std::size_t vocabulary_size, LogitsView unconditional, Workspace& workspace, RunningValues& running,
            const Observe& observe = {}) {
  if (const Outcome past = find_id_past(steps, row.size()); past.status != Status::ok) return past;
  if (std::is_same_v<Observe, NoObserver> && allows_first(steps))
    candidates.open_for_mask(workspace, row, vocabulary_size);
  else if (candidates.open(workspace, row, vocabulary_size) != Status::ok &&
           !(candidates.status() == Status::invalid_logits && cleans_first(steps) && candidates.set_invalid_aside()))
    return {candidates.status(), -1, candidates.failed_id()};
  return run_steps(
      steps, candidates, request, unconditional, workspace, running,
      [&](const Step& step, const StepView& view) { apply_guarded(step, candidates, view); }, observe);
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
