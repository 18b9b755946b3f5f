// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "logitkit/pipeline/sparse_row.hpp"
#include "logitkit/pipeline/spec.hpp"
#include "logitkit/select/logprobs.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Throws SpecError if the steps and `others` more remember more than a pick carries.
inline void require_room_to_remember(const std::vector<Step>& steps, std::size_t others) {
  for (const Step& step : steps) others += step.traits().remembers ? 1 : 0;
  if (others > RunningValues::kMost)
    fail(SpecError(std::to_string(others) + " steps have a running value, allowed are " +
                   std::to_string(RunningValues::kMost)));
}

}  // namespace detail

/// Steps in the order that was written. Immutable, cheap to copy, shared by threads. Chain{} does nothing.
class Chain {
 public:
  Chain() : Chain(std::vector<Step>{}) {}
  /// Throws SpecError if a selector is among the steps.
  explicit Chain(std::vector<Step> steps, std::size_t row_width = 0, std::size_t vocabulary_size = 0)
      : steps_(std::make_shared<const std::vector<Step>>(std::move(steps))),
        row_width_(row_width),
        vocabulary_size_(vocabulary_size) {
    for (std::size_t i = 0; i < steps_->size(); ++i)
      if ((*steps_)[i].is_selector())
        detail::fail(SpecError("step " + std::to_string(i) + " is the selector " + std::string((*steps_)[i].type()) +
                               "; a chain has none, a pipeline exactly one, at its end"));
    detail::require_room_to_remember(*steps_, 0);
  }

  std::span<const Step> steps() const { return *steps_; }
  Spec spec() const { return {*steps_}; }
  std::size_t row_width() const { return row_width_; }
  std::size_t vocabulary_size() const { return vocabulary_size_; }

  /// Runs the steps and writes what is left to `out` (as many floats as the row): -inf = removed.
  ///   returns `ok`, or what went wrong; `no_candidates` writes all -inf, other errors leave `out` unspecified
  ///   cost    writes V floats; no allocation after the first calls
  Status process(LogitsView row, const Request& request, std::span<float> out, const PickOptions& options = {}) const {
    return process(row, request, out, options, request.workspace()).status;
  }

  /// The same as a new vector. All -inf where no candidate is left; other errors throw RowError.
  std::vector<float> process(LogitsView row, const Request& request, const PickOptions& options = {}) const {
    std::vector<float> out(row.size());
    const detail::Outcome end = process(row, request, out, options, request.workspace());
    if (end.status != Status::ok && end.status != Status::no_candidates) {
      const Pick failed = failed_pick(end);
      detail::fail(RowError("process: " + failed.message(), failed.status, failed.step, failed.id));
    }
    return out;
  }

  /// Log-probabilities after all steps, over the survivors ("processed"); errors as in Logprobs. Asking for a removed
  /// token is none: -inf.
  Logprobs logprobs(LogitsView row, const Request& request, const LogprobOptions& what,
                    const PickOptions& options = {}) const {
    const detail::FloatEnvironment plain;
    Candidates candidates;
    const detail::Outcome end = run(steps_->size(), candidates, row, request, options, request.workspace());
    return end.status == Status::ok ? detail::logprobs_of(candidates, what) : Logprobs{end.status, {}, {}};
  }

  // The pipeline's side.

  /// Runs the first `count` steps over the row; `running` are the request's values, and then those of the pick.
  template <class Observe = detail::NoObserver>
  detail::Outcome run(std::size_t count, Candidates& candidates, LogitsView row, const Request& request,
                      const PickOptions& options, Workspace& workspace, RunningValues& running,
                      const Observe& observe = {}) const {
    if (row_width_ != 0 && row.size() != row_width_) return {Status::width_mismatch};
    return detail::run(steps().first(count), candidates, row, request, vocabulary_of(request), options.unconditional,
                       workspace, running, observe);
  }
  /// The same over a sparse row; needs_full_row where a step cannot do without the others.
  detail::Outcome run(std::size_t count, Candidates& candidates, const SparseRow& row, detail::SparseRest& rest,
                      const Request& request, const PickOptions& options, Workspace& workspace,
                      RunningValues& running) const {
    if (row_width_ != 0 && row.width != row_width_) return {Status::width_mismatch};
    const auto used = steps().first(count);
    if (const auto past = detail::find_id_past(used, row.width); past.status != Status::ok) return past;
    const auto opened = rest.open(candidates, row, vocabulary_of(request), workspace);
    if (opened.status != Status::ok) return opened;
    return detail::run_steps(used, candidates, request, options.unconditional, workspace, running,
                             [&](const Step& step, const StepView& view) { rest.apply(step, view); });
  }
  /// The same where no pick comes out: what the steps would remember is dropped.
  detail::Outcome run(std::size_t count, Candidates& candidates, LogitsView row, const Request& request,
                      const PickOptions& options, Workspace& workspace) const {
    RunningValues dropped = request.running();
    return run(count, candidates, row, request, options, workspace, dropped);
  }
  /// The smaller of the chain's and the request's, 0 if neither says.
  std::size_t vocabulary_of(const Request& request) const {
    const std::size_t other = request.vocabulary_size();
    return other != 0 && (vocabulary_size_ == 0 || other < vocabulary_size_) ? other : vocabulary_size_;
  }
  Pick failed_pick(const detail::Outcome& end) const {
    Pick pick;
    pick.status = end.status;
    pick.step = end.step;
    pick.id = end.id;
    if (end.step >= 0) pick.step_type = steps()[static_cast<std::size_t>(end.step)].type().data();
    return pick;
  }

 private:
  detail::Outcome process(LogitsView row, const Request& request, std::span<float> out, const PickOptions& options,
                          Workspace& workspace) const {
    if (out.size() != row.size())
      detail::fail(InvalidParameter("process: out has " + std::to_string(out.size()) + " elements, allowed are " +
                                    std::to_string(row.size()) + ", as many as the row"));
    const detail::FloatEnvironment plain;
    Candidates candidates;
    const detail::Outcome end = run(steps_->size(), candidates, row, request, options, workspace);
    if (end.status == Status::ok) {
      candidates.write_to(out.first(candidates.size()));
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(candidates.size()), out.end(), detail::kMasked);
    } else if (end.status == Status::no_candidates) {
      std::fill(out.begin(), out.end(), detail::kMasked);
    }
    return end;
  }

  std::shared_ptr<const std::vector<Step>> steps_;
  std::size_t row_width_ = 0, vocabulary_size_ = 0;
};

LOGITKIT_NAMESPACE_END
