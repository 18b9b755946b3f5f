// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What becomes of logits that are no finite numbers.
enum class InvalidMode : std::uint8_t {
  mask,  ///< NaN and +inf are removed
  hf,    ///< NaN becomes 0, +inf and -inf the largest and the smallest float: removed tokens come back, last of all
};
constexpr std::array<std::string_view, 2> enum_names(InvalidMode) { return {"mask", "hf"}; }

/// Goes on where a row holds NaN or +inf, which is `invalid_logits` otherwise. Put it before the first step that ranks
/// or sums; steps before it may ban, force, bias and penalise single ids, of which +inf may become NaN (a decay of an
/// end token).
///   cost   nothing for a valid row (`mask`); writes V floats for an invalid one, and in mode `hf` for one with removed
///          tokens
///   as in  HF remove_invalid_values (`hf`)
struct RemoveInvalid {
  static constexpr std::string_view kType = "remove_invalid";
  static constexpr std::string_view kSummary = "takes out NaN and infinities";
  static constexpr StepTraits kTraits{.masks = true, .changes_odds = true, .cleans = true};

  InvalidMode mode = InvalidMode::mask;

  RemoveInvalid() = default;
  explicit RemoveInvalid(InvalidMode how) : mode(how) {}

  void operator()(Candidates& candidates, const StepView&) const noexcept {
    for (const auto& [id, x] : candidates.invalid()) {
      if (!detail::is_invalid(x)) continue;  // it got another value since
      if (mode == InvalidMode::mask) candidates.remove(id);
      if (mode == InvalidMode::hf) candidates.set(id, std::isnan(x) ? 0.0f : kLargest);
    }
    candidates.forget_invalid();
    if (mode == InvalidMode::mask || candidates.survivors() == candidates.size()) return;
    for (float& x : candidates.materialize())
      if (x == detail::kMasked) x = -kLargest;
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("mode", self.mode, Range{}, InvalidMode::mask);
  }

 private:
  static constexpr float kLargest = std::numeric_limits<float>::max();
};

LOGITKIT_NAMESPACE_END
