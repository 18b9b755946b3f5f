// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "logitkit/decide/reliability.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Softmax of every row of scores, n x k, row after row, after division by a temperature.
///   label_scores   n x k, finite or -inf, at least one finite in each row
///   k              labels a row, at least 1
///   throws         InvalidParameter for anything else, or a temperature outside 1e-30 to 3e38
inline std::vector<double> label_probabilities(std::span<const double> label_scores, std::size_t k,
                                               double temperature = 1) {
  const detail::FloatEnvironment plain;
  detail::require_temperature("label_probabilities", temperature);
  if (k == 0 || label_scores.size() % k != 0)
    detail::fail(InvalidParameter("label_probabilities: " + std::to_string(label_scores.size()) +
                                  " scores in rows of " + std::to_string(k) + ", allowed are whole rows"));
  std::vector<double> out(label_scores.size());
  for (std::size_t i = 0; i < out.size(); i += k) {
    const std::span<const double> scores = label_scores.subspan(i, k);
    for (const double score : scores) detail::require_score("label_probabilities", i / k, score);
    if (scores[detail::first_largest(scores)] == -detail::math::kInfinity)
      detail::fail(InvalidParameter(detail::row_prefix("label_probabilities", i / k) + "all scores are -inf"));
    detail::softmax_of(scores, temperature, std::span(out).subspan(i, k));
  }
  return out;
}

namespace detail {

/// The negative log-likelihood of the right labels as a function of 1 / T: its first and second derivative.
struct Slope {
  double value = 0, growth = 0;
  double scale = 0;  ///< sum of the sizes of what was added up to `value`
};

/// A row adds (mean score under softmax(scores / T) - score of the right label) and the variance of the score.
inline Slope nll_slope(const LabelledRows& rows, double temperature) {
  Slope slope;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const double> scores = rows.row(i);
    const double right = scores[rows.label(i)], max = scores[first_largest(scores)];
    double sum = 0, first = 0, second = 0;
    for (const double score : scores) {
      const double weight = math::exp((score - max) / temperature);
      if (weight == 0) continue;  // the score may be -inf
      const double above = score - right;
      sum += weight;
      first = std::fma(weight, above, first);
      second = std::fma(weight * above, above, second);
    }
    const double mean = first / sum;
    slope.value += mean;
    slope.scale += std::abs(mean);
    slope.growth += std::fma(-mean, mean, second / sum);
  }
  return slope;
}

inline double fit_temperature(std::string_view function, const LabelledRows& rows) {
  const auto refuse = [&](const char* why) { fail(InvalidParameter(std::string(function) + ": " + why)); };
  if (std::all_of(rows.labels.begin(), rows.labels.end(), [&](int label) { return label == rows.labels[0]; }))
    refuse("all labels are the same, allowed are rows of at least two classes");
  double cold = kLabelTemperatures.low, hot = kLabelTemperatures.high;
  if (const Slope slope = nll_slope(rows, hot); !(slope.value < -1e-12 * slope.scale))  // 0, but for rounding
    refuse(
        "the right labels score no higher than the others on average (reversed or empty of information), so no "
        "temperature is best");
  if (!(nll_slope(rows, cold).value > 0))
    refuse(
        "the right label has the largest score in every row (separable), so the likelihood grows as T goes to 0; "
        "allowed are rows with at least one mistake");
  double temperature = std::sqrt(cold * hot), last_step = hot;
  while (true) {
    const Slope slope = nll_slope(rows, temperature);
    (slope.value > 0 ? cold : hot) = temperature;
    double next = 1 / (1 / temperature - slope.value / slope.growth);  // Newton's
    const auto step = [&] { return std::abs(next - temperature); };
    const double small = 1e-10 * temperature;
    if (!(step() <= small || (cold < next && next < hot && step() < last_step / 2))) next = std::sqrt(cold * hot);
    if (step() <= small) return next;
    last_step = step();
    temperature = next;
  }
}

}  // namespace detail

/// The temperature that makes the right labels most likely. It does not change which label is best. The negative
/// log-likelihood of softmax(scores / T) is convex in 1 / T, so the zero of its slope is bracketed from the start, by
/// 1e-30 and 3e38, and found by Newton's steps, or by halving where they do not help; there is no start value.
///   label_scores   n x k, row after row: Decision::scores, or logits of the labels; -inf for a label that is ruled out
///   labels         n right answers, 0 to k - 1; k >= 2
///   throws         InvalidParameter if the sizes do not fit; if there are no rows; if all labels are the same; if the
///                  right label is best in every row (T would be 0); if it scores no higher than the others on average
///                  (T would be infinite or negative); if a score is NaN or infinite, or a right label's is -inf
///   returns        T, to a relative 1e-10
///   source         Guo et al., "On calibration of modern neural networks", 2017
///   cost           5 to 20 readings of the scores, each with one exp a score
inline double fit_temperature(std::span<const double> label_scores, std::span<const int> labels) {
  const detail::FloatEnvironment plain;
  return detail::fit_temperature("fit_temperature", detail::checked_scores("fit_temperature", {label_scores, labels}));
}

/// A fitted temperature, and what it does to rows that it was not fitted to.
struct Calibration {
  double temperature = 1;
  Reliability before;  ///< of the held-out rows at T = 1
  Reliability after;   ///< and at the fitted T: the same answers, so equal accuracy
};

/// Fits on some rows of scores and reports on others.
///   throws   as fit_temperature and reliability; and if the two share memory or differ in the number of labels
inline Calibration calibrate(const Labelled& fit, const Labelled& held_out, const ReliabilityOptions& options = {}) {
  using namespace detail;
  const FloatEnvironment plain;
  require_disjoint("calibrate", fit, held_out);
  check_bins("calibrate", options);
  const LabelledRows fitted = checked_scores("calibrate", fit), rows = checked_scores("calibrate", held_out);
  if (fitted.width != rows.width)
    fail(InvalidParameter("calibrate: fitted rows have " + std::to_string(fitted.width) + " labels, held-out ones " +
                          std::to_string(rows.width) + ", allowed are as many"));
  Calibration result;
  result.temperature = detail::fit_temperature("calibrate", fitted);
  std::vector<std::size_t> best;  // by the scores: a high temperature may round different ones to one probability
  for (std::size_t i = 0; i < rows.size(); ++i) best.push_back(first_largest(rows.row(i)));
  const auto report = [&](double temperature) {
    const std::vector<double> probabilities = label_probabilities(rows.values, rows.width, temperature);
    return detail::reliability({probabilities, rows.labels, rows.width}, best, options);
  };
  result.before = report(1);
  result.after = report(result.temperature);
  return result;
}

LOGITKIT_NAMESPACE_END
