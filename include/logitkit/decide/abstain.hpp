// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/decide/decision.hpp"
#include "logitkit/decide/labelled.hpp"
#include "logitkit/numeric/float_environment.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What an answer's certainty is measured by.
enum class Certainty : std::uint8_t {
  probability,  ///< of the best label
  margin,       ///< the best probability minus the second best
  entropy,      ///< of all labels, in nats; the only one where less is more certain
};

/// The measure as it is spelled here.
constexpr std::string_view name(Certainty by) {
  constexpr std::string_view kNames[] = {"probability", "margin", "entropy"};
  return kNames[static_cast<std::size_t>(by)];
}

namespace detail {

inline double certainty_of(Certainty by, std::span<const double> probabilities) {
  switch (by) {
    case Certainty::margin:
      return margin_of(probabilities);
    case Certainty::entropy:
      return entropy_of(probabilities);
    default:
      return probabilities[first_largest(probabilities)];
  }
}

}  // namespace detail

/// When to answer, and when to say "I don't know".
class AbstainRule {
 public:
  /// Answers where the best label has at least this probability, 0 to 1.
  static AbstainRule probability(double at_least) { return {Certainty::probability, at_least}; }
  /// Answers where the best label is ahead of the second by at least this probability, 0 to 1.
  static AbstainRule margin(double at_least) { return {Certainty::margin, at_least}; }
  /// Answers where the entropy is at most this many nats, at least 0; ln k answers always.
  static AbstainRule entropy(double at_most) { return {Certainty::entropy, at_most}; }
  /// One of the above. Throws InvalidParameter if the threshold is out of range.
  AbstainRule(Certainty by, double threshold) : by_(by), threshold_(threshold) {
    const Range range = by == Certainty::entropy ? at_least(0) : within(0, 1);
    if (!range.contains(threshold))
      detail::fail(InvalidParameter("AbstainRule: " + detail::out_of_range("threshold", threshold, range)));
  }

  Certainty by() const { return by_; }
  double threshold() const { return threshold_; }

  /// False: say "I don't know". Always for a decision that failed.
  bool answers(const Decision& decision) const { return decision && answers(decision.probabilities); }
  /// The same for one row of probabilities, not empty.
  bool answers(std::span<const double> probabilities) const {
    const detail::FloatEnvironment plain;
    const double certainty = detail::certainty_of(by_, probabilities);
    return by_ == Certainty::entropy ? certainty <= threshold_ : certainty >= threshold_;
  }
  bool operator==(const AbstainRule&) const = default;

 private:
  Certainty by_;
  double threshold_;
};

/// What becomes of rows under one threshold.
struct CoveragePoint {
  double threshold = 0;
  double coverage = 0;                   ///< share of rows that are answered
  double accuracy = detail::math::kNaN;  ///< share of the answered rows that are right; 1 - risk. NaN: none answered
  bool operator==(const CoveragePoint&) const = default;
};

namespace detail {

inline std::vector<CoveragePoint> coverage_accuracy(const LabelledRows& rows, Certainty by) {
  struct CertainAnswer {
    double certainty;
    bool is_right;
  };
  std::vector<CertainAnswer> answers;
  for (std::size_t i = 0; i < rows.size(); ++i)
    answers.push_back({certainty_of(by, rows.row(i)), first_largest(rows.row(i)) == rows.label(i)});
  std::sort(answers.begin(), answers.end(), [by](const CertainAnswer& a, const CertainAnswer& b) {
    return by == Certainty::entropy ? a.certainty < b.certainty : a.certainty > b.certainty;
  });
  std::vector<CoveragePoint> curve;
  std::size_t right = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    right += answers[i].is_right ? 1 : 0;
    if (i + 1 < answers.size() && answers[i].certainty == answers[i + 1].certainty) continue;
    const auto answered = static_cast<double>(i + 1);
    curve.push_back(
        {answers[i].certainty, answered / static_cast<double>(rows.size()), static_cast<double>(right) / answered});
  }
  return curve;
}

}  // namespace detail

/// What every threshold would give: coverage and accuracy (risk = 1 - accuracy), the most certain rows first.
///   probabilities   n x k, as for `reliability`; calibrate them first
///   labels          n right answers, 0 to k - 1; k >= 2
///   returns         one point for each certainty that occurs; rows of equal certainty are answered together; the last
///                   point answers everything
///   throws          InvalidParameter as `reliability`
///   cost            O(n k + n log n)
inline std::vector<CoveragePoint> coverage_accuracy(std::span<const double> probabilities, std::span<const int> labels,
                                                    Certainty by = Certainty::probability) {
  const detail::FloatEnvironment plain;
  return detail::coverage_accuracy(detail::checked_probabilities("coverage_accuracy", {probabilities, labels}), by);
}

/// A threshold found on some rows, and what it gives on others.
struct AbstainFit {
  AbstainRule rule;
  CoveragePoint fitted, held_out;
};

/// The rule that answers most rows while the fitted ones reach an accuracy.
///   fit, held_out     rows of probabilities
///   wanted_accuracy   0 to 1
///   throws            InvalidParameter as `reliability`; if the two share memory; if no threshold is accurate enough
inline AbstainFit fit_abstain_rule(const Labelled& fit, const Labelled& held_out, double wanted_accuracy,
                                   Certainty by = Certainty::probability) {
  using namespace detail;
  constexpr const char* kName = "fit_abstain_rule";
  const FloatEnvironment plain;
  require_disjoint(kName, fit, held_out);
  if (!within(0, 1).contains(wanted_accuracy))
    fail(InvalidParameter(std::string(kName) + ": " + out_of_range("wanted_accuracy", wanted_accuracy, within(0, 1))));
  const std::vector<CoveragePoint> curve = detail::coverage_accuracy(checked_probabilities(kName, fit), by);
  const auto found =
      std::find_if(curve.rbegin(), curve.rend(), [=](const CoveragePoint& p) { return p.accuracy >= wanted_accuracy; });
  if (found == curve.rend())
    fail(InvalidParameter(std::string(kName) + ": no threshold has an accuracy of " + number_text(wanted_accuracy)));

  const AbstainRule rule(by, found->threshold);
  const LabelledRows rows = checked_probabilities(kName, held_out);
  std::size_t answered = 0, right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rule.answers(rows.row(i))) continue;
    ++answered;
    right += first_largest(rows.row(i)) == rows.label(i) ? 1 : 0;
  }
  CoveragePoint outcome{rule.threshold(), static_cast<double>(answered) / static_cast<double>(rows.size())};
  if (answered > 0) outcome.accuracy = static_cast<double>(right) / static_cast<double>(answered);
  return {rule, *found, outcome};
}

LOGITKIT_NAMESPACE_END
