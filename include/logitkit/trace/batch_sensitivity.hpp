// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/batch.hpp"
#include "logitkit/trace/explain.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How much two recordings of the same decode steps differ, and what that does to the tokens.
struct BatchSensitivity {
  static constexpr std::size_t kNever = ~std::size_t{0};

  std::size_t rows = 0;
  double largest_difference = 0;       ///< of two logits of one id; +inf where only one of them is masked
  std::size_t largest_at = 0;          ///< the row that has it
  TokenId largest_token = kNoToken;    ///< the id that has it; kNoToken if all rows are equal
  std::size_t first_greedy = kNever;   ///< first row where the largest logit has another id
  std::size_t first_draw = kNever;     ///< first row where the pipeline picks another token
  std::size_t greedy_differences = 0;  ///< rows where that is so
  std::size_t draw_differences = 0;
  std::size_t greedy_near_ties = 0;  ///< rows whose Explanation::flip_distance under Greedy is <= largest_difference
  std::size_t draw_near_ties = 0;    ///< the same for the pipeline, where that is known
};

/// Compares two recordings of the same steps of one sequence, for example in a batch of 1 and of 8. Row i is taken for
/// the step after i tokens: the request (a copy) accepts what the pipeline picks from rows_a, in both recordings.
///   edge    rows that cannot be decoded count as a difference if only one of the two fails
///   throws  InvalidParameter if the numbers or widths of the rows differ
inline BatchSensitivity batch_sensitivity(const BatchRows& rows_a, const BatchRows& rows_b, const Pipeline& pipeline,
                                          const Request& request) {
  if (rows_a.size() != rows_b.size())
    detail::fail(InvalidParameter("batch_sensitivity: rows_b are " + std::to_string(rows_b.size()) +
                                  ", allowed are as many as rows_a, " + std::to_string(rows_a.size())));
  BatchSensitivity result;
  result.rows = rows_a.size();
  for (std::size_t i = 0; i < result.rows; ++i) {
    const LogitsView a = rows_a[i], b = rows_b[i];
    if (a.size() != b.size())
      detail::fail(InvalidParameter("batch_sensitivity: row " + std::to_string(i) + " of rows_b has " +
                                    std::to_string(b.size()) + " logits, allowed are as many as in rows_a, " +
                                    std::to_string(a.size())));
    for (std::size_t id = 0; id < a.size(); ++id) {
      const double difference = a[id] == b[id] ? 0 : std::abs(static_cast<double>(a[id]) - static_cast<double>(b[id]));
      if (!(difference > result.largest_difference)) continue;
      result.largest_difference = difference;
      result.largest_at = i;
      result.largest_token = static_cast<TokenId>(id);
    }
  }

  Request now = request;
  const Request bare({}, {.seed = 0, .vocabulary_size = request.vocabulary_size()});  // greedy on the row alone
  const Pipeline greedy = Greedy();
  const ExplainOptions how{.nearby = 0, .top = 0};
  const auto count = [](bool differs, std::size_t row, std::size_t& first, std::size_t& differences) {
    if (!differs) return;
    first = std::min(first, row);
    ++differences;
  };
  for (std::size_t i = 0; i < result.rows; ++i) {
    const Explanation best = explain(greedy, rows_a[i], bare, how), drawn = explain(pipeline, rows_a[i], now, how);
    count(best.pick.token != greedy.pick(rows_b[i], bare).token, i, result.first_greedy, result.greedy_differences);
    count(drawn.pick.token != pipeline.pick(rows_b[i], now).token, i, result.first_draw, result.draw_differences);
    result.greedy_near_ties += best.flip_distance <= result.largest_difference ? 1 : 0;
    result.draw_near_ties += drawn.flip_distance <= result.largest_difference ? 1 : 0;
    if (drawn) now.accept(drawn.pick);
  }
  return result;
}

LOGITKIT_NAMESPACE_END
