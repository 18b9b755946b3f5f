// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "logitkit/pipeline/batch.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How a draft token is accepted.
enum class DraftRule : std::uint8_t {
  /// With probability min(1, p / q), else a token from the rest, max(p - q, 0) (Leviathan et al., "Fast inference from
  /// transformers via speculative decoding", 2023; vLLM). The output has the distribution of plain sampling.
  rejection,
  /// The same distribution with more accepted on average: the drafts are judged together (Sun et al., "Block
  /// verification accelerates speculative decoding", 2024; vLLM "block").
  block,
  /// While it is what `pick` chooses: token for token the output of decoding without drafts.
  replay,
};

/// How verify_draft judges.
struct DraftOptions {
  DraftRule rule = DraftRule::rejection;  ///< replay whatever it says, where the pipeline is greedy
  // For tests, instead of the request's draws:
  std::span<const double> uniforms = {};  ///< one for each draft, deciding its acceptance
  std::span<const float> exp_noise = {};  ///< one for each id: the residual's token has the largest residual / noise
};

/// How far the drafts stand, and what follows them.
struct DraftResult {
  std::size_t accepted = 0;    ///< so many drafts, from the first
  TokenId token = kNoToken;    ///< the one that follows them; none without a row for it, or after an error
  Status status = Status::ok;  ///< of the first row that failed
  /// One for each accepted draft, and for `token`: accepting these instead of the ids also commits running values.
  std::vector<Pick> picks;

  /// Whether no row failed.
  explicit operator bool() const { return status == Status::ok; }
};

namespace detail {

/// The distribution that a draft token was drawn from; nothing for padding.
class DraftDistribution {
 public:
  DraftDistribution(const BatchRows& rows, std::size_t i, TokenId token)
      : row_(rows.size() == 0 || token < 0 ? LogitsView() : rows[i]), token_(token) {}
  double operator()(TokenId id) const {
    if (row_.size() == 0) return id == token_ ? 1.0 : 0.0;
    return static_cast<double>(row_[static_cast<std::size_t>(id)]);
  }

 private:
  LogitsView row_;  // empty: a point mass
  TokenId token_;
};

/// Sum of max(scale * p - q, 0) over the candidates.
inline double residual_mass(Candidates& candidates, double scale, const DraftDistribution& q) {
  double total = 0;
  candidates.for_each_probability([&](TokenId id, double p) { total += std::max(rounded(scale * p) - q(id), 0.0); });
  return total;
}

/// The token in place of a refused one: drawn from max(scale * p - q, 0) in id order, or from p where nothing of that
/// is left.
inline TokenId draw_residual(Candidates& candidates, double scale, const DraftDistribution& q, double u,
                             std::span<const float> noise) {
  const double total = residual_mass(candidates, scale, q);
  if (!(total > 0)) return candidates.draw(u);
  TokenId chosen = kNoToken;
  double running = 0, best = 0;
  candidates.for_each_probability([&](TokenId id, double p) {
    const double weight = std::max(rounded(scale * p) - q(id), 0.0);
    if (!(weight > 0)) return;
    if (!noise.empty()) {
      const double key = weight / static_cast<double>(noise[static_cast<std::size_t>(id)]);
      if (key > best) best = key, chosen = id;
    } else if (chosen == kNoToken || !(running > u * total)) {
      chosen = id;
      running += weight;
    }
  });
  return chosen;
}

/// One call of verify_draft.
class DraftVerifier {
 public:
  DraftVerifier(const Pipeline& pipeline, const BatchRows& rows, std::span<const TokenId> drafts,
                const BatchRows& draft_probs, const Request& request, const DraftOptions& options)
      : pipeline_(pipeline),
        rows_(rows),
        drafts_(drafts),
        draft_probs_(draft_probs),
        request_(request),
        options_(options),
        workspace_(request.workspace()),
        fork_(request.fork()) {}

