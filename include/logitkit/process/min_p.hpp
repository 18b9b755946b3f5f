// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/top_p.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Keeps the tokens whose probability is at least p times that of the most likely one.
///   range     p in [0, 1], min_keep >= 1
///   boundary  keeps logit >= max + ln(p), compared in double: equality stays
///   ties      all ties of the boundary stay; min_keep counts by the total order
///   edge      p = 0 changes nothing; p = 1 keeps the maximum and its ties
///   cost      one reading that keeps strip maxima, then only what survives; no exp
///   as in     llama.cpp and vLLM V2 min_p (logit space); HF and vLLM V1 compare probabilities, equal up to rounding
struct MinP {
  static constexpr std::string_view kType = "min_p";
  static constexpr std::string_view kSummary = "keeps tokens with at least p of the best probability";
  static constexpr StepTraits kTraits{.truncates = true, .keeps_best = true};

  double p = 0;
  std::int64_t min_keep = 1;

  MinP() = default;
  explicit MinP(double share, KeepOptions options = {}) : p(share), min_keep(options.min_keep) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return p == 0; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    if (is_neutral()) return;
    candidates.keep_at_least(static_cast<double>(candidates.max()) + detail::math::log(p),
                             static_cast<std::size_t>(min_keep));
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("p", self.p, within(0, 1));
    f("min_keep", self.min_keep, at_least(1), std::int64_t{1});
  }
};

LOGITKIT_NAMESPACE_END
