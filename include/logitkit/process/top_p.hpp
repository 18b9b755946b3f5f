// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Options of steps that keep a number of candidates in any case.
struct KeepOptions {
  std::int64_t min_keep = 1;
};

/// Keeps the smallest group of most likely tokens whose probability mass reaches p (nucleus sampling, Holtzman et al.).
///   range     p in [0, 1], min_keep >= 1
///   boundary  a candidate stays iff the mass ranked before it is < p: the one that crosses p stays, equality adds none
///   ties      lower id first
///   edge      p = 1 changes nothing; p = 0 keeps min_keep
///   cost      one reading with an exp per logit for the exact normaliser; no sort of V
///   as in     HF, vLLM, llama.cpp top_p
struct TopP {
  static constexpr std::string_view kType = "top_p";
  static constexpr std::string_view kSummary = "keeps the most likely tokens that hold mass p";
  static constexpr StepTraits kTraits{.truncates = true, .keeps_best = true};

  double p = 1;
  std::int64_t min_keep = 1;

  TopP() = default;
  explicit TopP(double mass, KeepOptions options = {}) : p(mass), min_keep(options.min_keep) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return p == 1; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    if (!is_neutral()) candidates.keep_mass(p, static_cast<std::size_t>(min_keep));
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("p", self.p, within(0, 1));
    f("min_keep", self.min_keep, at_least(1), std::int64_t{1});
  }
};

LOGITKIT_NAMESPACE_END
