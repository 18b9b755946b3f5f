// SPDX-License-Identifier: MIT
#pragma once
#include <span>

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

/// Opens the row and runs the steps in order until one fails.
inline Outcome run(std::span<const Step> steps, Candidates& candidates, LogitsView row, const Request& request,
                   std::size_t vocabulary_size, LogitsView unconditional, Workspace& workspace) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (const TokenId id = steps[i].id_past(row.size()); id != kNoToken)
      return {Status::id_out_of_range, static_cast<int>(i), id};
  if (candidates.open(workspace, row, vocabulary_size) != Status::ok)
    return {candidates.status(), -1, candidates.failed_id()};
  if (candidates.empty()) return {Status::no_candidates};
  const StepView view(request, unconditional, candidates.size(), workspace);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const int index = static_cast<int>(i);
    apply_guarded(steps[i], candidates, view);
    candidates.settle();
    if (candidates.status() != Status::ok) return {candidates.status(), index, candidates.failed_id()};
    if (candidates.empty()) return {Status::no_candidates, index};
  }
  return {};
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
