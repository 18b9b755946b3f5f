// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/rounded.hpp"
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Keeps logits within n standard deviations of the largest (Tang et al.): a cut that does not depend on a temperature
/// before it.
///   formula   x >= max - n * sigma, sigma of all candidates (population), all in double
///   range     n finite, n <= 0 = off
///   boundary  equality stays
///   cost      two readings; no sort
///   as in     llama.cpp top_n_sigma
struct TopNSigma {
  static constexpr std::string_view kType = "top_n_sigma";
  static constexpr std::string_view kSummary = "keeps logits within n standard deviations of the largest";
  static constexpr StepTraits kTraits{.truncates = true, .keeps_best = true};

  double n = 0;

  TopNSigma() = default;
  explicit TopNSigma(double deviations) : n(deviations) { detail::require_valid(*this); }

  bool is_neutral() const { return n <= 0; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    if (is_neutral()) return;
    const auto most = static_cast<double>(candidates.max());
    const auto count = static_cast<double>(candidates.survivors());
    const double mean = candidates.sum([most](float x, float) { return static_cast<double>(x) - most; }) / count;
    const double variance = candidates.sum([most, mean](float x, float) {
      const double d = static_cast<double>(x) - most - mean;
      return detail::rounded(d * d);
    }) / count;
    candidates.keep_at_least(most - detail::rounded(n * std::sqrt(variance)));
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("n", self.n, finite());
  }
};

LOGITKIT_NAMESPACE_END
