// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/penalty_scope.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct RepetitionPenaltyOptions {
  Scope scope = Scope::prompt_and_output;
  std::int64_t window = 0;                ///< only the last so many tokens; 0 = all
  std::int64_t prompt_ignore_length = 0;  ///< the first so many positions do not count
  TokenIds exempt = {};                   ///< ids that are never penalised
};

/// Makes every token that occurs in scope less likely, once, however often it occurs (Keskar et al., CTRL).
///   formula  x > 0: x / r, else x * r; r > 1 discourages, r < 1 encourages
///   range    r > 0 and finite, rounded once to float32
///   edge     r = 1 changes nothing; 0 and -inf stay; overflow to +inf: `overflow`
///   cost     O(distinct ids in scope), or O(candidates) after a truncation; O(window) where a window is set
///   as in    HF, vLLM (true division instead of x * (1 / r)); llama.cpp with a window
struct RepetitionPenalty {
  static constexpr std::string_view kType = "repetition_penalty";
  static constexpr std::string_view kSummary = "divides (or multiplies) the logits of tokens seen";
  static constexpr StepTraits kTraits{.changes_odds = true};

  double penalty = 1;
  Scope scope = Scope::prompt_and_output;
  std::int64_t window = 0;
  std::int64_t prompt_ignore_length = 0;
  TokenIds exempt;

  RepetitionPenalty() = default;
  explicit RepetitionPenalty(double r, RepetitionPenaltyOptions options = {})
      : penalty(r),
        scope(options.scope),
        window(options.window),
        prompt_ignore_length(options.prompt_ignore_length),
        exempt(std::move(options.exempt)) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return static_cast<float>(penalty) == 1.0f; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (is_neutral()) return;
    const auto r = static_cast<float>(penalty);
    detail::CountedTokens{scope, window, prompt_ignore_length, &exempt}.change(
        candidates, view, [&](float* x, const std::uint32_t* counts, std::size_t n) {
          candidates.kernels().scale_counted(x, counts, n, r);
        });
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("penalty", self.penalty, within(1e-30, 3e38));
    f("scope", self.scope, Range{}, Scope::prompt_and_output);
    f("window", self.window, at_least(0), std::int64_t{0});
    f("prompt_ignore_length", self.prompt_ignore_length, at_least(0), std::int64_t{0});
    f("exempt", self.exempt, Range{}, TokenIds{});
  }
};

LOGITKIT_NAMESPACE_END
