// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "logitkit/numeric/rounded.hpp"
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Keeps the most likely of the 100 best tokens as long as they hold no more than a share h of the entropy of these
/// 100.
///   formula   q = softmax over the 100 best; in rank order the running sum of -q ln q must be <= h * the sum of all;
///             in double
///   range     h in (0, 1]; 1 keeps the 100 best
///   boundary  equality stays; the best always stays
///   ties      lower id first, also at the 100th
///   cost      as TopK with k = 100
///   as in     HF top_h
struct TopH {
  static constexpr std::string_view kType = "top_h";
  static constexpr std::string_view kSummary = "keeps the best tokens that hold a share of the entropy";
  static constexpr StepTraits kTraits{.truncates = true, .keeps_best = true};
  static constexpr std::size_t kMost = 100;

  double h = 1;

  TopH() = default;
  explicit TopH(double share) : h(share) { detail::require_valid(*this); }

  void operator()(Candidates& candidates, const StepView&) const noexcept {
    const auto best = candidates.ranked(kMost);
    const std::size_t n = best.size();
    std::array<float, kMost> e;
    for (std::size_t i = 0; i < n; ++i) e[i] = detail::logit_of(best[i]);
    const float max = e[0];
    detail::kernels().exp(e.data(), e.data(), n, max);
    double mass = 0;
    for (std::size_t i = 0; i < n; ++i) mass += static_cast<double>(e[i]);
    const double ln_mass = detail::math::log(mass);
    std::array<double, kMost> running;  // of - e ln q
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double surprise = ln_mass - (static_cast<double>(detail::logit_of(best[i])) - static_cast<double>(max));
      sum += e[i] > 0 ? detail::rounded(static_cast<double>(e[i]) * surprise) : 0.0;
      running[i] = sum;
    }
    std::size_t kept = 1;
    while (kept < n && running[kept] <= h * sum) ++kept;
    candidates.keep_top(kept);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("h", self.h, Range{0, 1, true, false});
  }
};

LOGITKIT_NAMESPACE_END
