// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The largest logit, lowest id on ties. Truncations right before it that keep the best are skipped when no
/// log-probability is asked for; `Pick::survivors` is 0 then.
///   cost   one reading
///   as in  argmax everywhere; never a small temperature
struct Greedy {
  static constexpr std::string_view kType = "greedy";
  static constexpr std::string_view kSummary = "takes the largest logit";

  TokenId select(Candidates& candidates, const StepView&) const noexcept { return candidates.best(); }
};

LOGITKIT_NAMESPACE_END
