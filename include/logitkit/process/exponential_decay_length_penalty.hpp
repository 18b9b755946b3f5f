// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/end_ids.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Makes end tokens ever more likely once more than `start` tokens have been generated.
///   formula  x + |x| * (factor^(output - start) - 1); the factor in double, rounded once, product and sum in float32
///   range    start >= 0; factor > 0, 1 = off; below 1 it makes them less likely
///   edge     a removed end token stays removed (HF: NaN); 0 stays 0; overflow to +inf: `overflow`
///   cost     O(end ids)
///   as in    HF exponential_decay_length_penalty
struct ExponentialDecayLengthPenalty {
  static constexpr std::string_view kType = "exponential_decay_length_penalty";
  static constexpr std::string_view kSummary = "makes end tokens ever more likely";
  static constexpr StepTraits kTraits{.changes_odds = true};

  std::int64_t start = 0;
  double factor = 1;
  std::optional<TokenIds> end_ids;

  ExponentialDecayLengthPenalty() = default;
  ExponentialDecayLengthPenalty(std::int64_t after, double growth, EndOptions options = {})
      : start(after), factor(growth), end_ids(std::move(options.end_ids)) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return factor == 1; }
  /// Whether it changes anything at this position.
  bool acts(const StepView& view) const {
    return !is_neutral() && view.output().size() > static_cast<std::size_t>(start);
  }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (!acts(view)) return;
    const std::size_t over = view.output().size() - static_cast<std::size_t>(start);
    const auto growth = static_cast<float>(detail::math::pow(factor, static_cast<double>(over)) - 1);
    for (const TokenId id : detail::end_ids_of(end_ids, view))
      candidates.change(id, [growth](float x) { return x + detail::rounded(std::fabs(x) * growth); });
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("start", self.start, at_least(0));
    f("factor", self.factor, above(0));
    f("end_ids", self.end_ids);
  }
};

LOGITKIT_NAMESPACE_END
