// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Replaces every logit by its log-probability: x - ln(sum of exp), in double, rounded once.
///   domain  logits -> log-probabilities; the distribution stays, penalties that follow see numbers <= 0
///   edge    -inf stays -inf
///   cost    one reading with an exp per logit; nothing is written on a whole row
///   as in   HF logit normalization, and what beam search scores
struct LogSoftmax {
  static constexpr std::string_view kType = "log_softmax";
  static constexpr std::string_view kSummary = "replaces logits by log-probabilities";
  static constexpr StepTraits kTraits{.ranks = true};

  void operator()(Candidates& candidates, const StepView&) const noexcept { candidates.normalise(); }
};

LOGITKIT_NAMESPACE_END
