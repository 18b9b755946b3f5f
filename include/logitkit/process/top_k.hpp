// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

constexpr std::array<std::string_view, 2> enum_names(Ties) { return {"exact", "keep"}; }

struct TopKOptions {
  Ties ties = Ties::exact;
  std::int64_t min_keep = 1;
};

/// Keeps the k candidates with the largest logits.
///   range   k >= 0, 0 = off; max(k, min_keep) stay; more than there are: all stay
///   ties    exact: lower ids first, exactly k stay; keep: all that equal the k-th stay too
///   cost    one reading that keeps strip maxima, then about k candidates; k > V/16: a bisection of up to 33 readings
///   as in   llama.cpp top_k (exact); HF and vLLM (keep)
struct TopK {
  static constexpr std::string_view kType = "top_k";
  static constexpr std::string_view kSummary = "keeps the k largest logits";
  static constexpr StepTraits kTraits{.truncates = true, .keeps_best = true};

  std::int64_t k = 0;
  Ties ties = Ties::exact;
  std::int64_t min_keep = 1;

  TopK() = default;
  explicit TopK(std::int64_t most, TopKOptions options = {}) : k(most), ties(options.ties), min_keep(options.min_keep) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return k == 0; }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    if (k > 0) candidates.keep_top(static_cast<std::size_t>(std::max(k, min_keep)), ties);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("k", self.k, at_least(0));
    f("ties", self.ties, Range{}, Ties::exact);
    f("min_keep", self.min_keep, at_least(1), std::int64_t{1});
  }
};

LOGITKIT_NAMESPACE_END