  DraftResult replay() {
    while (result_.accepted < rows_.size()) {
      const Pick pick = pipeline_.pick(rows_[result_.accepted], fork_, {}, workspace_);
      if (pick.status != Status::ok) return failed(pick.status);
      if (result_.accepted == drafts_.size() || pick.token != drafts_[result_.accepted] || !accept(pick))
        return ended_by(pick);
    }
    return result_;
  }

  DraftResult reject() {
    while (result_.accepted < drafts_.size()) {
      const std::size_t i = result_.accepted;
      if (const Status s = open(i); s != Status::ok) return failed(s);
      if (!(ratio(i) >= acceptance(i)) || !is_candidate(i)) return ended_by(residual(1.0));
      if (!accept(chosen(drafts_[i]))) return ended_by(chosen(drafts_[i]));
    }
    return with_bonus();
  }

  DraftResult verify_block() {
    std::vector<double> reached{1.0};  // the running min(P * p / q, 1) after so many drafts
    std::size_t length = 0;
    while (result_.accepted < drafts_.size()) {
      const std::size_t i = result_.accepted;
      if (const Status s = open(i); s != Status::ok) return failed(s);
      if (i > 0) {
        const double mass = residual_mass(candidates_, reached.back(), proposed(i));
        const double denominator = mass + (1 - reached.back());
        if (acceptance(i - 1) <= (denominator > 0 ? mass / denominator : 1.0)) length = i;
      }
      reached.push_back(is_candidate(i) ? std::min(reached.back() * ratio(i), 1.0) : 0.0);
      if (!(reached.back() > 0)) break;
      if (!accept(chosen(drafts_[i]))) return ended_by(chosen(drafts_[i]));
    }
    if (result_.accepted == drafts_.size() && (drafts_.empty() || acceptance(drafts_.size() - 1) <= reached.back()))
      return with_bonus();
    fork_.rollback(result_.accepted - length);
    result_.picks.resize(length);
    result_.accepted = length;
    if (const Status s = open(length); s != Status::ok) return failed(s);
    return ended_by(residual(reached[length]));
  }

 private:
  /// Runs the steps over row i; the fork holds the drafts before it.
  Status open(std::size_t i) {
    if (draft_probs_.size() != 0 && draft_probs_[i].size() != rows_[i].size()) return Status::width_mismatch;
    running_ = fork_.running();
    const Chain& chain = pipeline_.chain();
    return chain.run(chain.steps().size(), candidates_, rows_[i], fork_, {}, workspace_, running_).status;
  }
  DraftDistribution proposed(std::size_t i) const { return {draft_probs_, i, drafts_[i]}; }
  bool is_candidate(std::size_t i) const { return candidates_.logit(drafts_[i]) > kMasked; }
  /// p / q in float32, as engines divide; 0 where the draft could not have been drawn.
  double ratio(std::size_t i) {
    if (drafts_[i] < 0 || static_cast<std::size_t>(drafts_[i]) >= rows_[i].size()) return 0;
    const auto q = static_cast<float>(proposed(i)(drafts_[i]));
    return q > 0 ? static_cast<double>(static_cast<float>(candidates_.probability(drafts_[i])) / q) : -1.0;
  }
  double draw(std::size_t i, std::uint32_t purpose) const {
    return uniform(request_.seed(), request_.stream(), static_cast<std::uint32_t>(request_.position() + i), purpose);
  }
  double acceptance(std::size_t i) const {
    return options_.uniforms.empty() ? draw(i, draws::kDraftAccept) : options_.uniforms[i];
  }
  Pick chosen(TokenId token) const {
    Pick pick;
    pick.token = token;
    pick.running = running_;
    return pick;
  }
  Pick residual(double scale) {
    const std::size_t i = result_.accepted;
    return chosen(draw_residual(candidates_, scale, proposed(i), draw(i, draws::kDraftResidual), options_.exp_noise));
  }

