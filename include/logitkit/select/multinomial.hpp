// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Draws a token with its probability: one uniform of (seed, stream, position), inverse of the distribution function in
/// id order (design: the first block of 1,024 ids whose running total exceeds u * S, in it the first id that does).
///   range  a removed token and one whose exp underflows (87 below the best) are never drawn
///   cost   whole row: two readings, one exp per logit; after a truncation: its survivors
///   as in  our own; engines differ in how they draw, not in the distribution
struct Multinomial {
  static constexpr std::string_view kType = "multinomial";
  static constexpr std::string_view kSummary = "draws one of the tokens left, by probability";

  TokenId select(Candidates& candidates, const StepView& view) const noexcept {
    return candidates.draw(uniform_ ? *uniform_ : view.uniform(draws::kSelector));
  }
  /// The u of with_uniform, absent where the request's is used.
  std::optional<double> fixed_uniform() const { return uniform_; }

  /// For tests: draws with this u in [0, 1) instead of the request's.
  static Multinomial with_uniform(double u) {
    if (!within(0, 1 - 0x1p-53).contains(u))
      detail::fail(InvalidParameter("multinomial: " + detail::out_of_range("uniform", u, {0, 1, false, true})));
    Multinomial result;
    result.uniform_ = u;
    return result;
  }

 private:
  std::optional<double> uniform_;
};

LOGITKIT_NAMESPACE_END
