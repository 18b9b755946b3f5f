// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/top_k.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct TypicalPOptions {
  std::int64_t min_keep = 1;
  Ties ties = Ties::exact;
};

/// Keeps the tokens whose surprise is nearest to the expected one until they hold mass p (Meister et al.). It may drop
/// the most likely token, and what stays is no prefix of the total order.
///   formula   distance |x - (log-sum-exp - H)| in double, rounded once to float32; H = entropy in nats
///   range     p in (0, 1], 1 = off; min_keep >= 1
///   boundary  in order of distance, then id, a candidate stays iff the mass before it is < p: the one that crosses p
///             stays
///   ties      exact: lower ids first; keep: all at the distance of the last stay too
///   cost      three readings with an exp per logit, and a sort of all candidates: put top-k or min-p before it
///   as in     llama.cpp typical (exact), HF typical_p (keep)
struct TypicalP {
  static constexpr std::string_view kType = "typical_p";
  static constexpr std::string_view kSummary = "keeps the tokens of the most expected surprise that hold mass p";
  static constexpr StepTraits kTraits{.truncates = true};

  double p = 1;
  std::int64_t min_keep = 1;
  Ties ties = Ties::exact;

  TypicalP() = default;
  explicit TypicalP(double mass, TypicalPOptions options = {})
      : p(mass), min_keep(options.min_keep), ties(options.ties) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return p == 1; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    if (!is_neutral()) candidates.keep_typical(p, static_cast<std::size_t>(min_keep), ties);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("p", self.p, Range{0, 1, true, false});
    f("min_keep", self.min_keep, at_least(1), std::int64_t{1});
    f("ties", self.ties, Range{}, Ties::exact);
  }
};

LOGITKIT_NAMESPACE_END
