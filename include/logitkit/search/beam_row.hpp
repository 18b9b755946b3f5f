// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <vector>

#include "logitkit/numeric/log_sum_exp.hpp"
#include "logitkit/pipeline/chain.hpp"
#include "logitkit/random/uniform.hpp"
#include "logitkit/search/beam_options.hpp"
#include "logitkit/search/hypothesis.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// A live hypothesis and one more token.
struct BeamCandidate {
  double worth = 0;  ///< what candidates are ranked by: sum of log-probabilities, less the diversity penalty
  double sum = 0;    ///< without the penalty
  float logprob = 0;
  BeamMove move;
};

/// The candidates of one live hypothesis: its row after the steps, with log-probabilities for scores.
class BeamRow {
 public:
  /// `chain` begins with LogSoftmax where `scores` asks for it.
  Outcome open(const Chain& chain, BeamScores scores, LogitsView row, const Request& request,
               const PickOptions& options, Workspace& workspace) {
    edited_.clear();
    base_ = 0;
    running_ = request.running();
    const Outcome end = chain.run(chain.steps().size(), candidates_, row, request, options, workspace, running_);
    if (end.status != Status::ok) return end;
    if (scores == BeamScores::raw) {
      base_ = log_sum_exp(row.first(candidates_.size()));
      if (base_ != base_) return {Status::invalid_logits};  // a step let the row pass
      candidates_.restore(row);
    } else if (scores == BeamScores::processed) {
      base_ = candidates_.log_sum_exp();
    }
    return end;
  }

  /// Makes a token less attractive, its log-probability stays.
  void penalise(TokenId token, double penalty) {
    const float x = candidates_.logit(token);
    if (x == kMasked) return;
    if (std::none_of(edited_.begin(), edited_.end(), [&](const Edited& e) { return e.token == token; }))
      edited_.push_back({token, x});
    candidates_.set(token, static_cast<float>(static_cast<double>(x) - penalty));
  }

  /// The `k` best as candidates of the hypothesis `parent`, whose sum is `sum`.
  void offer_best(std::size_t k, std::size_t parent, double sum, std::vector<BeamCandidate>& offered) {
    for (const std::uint64_t key : candidates_.ranked(k))
      offered.push_back(candidate({parent, static_cast<TokenId>(id_of(key))}, sum, logit_of(key)));
  }

  /// What the steps remember once the hypothesis goes on.
  const RunningValues& running() const { return running_; }

  // For draws without replacement.

  /// The largest log-probability; -inf if nobody is left.
  double best() { return logprob(candidates_.max()); }
  /// Sum of exp(logprob - best()).
  double mass() { return candidates_.empty() ? 0.0 : candidates_.normaliser(); }
  /// Draws a candidate and takes it out.
  BeamCandidate take(double u, std::size_t parent, double sum) {
    const TokenId token = candidates_.draw(u);
    const BeamCandidate drawn = candidate({parent, token}, sum, candidates_.logit(token));
    candidates_.remove(token);
    return drawn;
  }

 private:
  struct Edited {
    TokenId token;
    float logit;  ///< before the penalty
  };

  float logprob(float x) const { return static_cast<float>(static_cast<double>(x) - base_); }
  BeamCandidate candidate(BeamMove move, double sum, float x) const {
    BeamCandidate c{sum + static_cast<double>(logprob(x)), 0, 0, move};
    for (const Edited& e : edited_)
      if (e.token == move.token) x = e.logit;
    c.logprob = logprob(x);
    c.sum = sum + static_cast<double>(c.logprob);
    return c;
  }

  Candidates candidates_;
  RunningValues running_;
  std::vector<Edited> edited_;
  double base_ = 0;  // log-probability = logit - base
};

/// `count` draws without replacement among the candidates of all rows, each with the probability that its worth gives
/// it; in drawn order, fewer if no more are left. One uniform each: it chooses the row by the rows' masses, what is
/// left of it the token (Candidates::draw).
///   uniform  uniform(i) of the i-th draw
///   cost     an exp per candidate for each draw; O(V) where no step truncates
template <class Uniform>
void draw_without_replacement(std::span<BeamRow> rows, std::span<const std::size_t> parents,
                              std::span<const double> sums, std::size_t count, Uniform uniform,
                              std::vector<BeamCandidate>& drawn) {
  double best = -math::kInfinity;
  for (std::size_t r = 0; r < rows.size(); ++r) best = std::max(best, sums[r] + rows[r].best());
  std::vector<double> mass(rows.size());
  const auto weigh = [&](std::size_t r) {
    const double left = rows[r].mass();
    mass[r] = left > 0 ? left * math::exp(sums[r] + rows[r].best() - best) : 0.0;
  };
  for (std::size_t r = 0; r < rows.size(); ++r) weigh(r);
  for (std::size_t i = 0; i < count; ++i) {
    double total = 0, before = 0;
    for (const double m : mass) total += m;
    if (!(total > 0)) return;
    const double target = uniform(i) * total;
    std::size_t chosen = 0;
    double below = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!(mass[r] > 0)) continue;
      chosen = r;
      below = before;
      before += mass[r];
      if (before > target) break;
    }
    const double rest = std::clamp((target - below) / mass[chosen], 0.0, 1 - 0x1p-53);
    drawn.push_back(rows[chosen].take(rest, parents[chosen], sums[chosen]));
    weigh(chosen);
  }
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
