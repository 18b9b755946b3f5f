// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/chain.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A chain closed by a selector: row in, token out. Immutable, cheap to copy, shared by threads.
class Pipeline {
 public:
  template <Selector S>
  Pipeline(const S& selector)  // NOLINT(google-explicit-constructor): a selector alone is a pipeline
      : Pipeline(Chain{}, Step(selector)) {}
  /// Throws SpecError if `selector` is none.
  Pipeline(Chain chain, Step selector) : chain_(std::move(chain)), selector_(std::move(selector)) {
    if (!selector_.is_selector())
      detail::fail(SpecError("the last step is " + std::string(selector_.type()) +
                             ", a pipeline ends with a selector such as greedy or multinomial"));
    detail::require_room_to_remember({chain_.steps().begin(), chain_.steps().end()},
                                     selector_.traits().remembers ? 1 : 0);
    needed_for_greedy_ = chain_.steps().size();
    is_greedy_ = selector_.type() == "greedy";
    if (is_greedy_)
      while (needed_for_greedy_ > 0 && cannot_move_argmax(chain_.steps()[needed_for_greedy_ - 1])) --needed_for_greedy_;
  }

  const Chain& chain() const { return chain_; }
  const Step& selector() const { return selector_; }
  /// The steps and the selector.
  Spec spec() const {
    Spec spec = chain_.spec();
    spec.steps.push_back(selector_);
    return spec;
  }

  /// Chooses the next token of the request. Pure: the request is not changed, picking again gives the same Pick.
  ///   logits   the row, borrowed, never written
  ///   returns  status `ok` and a token among the survivors, or kNoToken and what went wrong
  ///   cost     one or two readings of the row; no allocation after the first steps
  /// Scratch is the request's own; the form with a workspace uses that.
  Pick pick(LogitsView logits, const Request& request, const PickOptions& options = {}) const {
    return pick(logits, request, options, request.workspace());
  }
  Pick pick(LogitsView logits, const Request& request, const PickOptions& options, Workspace& workspace) const {
    return pick(logits, request, options, workspace, detail::NoObserver{});
  }
  /// The same pick, with an observer that is called as observe(step, const Candidates&) before the first step (-1) and
  /// after each that runs: all of them where options.logprob is set.
  template <class Observe>
  Pick pick(LogitsView logits, const Request& request, const PickOptions& options, Workspace& workspace,
            const Observe& observe) const {
    const detail::FloatEnvironment plain;
    Candidates candidates;
    candidates.keep_order(selector_.traits().walks);
    Pick pick;
    pick.running = request.running();
    const std::size_t count = needed(options);
    const detail::Outcome end =
        chain_.run(count, candidates, logits, request, options, workspace, pick.running, observe);
    if (end.status != Status::ok) return failed_pick(end);
    return select(pick, candidates, request, options, workspace);
  }

  /// The same over the best logits of a row: equal to the pick of the whole row (survivors of Greedy apart), or
  /// `needs_full_row`, and `exact` is false, where the others could have mattered.
  ///   can     greedy; masks and penalties before a top-k, min-p or top-p that keeps only known tokens; anything after
  ///   it cannot  steps that look at the whole distribution (typical-p, eta and the like), or a draw, before that
  Pick pick(const SparseRow& row, const Request& request, const PickOptions& options = {}) const {
    const detail::FloatEnvironment plain;
    Workspace& workspace = request.workspace();
    Candidates candidates;
    candidates.keep_order(selector_.traits().walks);
    Pick pick;
    pick.running = request.running();
    detail::SparseRest rest;
    detail::Outcome end = chain_.run(needed(options), candidates, row, rest, request, options, workspace, pick.running);
    const bool open = end.status == Status::ok && rest.is_open();
    if (open && (!is_greedy_ || options.logprob || !(candidates.max() > rest.bound()))) end = {Status::needs_full_row};
    if (end.status != Status::ok) {
      pick = failed_pick(end);
      pick.exact = end.status != Status::needs_full_row;
      return pick;
    }
    pick = select(pick, candidates, request, options, workspace);
    if (open) pick.survivors = 0;
    return pick;
  }

  /// The chain's `process`: what the steps leave, before the selector.
  std::vector<float> process(LogitsView row, const Request& request, const PickOptions& options = {}) const {
    return chain_.process(row, request, options);
  }
  Status process(LogitsView row, const Request& request, std::span<float> out, const PickOptions& options = {}) const {
    return chain_.process(row, request, out, options);
  }
  /// The chain's `logprobs`: after the steps, before the selector.
  Logprobs logprobs(LogitsView row, const Request& request, const LogprobOptions& what,
                    const PickOptions& options = {}) const {
    return chain_.logprobs(row, request, what, options);
  }

 private:
  /// How many steps have to run.
  std::size_t needed(const PickOptions& options) const {
    return options.logprob ? chain_.steps().size() : needed_for_greedy_;
  }
  /// Lets the selector choose among what the steps left.
  Pick select(Pick pick, Candidates& candidates, const Request& request, const PickOptions& options,
              Workspace& workspace) const {
    const std::size_t all = chain_.steps().size();
    StepView view(request, options.unconditional, candidates.size(), workspace, pick.running);
    view.enter(static_cast<int>(all), 0);
    const bool cuts = selector_.traits().truncates;
    if (cuts) pick.survivors = candidates.survivors();
    const double total = options.logprob ? candidates.log_sum_exp() : 0;
    pick.token = selector_.select(candidates, view);
    if (candidates.status() != Status::ok)
      return failed_pick({candidates.status(), static_cast<int>(all), candidates.failed_id()});
    if (!cuts && (!is_greedy_ || options.logprob || (needed(options) == all && candidates.is_compact())))
      pick.survivors = candidates.survivors();
    if (options.logprob) {
      pick.logprob = static_cast<float>(static_cast<double>(candidates.logit(pick.token)) - total);
      pick.rank = candidates.rank(pick.token);
    }
    return pick;
  }
  static bool cannot_move_argmax(const Step& step) {
    const StepTraits traits = step.traits();
    return traits.keeps_best && traits.truncates && !traits.changes_odds;
  }

  Pick failed_pick(const detail::Outcome& end) const {
    if (end.step < static_cast<int>(chain_.steps().size())) return chain_.failed_pick(end);
    Pick pick = chain_.failed_pick({end.status, -1, end.id});
    pick.step = end.step;
    pick.step_type = selector_.type().data();
    return pick;
  }

  Chain chain_;
  Step selector_;
  bool is_greedy_ = false;
  std::size_t needed_for_greedy_ = 0;  // the first so many steps decide the argmax
};

LOGITKIT_NAMESPACE_END
