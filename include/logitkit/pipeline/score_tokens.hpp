// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/batch.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How likely given tokens are, one by one.
struct TokenScores {
  Status status = Status::ok;        ///< the first that failed
  std::vector<TokenLogprob> tokens;  ///< one for each given token, up to the first that failed
  double sum_logprob = 0;            ///< added in order, in double
  /// exp(-sum_logprob / n): e^0 = 1 where every token is certain, the width of the row where all are equally likely.
  double perplexity = std::numeric_limits<double>::quiet_NaN();
};

/// Scores a text that is already there (a prompt, an answer to be judged): raw log-probability and rank of tokens[i] in
/// rows[i], the row of the position before it.
///   throws  InvalidParameter if there are not as many rows as tokens
///   edge    perplexity is NaN without tokens or after an error, infinite where a token is impossible
///   as in   vLLM prompt_logprobs (its entry 0 has no row and is not listed here)
inline TokenScores score_tokens(const BatchRows& rows, std::span<const TokenId> tokens) {
  if (rows.size() != tokens.size())
    detail::fail(InvalidParameter("score_tokens: tokens are " + std::to_string(tokens.size()) +
                                  ", allowed are as many as rows, " + std::to_string(rows.size())));
  TokenScores scores;
  Workspace workspace;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Logprobs found = logprobs(rows[i], {.tokens = {tokens[i]}}, workspace);
    scores.status = found.status;
    if (!found) return scores;
    scores.tokens.push_back(found.tokens.front());
    scores.sum_logprob += static_cast<double>(found.tokens.front().logprob);
  }
  if (!tokens.empty()) scores.perplexity = detail::math::exp(-scores.sum_logprob / static_cast<double>(tokens.size()));
  return scores;
}

LOGITKIT_NAMESPACE_END
