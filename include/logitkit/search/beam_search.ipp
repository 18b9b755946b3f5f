// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/log_softmax.hpp"
#include "logitkit/search/beam_search.hpp"

LOGITKIT_NAMESPACE_BEGIN

inline BeamSearch::BeamSearch(const Chain& chain, bool samples, const Request& request, BeamOptions options)
    : chain_(chain),
      samples_(samples),
      options_(std::move(options)),
      prompt_(request.position()),
      position_(request.position()) {
  check(request);
  if (options_.scores == BeamScores::log_softmax) {
    std::vector<Step> steps{LogSoftmax()};
    steps.insert(steps.end(), chain.steps().begin(), chain.steps().end());
    chain_ = Chain(std::move(steps), chain.row_width(), chain.vocabulary_size());
  }
  rows_.resize(samples ? group_width() : 1);
  workspaces_.resize(rows_.size());
  groups_.resize(static_cast<std::size_t>(options_.groups));
  const std::vector<InitialBeam> prompt_only(1);
  auto initial = options_.initial.empty() ? prompt_only : options_.initial;
  std::stable_sort(initial.begin(), initial.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  for (Group& group : groups_) {
    group.live = initial.size();
    for (const InitialBeam& beam : initial) {
      Hypothesis& h = live_.emplace_back();
      h.tokens = beam.tokens;
      h.sum_logprob = beam.score;
      h.step_logprobs.resize(beam.tokens.size());
      if (!beam.tokens.empty()) h.step_logprobs.back() = static_cast<float>(beam.score);
      h.score = score(h);
      Request& fork = requests_.emplace_back(request.fork());
      for (const TokenId token : beam.tokens)
        if (!fork.accept(token))
          detail::fail(InvalidParameter("beam search: initial holds the token " + std::to_string(token) +
                                        ", which the request refuses"));
    }
  }
}

inline bool BeamSearch::is_sampling(const Step& selector) {
  if (selector.type() != "greedy" && selector.type() != "multinomial")
    detail::fail(InvalidParameter("beam search: the selector is " + std::string(selector.type()) +
                                  ", allowed are greedy and multinomial"));
  return selector.type() == "multinomial";
}

inline void BeamSearch::check(const Request& request) const {
  const auto require = [](bool holds, const char* name, const std::string& value, const char* range) {
    if (!holds)
      detail::fail(InvalidParameter("beam search: " + std::string(name) + " is " + value + ", allowed is " + range));
  };
  require(options_.width >= 1, "width", std::to_string(options_.width), "at least 1");
  require(options_.max_new_tokens >= 1, "max_new_tokens", std::to_string(options_.max_new_tokens), "at least 1");
  require(options_.groups >= 1 && options_.width % options_.groups == 0, "groups", std::to_string(options_.groups),
          "a divisor of width");
  require(at_least(0).contains(options_.diversity), "diversity", detail::number_text(options_.diversity),
          "at least 0 and finite");
  require(options_.initial.size() <= group_width(), "the number of initial beams",
          std::to_string(options_.initial.size()), "at most width / groups");
  const auto ends = request.end_ids();
  for (const InitialBeam& beam : options_.initial) {
    require(beam.tokens.size() < limit(), "the length of an initial beam", std::to_string(beam.tokens.size()),
            "below max_new_tokens");
    require(finite().contains(beam.score) && (beam.score == 0 || !beam.tokens.empty()), "the score of an initial beam",
            detail::number_text(beam.score), "finite, and 0 without tokens");
    require(beam.tokens.empty() || std::find(ends.begin(), ends.end(), beam.tokens.back()) == ends.end(),
            "the last token of an initial beam", std::to_string(beam.tokens.empty() ? 0 : beam.tokens.back()),
            "no end id");
  }
}

inline Status BeamSearch::advance(const BatchRows& rows, const OneOrEach<PickOptions>& options) {
  if (rows.size() != live_.size() || !options.covers(live_.size()))
    detail::fail(InvalidParameter("beam search: " + std::to_string(rows.size()) + " rows and " +
                                  std::to_string(options.count()) +
                                  " options, allowed are as many as live hypotheses, " + std::to_string(live_.size())));
  if (done()) return Status::ok;
  const detail::FloatEnvironment plain;
  drawn_ = 0;
  running_.resize(live_.size());
  Next next;
  std::size_t first = 0;
  for (const Group& group : groups_) {
    if (const Status s = offer(first, group.live, rows, options, next.moves); s != Status::ok) return s;
    if (const Status s = settle(group, next); s != Status::ok) return s;
    first += group.live;
  }
  ++position_;
  groups_ = std::move(next.groups);
  live_ = std::move(next.live);
  moves_ = std::move(next.moves);
  if (!done()) requests_ = std::move(next.requests);
  return done() && hypotheses().empty() ? Status::no_candidates : Status::ok;
}

/// Fills `offered_` with the candidates of the `count` live hypotheses from `first` on.
inline Status BeamSearch::offer(std::size_t first, std::size_t count, const BatchRows& rows,
                                const OneOrEach<PickOptions>& options, std::span<const BeamMove> taken) {
  offered_.clear();
  const std::size_t factor = std::max<std::size_t>(2, 1 + requests_.front().end_ids().size());
  const bool for_each_row = options_.stop == StopRule::run_to_limit;
  const std::size_t k = (for_each_row ? 2 : factor) * group_width();
  std::vector<std::size_t> parents;
  std::vector<double> sums;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::size_t slot = samples_ ? parents.size() : 0;
    const detail::Outcome end =
        rows_[slot].open(chain_, options_.scores, rows[i], requests_[i], options[i], workspaces_[slot]);
    running_[i] = rows_[slot].running();
    if (end.status == Status::no_candidates || end.status == Status::constraint_refused) continue;  // a dead end
    if (end.status != Status::ok) return end.status;
    if (options_.diversity > 0)
      for (const BeamMove& move : taken) rows_[slot].penalise(move.token, options_.diversity);
    parents.push_back(i);
    sums.push_back(live_[i].sum_logprob);
    if (!samples_) rows_[slot].offer_best(k, i, sums.back(), offered_);
  }
  if (samples_) {
    const auto& stream = requests_.front();
    const auto uniform_of = [&](std::size_t i) {
      return uniform(stream.seed(), stream.stream(), static_cast<std::uint32_t>(position_),
                     draws::kBeam + drawn_ + static_cast<std::uint32_t>(i));
    };
    detail::draw_without_replacement(std::span(rows_).first(parents.size()), parents, sums, k, uniform_of, offered_);
    drawn_ += static_cast<std::uint32_t>(offered_.size());
    return Status::ok;
  }
  std::stable_sort(offered_.begin(), offered_.end(), [](const auto& a, const auto& b) { return a.worth > b.worth; });
  if (!for_each_row && offered_.size() > k) offered_.resize(k);
  return Status::ok;
}

