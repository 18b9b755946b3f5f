// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/core/error.hpp"
#include "logitkit/decide/label_math.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// n rows of k numbers, one a label, and the right label of each row. Borrowed.
///   values   n x k, row after row: scores (Decision::scores) or probabilities, as the function asks
///   labels   n right answers, 0 to k - 1
struct Labelled {
  std::span<const double> values;
  std::span<const int> labels;
};

namespace detail {

/// Labelled rows whose sizes and labels were checked.
struct LabelledRows {
  std::span<const double> values;
  std::span<const int> labels;
  std::size_t width;

  std::size_t size() const { return labels.size(); }
  std::span<const double> row(std::size_t i) const { return values.subspan(i * width, width); }
  std::size_t label(std::size_t i) const { return static_cast<std::size_t>(labels[i]); }
};

/// "function: row 7: "
inline std::string row_prefix(std::string_view function, std::size_t row) {
  return std::string(function) + ": row " + std::to_string(row) + ": ";
}

/// InvalidParameter unless there are n >= 1 labels, n x k values with k >= 2, and every label is 0 to k - 1.
inline LabelledRows checked_rows(std::string_view function, const Labelled& data) {
  const std::size_t n = data.labels.size(), values = data.values.size();
  if (n == 0) fail(InvalidParameter(std::string(function) + ": there are no labels, allowed is at least 1"));
  if (values % n != 0 || values / n < 2)
    fail(InvalidParameter(std::string(function) + ": " + std::to_string(values) + " values for " + std::to_string(n) +
                          " labels, allowed are as many for each label, at least 2"));
  const LabelledRows rows{data.values, data.labels, values / n};
  for (std::size_t i = 0; i < n; ++i)
    if (data.labels[i] < 0 || rows.label(i) >= rows.width)
      fail(InvalidParameter(row_prefix(function, i) + "the label is " + std::to_string(data.labels[i]) +
                            ", allowed is 0 to " + std::to_string(rows.width - 1)));
  return rows;
}

/// The same for rows of probabilities: each 0 to 1, every row with a sum of 1. The tolerance lets pass what an API
/// rounded to four digits, not percents or logits.
inline LabelledRows checked_probabilities(std::string_view function, const Labelled& data) {
  const LabelledRows rows = checked_rows(function, data);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0;
    for (const double p : rows.row(i)) {
      if (!(p >= 0 && p <= 1))
        fail(InvalidParameter(row_prefix(function, i) + "a probability is " + number_text(p) + ", allowed is 0 to 1"));
      sum += p;
    }
    if (!(sum >= 1 - 1e-3 && sum <= 1 + 1e-3))
      fail(InvalidParameter(row_prefix(function, i) + "the probabilities sum to " + number_text(sum) +
                            ", allowed is 1 within 0.001"));
  }
  return rows;
}

/// A score is finite as float32, or -inf for a label that is ruled out.
inline void require_score(std::string_view function, std::size_t row, double score) {
  if (score != -math::kInfinity && !finite().contains(score))
    fail(InvalidParameter(row_prefix(function, row) + "a score is " + number_text(score) +
                          ", allowed is a finite float32 or -inf"));
}

/// The same for rows of scores; the right label is never ruled out.
inline LabelledRows checked_scores(std::string_view function, const Labelled& data) {
  const LabelledRows rows = checked_rows(function, data);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const double score : rows.row(i)) require_score(function, i, score);
    if (rows.row(i)[rows.label(i)] == -math::kInfinity)
      fail(InvalidParameter(row_prefix(function, i) + "the right label's score is -inf, which no temperature mends"));
  }
  return rows;
}

template <class T>
bool overlaps(std::span<const T> a, std::span<const T> b) {
  const std::less<const T*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

/// A figure taken on the rows that were fitted to would flatter: InvalidParameter if the two share memory.
inline void require_disjoint(std::string_view function, const Labelled& fit, const Labelled& held_out) {
  if (overlaps(fit.values, held_out.values) || overlaps(fit.labels, held_out.labels))
    fail(InvalidParameter(std::string(function) + ": the held-out rows overlap those that are fitted to"));
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
