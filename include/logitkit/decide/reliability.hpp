// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "logitkit/decide/labelled.hpp"
#include "logitkit/numeric/float_environment.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How confidences (the best label's probability) are sorted into bins.
enum class Binning : std::uint8_t {
  equal_width,  ///< bin b of n holds those above b / n, up to and including (b + 1) / n
  equal_mass,   ///< as many rows in each, but for equal confidences, which stay together; so there may be fewer bins
};

struct ReliabilityOptions {
  int bins = 10;  ///< 1 to 10,000
  Binning binning = Binning::equal_width;
};

/// The rows whose confidence lies in one interval.
struct ReliabilityBin {
  double low, high;  ///< the interval; equal mass: the smallest and the largest confidence in the bin
  std::size_t count = 0;
  double confidence = detail::math::kNaN;  ///< mean over the rows; NaN in an empty bin
  double accuracy = detail::math::kNaN;    ///< share of rows whose best label is right; NaN in an empty bin
};

/// How far probabilities can be trusted: of the answers given with 80 %, are 80 % right?
struct Reliability {
  std::vector<ReliabilityBin> bins;
  double ece = 0;    ///< expected calibration error: mean over the rows of |accuracy - confidence| of their bin
  double mce = 0;    ///< maximum calibration error: the largest |accuracy - confidence| of a bin
  double brier = 0;  ///< mean of the sum over all labels of (p - [label is right])^2: 0 to 2
  double nll = 0;    ///< mean of -ln p of the right label; infinite where one had 0
  double accuracy = 0;
  std::size_t count = 0;  ///< rows
};

namespace detail {

/// The best label's probability, and whether that label is right.
struct Answer {
  double confidence;
  bool is_right;
};

inline std::size_t bin_of(double confidence, std::size_t bins) {
  const auto edge = [bins](std::size_t b) { return static_cast<double>(b) / static_cast<double>(bins); };
  std::size_t bin = std::min(static_cast<std::size_t>(confidence * static_cast<double>(bins)), bins - 1);
  if (bin > 0 && confidence <= edge(bin)) --bin;  // the product may have rounded; edges are what they say
  if (confidence > edge(bin + 1)) ++bin;
  return bin;
}

/// Closes a bin over answers.
inline ReliabilityBin make_bin(double low, double high, std::span<const Answer> answers) {
  ReliabilityBin bin{low, high, answers.size()};
  if (answers.empty()) return bin;
  double confidence = 0, right = 0;
  for (const Answer& answer : answers) {
    confidence += answer.confidence;
    right += answer.is_right ? 1 : 0;
  }
  bin.confidence = confidence / static_cast<double>(answers.size());
  bin.accuracy = right / static_cast<double>(answers.size());
  return bin;
}

/// `answers` in ascending order of confidence.
inline std::vector<ReliabilityBin> make_bins(std::span<const Answer> answers, const ReliabilityOptions& options) {
  const auto count = static_cast<std::size_t>(options.bins);
  std::vector<ReliabilityBin> bins;
  std::size_t first = 0;
  for (std::size_t b = 0; b < count; ++b) {
    std::size_t end = first;
    if (options.binning == Binning::equal_width) {
      while (end < answers.size() && bin_of(answers[end].confidence, count) == b) ++end;
      const auto width = static_cast<double>(count);
      bins.push_back(make_bin(static_cast<double>(b) / width, static_cast<double>(b + 1) / width,
                              answers.subspan(first, end - first)));
    } else {
      end = std::max(first, (b + 1) * answers.size() / count);
      while (end > first && end < answers.size() && answers[end].confidence == answers[end - 1].confidence) ++end;
      if (end > first)
        bins.push_back(
            make_bin(answers[first].confidence, answers[end - 1].confidence, answers.subspan(first, end - first)));
    }
    first = end;
  }
  return bins;
}

/// `best`: the label that each row answers.
inline Reliability reliability(const LabelledRows& rows, std::span<const std::size_t> best,
                               const ReliabilityOptions& options) {
  Reliability result;
  result.count = rows.size();
  const auto n = static_cast<double>(rows.size());
  std::vector<Answer> answers;
  double right = 0, squares = 0, nll = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const double> p = rows.row(i);
    answers.push_back({p[best[i]], best[i] == rows.label(i)});
    right += answers.back().is_right ? 1 : 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double miss = p[j] - (j == rows.label(i) ? 1 : 0);
      squares = std::fma(miss, miss, squares);
    }
    nll -= math::log(p[rows.label(i)]);
  }
  result.accuracy = right / n;
  result.brier = squares / n;
  result.nll = nll / n;
  std::stable_sort(answers.begin(), answers.end(),
                   [](const Answer& a, const Answer& b) { return a.confidence < b.confidence; });
  result.bins = make_bins(answers, options);
  for (const ReliabilityBin& bin : result.bins) {
    if (bin.count == 0) continue;
    const double gap = std::abs(bin.accuracy - bin.confidence);
    result.ece = std::fma(static_cast<double>(bin.count) / n, gap, result.ece);
    result.mce = std::max(result.mce, gap);
  }
  return result;
}

inline void check_bins(std::string_view function, const ReliabilityOptions& options) {
  constexpr Range kBins = within(1, 10000);
  if (!kBins.contains(options.bins))
    fail(InvalidParameter(std::string(function) + ": " +
                          out_of_range("bins", static_cast<std::int64_t>(options.bins), kBins)));
}

}  // namespace detail

/// Compares probabilities with what was right.
///   probabilities   n x k, row after row, every row with a sum of 1 (within 0.001)
///   labels          n right answers, 0 to k - 1; k >= 2
///   ties            the answer is the first of equally probable labels
///   throws          InvalidParameter if the sizes do not fit, or a probability, a label or `bins` is out of range
///   source          Guo et al., "On calibration of modern neural networks", 2017; Brier, 1950 (his form: all labels)
///   cost            O(n k + n log n)
inline Reliability reliability(std::span<const double> probabilities, std::span<const int> labels,
                               const ReliabilityOptions& options = {}) {
  const detail::FloatEnvironment plain;
  const detail::LabelledRows rows = detail::checked_probabilities("reliability", {probabilities, labels});
  detail::check_bins("reliability", options);
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < rows.size(); ++i) best.push_back(detail::first_largest(rows.row(i)));
  return detail::reliability(rows, best, options);
}

LOGITKIT_NAMESPACE_END
