// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/core/error.hpp"
#include "logitkit/decide/label_math.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// "No label": what a Decision holds when its status is not `ok`. Never a made-up label.
inline constexpr int kNoLabel = -1;

/// How a model's answer reads as a choice among k labels, in the order in which the head was given them.
struct Decision {
  Status status = Status::ok;           ///< `ok`, or why there is no answer; then there are no probabilities
  int best = kNoLabel;                  ///< the label with the largest score; the first of equal ones
  std::vector<double> probabilities;    ///< softmax(scores / T): k numbers of sum 1
  double margin = detail::math::kNaN;   ///< the best probability minus the second best
  double entropy = detail::math::kNaN;  ///< of the probabilities in nats, 0 to ln k
  /// The labels' share in the whole row, 0 to 1, before temperature and calibration. A small one warns that the model
  /// wanted to say something else.
  double mass = 0;
  /// ln of each label's probability in the whole row, spellings pooled, minus the content-free scores: what
  /// fit_temperature is given, and a content-free Decision hands to DecideOptions. -inf: every spelling is masked.
  std::vector<double> scores;

  explicit operator bool() const { return status == Status::ok; }
};

/// What to do to the scores before they become probabilities.
struct DecideOptions {
  double temperature = 1;  ///< divides the scores; 1e-30 to 3e38, from fit_temperature
  /// Contextual calibration: the scores (Decision::scores) of the same prompt around a text without content, such as
  /// "N/A"; the probabilities are divided by theirs. One finite number a label, or none. Borrowed.
  ///   source   Zhao et al., "Calibrate before use", 2021
  std::span<const double> content_free = {};
};

namespace detail {

inline Decision failed_decision(Status status) {
  Decision decision;
  decision.status = status;
  return decision;
}

/// The sum of probabilities of which `logs` are the logarithms; at most 1, which rounding could exceed.
inline double mass_of(std::span<const double> logs) {
  double mass = 0;
  for (const double x : logs) mass += math::exp(x);
  return std::min(mass, 1.0);
}

/// From one score a label to the decision.
inline Decision decide(std::string_view function, std::vector<double> scores, double mass,
                       const DecideOptions& options) {
  require_temperature(function, options.temperature);
  const std::span<const double> base = options.content_free;
  if (!base.empty() && base.size() != scores.size())
    fail(InvalidParameter(std::string(function) + ": content_free has " + std::to_string(base.size()) +
                          " scores, allowed are " + std::to_string(scores.size()) + ", one a label, or none"));
  for (const double score : base)
    if (!finite().contains(score))
      fail(InvalidParameter(std::string(function) + ": " + out_of_range("a score of content_free", score, finite())));

  Decision decision;
  decision.mass = mass;
  for (std::size_t j = 0; j < base.size(); ++j) scores[j] -= base[j];
  decision.scores = std::move(scores);
  const std::size_t best = first_largest(decision.scores);
  if (decision.scores[best] == -math::kInfinity) {
    decision.status = Status::no_candidates;
    return decision;
  }
  decision.best = static_cast<int>(best);
  decision.probabilities.resize(decision.scores.size());
  softmax_of(decision.scores, options.temperature, decision.probabilities);
  decision.margin = margin_of(decision.probabilities);
  decision.entropy = entropy_of(decision.probabilities);
  return decision;
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
