// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "logitkit/core/logits.hpp"
#include "logitkit/random/uniform.hpp"
#include "logitkit/state/request.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What a step may see besides the candidates. A step is a pure function of the two.
class StepView {
 public:
  StepView(const Request& request, LogitsView unconditional, std::size_t vocabulary_size, Workspace& workspace)
      : request_(&request), unconditional_(unconditional), vocabulary_size_(vocabulary_size), workspace_(&workspace) {}

  std::span<const TokenId> prompt() const { return request_->prompt(); }
  std::span<const TokenId> output() const { return request_->output(); }
  /// Prompt length + output length: the position of the token that is being chosen.
  std::size_t position() const { return request_->position(); }
  std::span<const TokenId> end_ids() const { return request_->end_ids(); }
  /// The row of the unconditional prompt (guidance); empty if none was given.
  LogitsView unconditional() const { return unconditional_; }
  /// Ids at and past it are never chosen.
  std::size_t vocabulary_size() const { return vocabulary_size_; }
  /// The draw-th uniform in [0, 1) of this position; numbers by purpose in random/uniform.hpp. Custom steps take theirs
  /// from 0x4000 on.
  double uniform(std::uint32_t draw) const {
    return logitkit::uniform(request_->seed(), request_->stream(), static_cast<std::uint32_t>(position()), draw);
  }

  const TokenCounts& prompt_counts() const { return request_->prompt_counts(); }
  const TokenCounts& output_counts() const { return request_->output_counts(); }
  /// Scratch, for counts of a window.
  Workspace& workspace() const { return *workspace_; }

 private:
  const Request* request_;
  LogitsView unconditional_;
  std::size_t vocabulary_size_;
  Workspace* workspace_;
};

LOGITKIT_NAMESPACE_END
