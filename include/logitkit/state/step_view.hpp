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
  /// `running` are the values of the pick that is being made.
  StepView(const Request& request, LogitsView unconditional, std::size_t vocabulary_size, Workspace& workspace,
           RunningValues& running)
      : request_(&request),
        unconditional_(unconditional),
        vocabulary_size_(vocabulary_size),
        workspace_(&workspace),
        running_(&running) {}

  std::span<const TokenId> prompt() const { return request_->prompt(); }
  std::span<const TokenId> output() const { return request_->output(); }
  /// Prompt length + output length: the position of the token that is being chosen.
  std::size_t position() const { return request_->position(); }
  std::span<const TokenId> end_ids() const { return request_->end_ids(); }
  /// The output's length limit, 0 if the request does not know it.
  std::size_t max_new_tokens() const { return request_->max_new_tokens(); }
  /// The request's constraint, null if it has none. A step that asks is taken to apply it.
  const ConstraintState* constraint() const {
    constraint_was_asked_for_ = true;
    return request_->constraint();
  }
  /// The row of the unconditional prompt (guidance); empty if none was given.
  LogitsView unconditional() const { return unconditional_; }
  /// Ids at and past it are never chosen.
  std::size_t vocabulary_size() const { return vocabulary_size_; }
  /// The draw-th uniform in [0, 1) of this position; numbers by purpose in random/uniform.hpp. Custom steps take theirs
  /// from 0x4000 on.
  double uniform(std::uint32_t draw) const {
    return logitkit::uniform(request_->seed(), request_->stream(), static_cast<std::uint32_t>(position()), draw);
  }

  /// The uniforms of ids 2 * pair and 2 * pair + 1 in a race at this position.
  std::array<double, 2> race_uniforms(std::uint32_t pair) const {
    return logitkit::race_uniforms(request_->seed(), request_->stream(), static_cast<std::uint32_t>(position()), pair);
  }

  const TokenCounts& prompt_counts() const { return request_->prompt_counts(); }
  const TokenCounts& output_counts() const { return request_->output_counts(); }
  /// Prompt and output with the positions of equal tokens linked.
  History history() const { return request_->history(); }
  /// Scratch, for counts of a window.
  Workspace& workspace() const { return *workspace_; }

  /// What this step remembers: as committed by the last accepted pick, or fresh; what is written travels in the pick.
  /// Only for steps with the trait `remembers`.
  RunningValue& running() const { return (*running_)[running_->slot(step_)]; }
  /// A generator seeded with `seed` after the words that this step drew so far.
  std::mt19937 generator(std::uint32_t seed) const {
    const std::size_t slot = running_->slot(step_);
    std::vector<detail::MersenneTwister>& kept = workspace_->twisters;
    if (kept.size() <= slot) kept.resize(slot + 1);
    return kept[slot].at(seed, (*running_)[slot].words);
  }
  /// Number of steps before this one that have the trait `draws`.
  std::uint32_t draws_before() const { return draws_before_; }

  // The pipeline's side.

  void enter(int step, std::uint32_t draws_before) {
    step_ = step;
    draws_before_ = draws_before;
  }
  bool constraint_is_ignored() const { return request_->constraint() != nullptr && !constraint_was_asked_for_; }

 private:
  const Request* request_;
  LogitsView unconditional_;
  std::size_t vocabulary_size_;
  Workspace* workspace_;
  RunningValues* running_;
  int step_ = 0;
  std::uint32_t draws_before_ = 0;
  mutable bool constraint_was_asked_for_ = false;
};

LOGITKIT_NAMESPACE_END
