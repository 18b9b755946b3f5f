// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "logitkit/candidates/candidates.hpp"
#include "logitkit/numeric/float_environment.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What is reported of a token.
enum class LogprobValues : std::uint8_t {
  logprobs,  ///< ln of its probability
  logits,    ///< its logit
};

/// Which tokens to report.
struct LogprobOptions {
  static constexpr std::size_t kAll = ~std::size_t{0};

  std::size_t top = 0;               ///< the so many first of the total order; kAll = all candidates
  std::vector<TokenId> tokens = {};  ///< these in any case, for example the chosen one
  LogprobValues values = LogprobValues::logprobs;
};

/// One token's log-probability (or logit); -inf and rank 1 + number of candidates if it is none.
struct TokenLogprob {
  TokenId token = kNoToken;
  float logprob = detail::kMasked;  ///< natural log, <= 0 up to rounding
  std::size_t rank = 0;             ///< 1 + number of candidates that the total order puts before it
  bool operator==(const TokenLogprob&) const = default;
};

/// Log-probabilities of one row. Both lists are empty unless status is ok.
struct Logprobs {
  Status status = Status::ok;
  std::vector<TokenLogprob> tokens;  ///< those asked for, as they were listed
  std::vector<TokenLogprob> top;     ///< best first: logit descending, id ascending; fewer if fewer are left

  explicit operator bool() const { return status == Status::ok; }
};

namespace detail {

inline Logprobs logprobs_of(Candidates& candidates, const LogprobOptions& options) {
  Logprobs result;
  for (const TokenId token : options.tokens)
    if (token < 0 || static_cast<std::size_t>(token) >= candidates.width()) return {Status::id_out_of_range, {}, {}};
  const double base = options.values == LogprobValues::logits ? 0.0 : candidates.log_sum_exp();
  const auto value = [base](float x) { return static_cast<float>(static_cast<double>(x) - base); };
  for (const TokenId token : options.tokens)
    result.tokens.push_back({token, value(candidates.logit(token)), candidates.rank(token)});
  if (options.top == 0) return result;
  for (const std::uint64_t key : candidates.ranked(options.top))
    result.top.push_back({static_cast<TokenId>(id_of(key)), value(logit_of(key)), result.top.size() + 1});
  return result;
}

}  // namespace detail

/// Log-probabilities of a row as the model gave it, before any step ("raw"): temperature and truncations do not move
/// them. `Pipeline::logprobs` tells them after all steps, over the survivors ("processed").
///   row     borrowed; where it is wider than the vocabulary, pass row.first(vocabulary_size)
///   status  invalid_logits, no_candidates, id_out_of_range as for a pick
///   cost    two readings and one exp per logit, about one reading for each listed token, the top by strip maxima
///   as in   vLLM raw_logprobs, raw_logits; its ranks count ties, ours put lower ids first
inline Logprobs logprobs(LogitsView row, const LogprobOptions& options, Workspace& workspace) {
  const detail::FloatEnvironment plain;
  Candidates candidates;
  if (const Status status = candidates.open(workspace, row, 0); status != Status::ok) return {status, {}, {}};
  if (candidates.empty()) return {Status::no_candidates, {}, {}};
  return detail::logprobs_of(candidates, options);
}
inline Logprobs logprobs(LogitsView row, const LogprobOptions& options = {}) {
  Workspace workspace;
  return logprobs(row, options, workspace);
}

LOGITKIT_NAMESPACE_END