/// Decides which of the offered candidates of a group finish and which live on.
inline Status BeamSearch::settle(Group group, Next& next) {
  const bool all_may_finish = options_.stop == StopRule::run_to_limit;
  std::vector<detail::BeamCandidate> running;
  for (std::size_t i = 0; i < offered_.size(); ++i) {
    const detail::BeamCandidate& c = offered_[i];
    const bool ends = is_end(c.move.token), at_limit = live_[c.move.parent].tokens.size() + 1 == limit();
    if (!ends && (!at_limit || all_may_finish))
      running.push_back(c);
    else if (all_may_finish || i < group_width())
      finish(group, extended(c));
  }
  if (samples_)
    std::stable_sort(running.begin(), running.end(), [](const auto& a, const auto& b) { return a.worth > b.worth; });
  if (running.size() > group_width()) running.resize(group_width());

  std::vector<Hypothesis> live;
  std::vector<BeamMove> moves;
  for (const detail::BeamCandidate& c : running) {
    Hypothesis h = extended(c);
    if (h.tokens.size() == limit()) {
      finish(group, std::move(h));
      continue;
    }
    live.push_back(std::move(h));
    moves.push_back(c.move);
  }
  group.live = is_over(group, live) ? 0 : live.size();
  for (std::size_t i = 0; i < group.live; ++i) {
    Pick pick;
    pick.token = moves[i].token;
    pick.running = running_[moves[i].parent];
    Request fork = requests_[moves[i].parent].fork();
    if (!fork.accept(pick)) return Status::constraint_refused;
    next.requests.push_back(std::move(fork));
    next.live.push_back(std::move(live[i]));
    next.moves.push_back(moves[i]);
  }
  next.groups.push_back(std::move(group));
  return Status::ok;
}

inline Hypothesis BeamSearch::extended(const detail::BeamCandidate& candidate) const {
  Hypothesis h = live_[candidate.move.parent];
  h.tokens.push_back(candidate.move.token);
  h.step_logprobs.push_back(candidate.logprob);
  h.sum_logprob = candidate.sum;
  h.finished = is_end(candidate.move.token);
  h.score = score(h);
  return h;
}

inline void BeamSearch::finish(Group& group, Hypothesis hypothesis) const {
  auto& list = group.finished;
  const auto at = std::upper_bound(list.begin(), list.end(), hypothesis,
                                   [](const auto& a, const auto& b) { return a.score > b.score; });
  list.insert(at, std::move(hypothesis));
  if (list.size() > group_width()) list.pop_back();
}

/// Whether the group's finished ones stand, by the stop rule.
inline bool BeamSearch::is_over(const Group& group, std::span<const Hypothesis> live) const {
  if (options_.stop == StopRule::run_to_limit || group.finished.size() < group_width()) return false;
  if (options_.stop == StopRule::as_soon_as_full) return true;
  // A sum only falls, so the best that can come of it has the length that flatters it most.
  const bool grows = options_.stop == StopRule::exhaustive && options_.length.exponent() > 0;
  return std::none_of(live.begin(), live.end(), [&](const Hypothesis& h) {
    const double divisor = options_.length.divisor(prompt_, grows ? limit() : h.tokens.size(), false);
    return h.sum_logprob / divisor > group.finished.back().score;
  });
}

LOGITKIT_NAMESPACE_END
