// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <limits>
#include <string>

#include "logitkit/core/error.hpp"
#include "logitkit/core/token.hpp"
#include "logitkit/state/running_values.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What one decode step chose, or why it chose nothing. A value; picking does not change the request, accept() does.
struct Pick {
  TokenId token = kNoToken;    ///< the token, kNoToken unless status is ok
  Status status = Status::ok;  ///< what became of the step
  int step = -1;               ///< index in the chain of the step that failed; -1: the row, or nothing failed
  TokenId id = kNoToken;       ///< the id that message() names, kNoToken if none
  std::size_t survivors = 0;   ///< candidates that reached the selector; 0 where Greedy did not need to count them
  /// Natural log of the token's probability among the survivors; NaN unless PickOptions::logprob asked for it.
  float logprob = std::numeric_limits<float>::quiet_NaN();
  std::size_t rank = 0;        ///< 1 + number of survivors ranked before the token; 0 unless logprob was asked for
  bool exact = true;           ///< false only for a sparse row that does not determine the result
  const char* step_type = "";  ///< JSON type of the step that failed, for the message
  RunningValues running = {};  ///< opaque: what stateful steps will remember once the pick is accepted

  explicit operator bool() const { return status == Status::ok; }

  /// One sentence: status, step and id.
  std::string message() const {
    std::string text(name(status));
    if (step >= 0) text += " in step " + std::to_string(step) + " (" + step_type + ")";
    if (id != kNoToken) text += ", id " + std::to_string(id);
    switch (status) {
      case Status::ok:
        return text;
      case Status::invalid_logits:
        return text + ": the row holds a NaN or +inf; allowed are finite logits and -inf";
      case Status::no_candidates:
        return text + ": every token is masked";
      case Status::overflow:
        return text + ": a finite logit became +inf or NaN";
      case Status::id_out_of_range:
        return text + ": ids in parameters must be at least 0 and below the row's width";
      case Status::width_mismatch:
        return text + (step >= 0 ? ": what came with the row (an unconditional row, noise) is not as wide"
                                 : ": the row is not as wide as the pipeline was built for");
      case Status::constraint_not_applied:
        return text + ": the request has a constraint, the chain no AllowMask step to apply it";
      case Status::constraint_refused:
        return text + ": the constraint does not allow this";
      case Status::unsupported:
        return text + ": this combination is not offered, or the request lacks what the step needs";
      case Status::needs_full_row:
        return text + ": the sparse row does not determine the result";
      case Status::step_threw:
        return text + ": a custom step let an exception escape";
    }
    return text;
  }
};

LOGITKIT_NAMESPACE_END
