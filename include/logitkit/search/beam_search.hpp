// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string>

#include "logitkit/pipeline/batch.hpp"
#include "logitkit/search/beam_row.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Beam search over the rows of an engine, which owns the model and its cache and is told which hypothesis continues
/// which. Every live hypothesis is a fork of the request, so counts, constraint and running values follow it.
///
///   BeamSearch beams(chain, request, {.width = 4});
///   while (!beams.done()) {
///     ... one row for each of beams.live() ...
///     if (beams.advance(rows) != Status::ok) ...
///     for (BeamMove m : beams.moves()) ... copy the cache of m.parent, append m.token ...
///   }
///   beams.hypotheses();
///
///   candidates  the max(2, 1 + end ids) * width best of all live hypotheses and tokens; those that end (by an end id
///               of the request, or at max_new_tokens) finish if they are among the first `width`, the best `width` of
///               the others live on. StopRule::run_to_limit has vLLM's rule instead
///   ties        score descending, then parent, then token id
///   dead ends   a hypothesis that the steps or the constraint leave no token is dropped
///   draws       closed by Multinomial, the candidates are drawn without replacement instead (beam sampling), the i-th
///               with the uniform draws::kBeam + i of the position
///   cost        a row is read for its maxima, and for the sum of exps; nothing as large as a row is written
///   as in       Hugging Face beam search (tests/golden/hf/beam.json), vLLM (tests/golden/vllm/beam.json)
class BeamSearch {
 public:
  /// Throws InvalidParameter naming an option out of range, or an initial token that the request refuses.
  BeamSearch(const Chain& chain, const Request& request, BeamOptions options)
      : BeamSearch(chain, false, request, std::move(options)) {}
  /// Closed by Greedy: as without; by Multinomial: beam sampling; by another selector: InvalidParameter.
  BeamSearch(const Pipeline& pipeline, const Request& request, BeamOptions options)
      : BeamSearch(pipeline.chain(), is_sampling(pipeline.selector()), request, std::move(options)) {}

  /// Live hypotheses, best first; with groups, group after group. The first ones are the prompt, once for each group.
  std::span<const Hypothesis> live() const { return live_; }
  /// The state of live()[i]: prompt and tokens, for a model that wants them.
  const Request& request(std::size_t i) const { return requests_[i]; }
  /// What the last advance() did: how live()[i] came about.
  std::span<const BeamMove> moves() const { return moves_; }
  /// Nothing is live any more: hypotheses() are the result.
  bool done() const { return live_.empty(); }

  /// One step with a row for each live hypothesis.
  ///   options  for guidance: the unconditional row, for all or for each
  ///   returns  ok; no_candidates if every hypothesis came to a dead end and none is finished; another status of a row,
  ///            and then nothing has changed
  ///   throws   InvalidParameter if there are not as many rows as live hypotheses
  Status advance(const BatchRows& rows, const OneOrEach<PickOptions>& options = PickOptions{});

  /// The finished ones, best first: at most `width`. Before done() those so far, then also what the length limit cut.
  std::vector<Hypothesis> hypotheses() const {
    std::vector<Hypothesis> all;
    for (const Group& group : groups_) all.insert(all.end(), group.finished.begin(), group.finished.end());
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    if (all.size() > static_cast<std::size_t>(options_.width)) all.resize(static_cast<std::size_t>(options_.width));
    return all;
  }

 private:
  struct Group {
    std::size_t live = 0;              // so many of live_, after those of the groups before
    std::vector<Hypothesis> finished;  // best first, at most group_width()
  };
  struct Next {  // what a step makes of everything, set in place at its end
    std::vector<Group> groups;
    std::vector<Hypothesis> live;
    std::vector<Request> requests;
    std::vector<BeamMove> moves;
  };

  BeamSearch(const Chain& chain, bool samples, const Request& request, BeamOptions options);
  static bool is_sampling(const Step& selector);
  void check(const Request& request) const;

  std::size_t group_width() const { return static_cast<std::size_t>(options_.width / options_.groups); }
  std::size_t limit() const { return static_cast<std::size_t>(options_.max_new_tokens); }
  bool is_end(TokenId token) const {
    const auto ends = requests_.front().end_ids();
    return std::find(ends.begin(), ends.end(), token) != ends.end();
  }
  double score(const Hypothesis& h) const {
    return h.tokens.empty() ? h.sum_logprob
                            : h.sum_logprob / options_.length.divisor(prompt_, h.tokens.size(), h.finished);
  }

  Status offer(std::size_t first, std::size_t count, const BatchRows& rows, const OneOrEach<PickOptions>& options,
               std::span<const BeamMove> taken);
  Status settle(Group group, Next& next);
  Hypothesis extended(const detail::BeamCandidate& candidate) const;
  void finish(Group& group, Hypothesis hypothesis) const;
  bool is_over(const Group& group, std::span<const Hypothesis> live) const;

  Chain chain_;
  bool samples_;
  BeamOptions options_;
  std::size_t prompt_ = 0, position_ = 0;  // tokens before the search; those before the next one
  std::vector<Group> groups_;
  std::vector<Hypothesis> live_;
  std::vector<Request> requests_;
  std::vector<BeamMove> moves_;
  std::vector<detail::BeamCandidate> offered_;  // of one group, best first (or as drawn)
  std::vector<RunningValues> running_;          // of live_, after this step
  std::uint32_t drawn_ = 0;                     // so many draws at this position
  std::vector<detail::BeamRow> rows_;
  std::vector<Workspace> workspaces_;
};

LOGITKIT_NAMESPACE_END

#include "logitkit/search/beam_search.ipp"
