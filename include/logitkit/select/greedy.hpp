// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The largest logit, lowest id on ties. Where no log-probability is asked for, what cannot change that is not done:
/// truncations right before it are skipped, and survivors are counted only in a compact list; `Pick::survivors` is 0
/// where they were not.
///   cost   one reading
///   as in  argmax everywhere; never a small temperature
struct Greedy {
  static constexpr std::string_view kType = "greedy";
  static constexpr std::string_view kSummary = "takes the largest logit";

  TokenId select(Candidates& candidates, const StepView&) const noexcept { return candidates.best(); }
};

LOGITKIT_NAMESPACE_END