  /// False where a step forces what the constraint refuses: as without drafts, that pick is the last.
  bool accept(const Pick& pick) {
    if (!fork_.accept(pick)) return false;
    result_.picks.push_back(pick);
    ++result_.accepted;
    return true;
  }
  DraftResult ended_by(const Pick& pick) {
    result_.token = pick.token;
    result_.picks.push_back(pick);
    return result_;
  }
  DraftResult failed(Status status) {
    result_.status = status;
    return result_;
  }
  DraftResult with_bonus() { return rows_.size() == drafts_.size() ? result_ : replay(); }

  const Pipeline& pipeline_;
  const BatchRows& rows_;
  std::span<const TokenId> drafts_;
  const BatchRows& draft_probs_;
  const Request& request_;
  const DraftOptions& options_;
  Workspace& workspace_;
  Request fork_;
  Candidates candidates_;
  RunningValues running_;
  DraftResult result_;
};

}  // namespace detail

/// Judges the tokens that a draft model (or a guess) proposes, against the rows that the model gave for all of them at
/// once. The request is not changed: the caller accepts the drafts [0, accepted) and then `token`, or `picks`.
///   target_rows   drafts.size() + 1 rows, or drafts.size(): then no token follows when all are accepted. Row i sees
///                 history, constraint and position as if the drafts before it were accepted
///   drafts        an id below 0 or past the row is padding: refused
///   draft_probs   one row of probabilities for each draft, what it was drawn from (softmax of the draft's processed
///                 row); none: the drafts are certain guesses
///   draws         draws::kDraftAccept and kDraftResidual of the draft's position; the token after the last draft is
///                 the pipeline's own pick
///   greedy        a pipeline closed by Greedy: always replay, whatever the rule
///   status        of the row that failed; unsupported where the selector does not draw from the processed distribution
///                 (mirostat, adaptive_p) and the rule is not replay
///   throws        InvalidParameter if the numbers of rows, drafts, probabilities or test draws do not fit
///   as in         vLLM v1 (tests/golden/vllm/rejection.json): p / q >= u; but a removed token is never accepted, and
///                 where no residual is left p is drawn from, not id 0
inline DraftResult verify_draft(const Pipeline& pipeline, const BatchRows& target_rows, std::span<const TokenId> drafts,
                                const BatchRows& draft_probs, const Request& request,
                                const DraftOptions& options = {}) {
  const std::size_t n = drafts.size();
  const auto require = [n](bool fits, const char* what, std::size_t count, const char* allowed) {
    if (!fits)
      detail::fail(InvalidParameter("verify_draft: " + std::string(what) + " are " + std::to_string(count) + " for " +
                                    std::to_string(n) + " drafts, allowed are " + allowed));
  };
  require(target_rows.size() == n || target_rows.size() == n + 1, "rows", target_rows.size(), "as many or one more");
  require(draft_probs.size() == 0 || draft_probs.size() == n, "draft_probs", draft_probs.size(), "none or as many");
  require(options.uniforms.empty() || options.uniforms.size() >= n, "uniforms", options.uniforms.size(),
          "none or as many");
  for (std::size_t i = 0; !options.exp_noise.empty() && i < n; ++i)
    require(options.exp_noise.size() >= target_rows[i].size(), "exp_noise", options.exp_noise.size(),
            "none or as many as a row is wide");
  const detail::FloatEnvironment plain;
  detail::DraftVerifier verifier(pipeline, target_rows, drafts, draft_probs, request, options);
  const std::string_view selector = pipeline.selector().type();
  if (options.rule == DraftRule::replay || selector == "greedy") return verifier.replay();
  if (selector != "multinomial" && selector != "exponential_race" && selector != "llama_cpp_dist")
    return {0, kNoToken, Status::unsupported, {}};
  return options.rule == DraftRule::block ? verifier.verify_block() : verifier.reject();
}

LOGITKIT_NAMESPACE_END
