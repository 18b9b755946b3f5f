// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <vector>

#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A sequence that a search has come up with.
struct Hypothesis {
  std::vector<TokenId> tokens;       ///< generated ones only, a closing end id included
  double score = 0;                  ///< sum_logprob by the length rule, at its present length
  double sum_logprob = 0;            ///< step_logprobs, added in order in double
  std::vector<float> step_logprobs;  ///< one per token, on the scale of BeamScores
  bool finished = false;             ///< ended by an end id; false: live, or cut at the length limit
};

/// How a live hypothesis came about: which of the previous ones it continues, and with what.
struct BeamMove {
  std::size_t parent = 0;  ///< index in the previous live()
  TokenId token = kNoToken;
  bool operator==(const BeamMove&) const = default;
};

LOGITKIT_NAMESPACE_END
