// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/penalty_scope.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Subtracts f times the number of a token's occurrences in scope.
///   formula  x - f * count, product and difference each rounded to float32; f < 0 encourages
///   range    f finite, rounded once to float32
///   edge     f = 0 changes nothing; -inf stays
///   cost     O(distinct ids in scope), or O(candidates) after a truncation; O(window) where a window is set
///   as in    OpenAI, vLLM (output only); llama.cpp (prompt and output, window)
struct FrequencyPenalty {
  static constexpr std::string_view kType = "frequency_penalty";
  static constexpr std::string_view kSummary = "subtracts per occurrence of a token";
  static constexpr StepTraits kTraits{.changes_odds = true};

  double penalty = 0;
  Scope scope = Scope::output;
  std::int64_t window = 0;
  TokenIds exempt;

  FrequencyPenalty() = default;
  explicit FrequencyPenalty(double f, PenaltyOptions options = {})
      : penalty(f),
        scope(options.scope.value_or(Scope::output)),
        window(options.window),
        exempt(std::move(options.exempt)) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return static_cast<float>(penalty) == 0.0f; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (is_neutral()) return;
    const auto f = static_cast<float>(penalty);
    detail::CountedTokens{scope, window, 0, &exempt}.change(
        candidates, view, [&](float* x, const std::uint32_t* counts, std::size_t n) {
          candidates.kernels().subtract_counted(x, counts, n, f, 0.0f);
        });
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("penalty", self.penalty, finite());
    f("scope", self.scope, Range{}, Scope::output);
    f("window", self.window, at_least(0), std::int64_t{0});
    f("exempt", self.exempt, Range{}, TokenIds{});
  }
};

/// Subtracts q once from every token that occurs in scope; otherwise as FrequencyPenalty.
///   formula  x - q; q < 0 encourages
///   range    q finite, rounded once to float32
///   edge     q = 0 changes nothing; -inf stays
///   cost     as FrequencyPenalty
///   as in    OpenAI, vLLM (output only); llama.cpp (prompt and output, window)
struct PresencePenalty {
  static constexpr std::string_view kType = "presence_penalty";
  static constexpr std::string_view kSummary = "subtracts once from tokens seen";
  static constexpr StepTraits kTraits{.changes_odds = true};

  double penalty = 0;
  Scope scope = Scope::output;
  std::int64_t window = 0;
  TokenIds exempt;

  PresencePenalty() = default;
  explicit PresencePenalty(double q, PenaltyOptions options = {})
      : penalty(q),
        scope(options.scope.value_or(Scope::output)),
        window(options.window),
        exempt(std::move(options.exempt)) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return static_cast<float>(penalty) == 0.0f; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (is_neutral()) return;
    const auto q = static_cast<float>(penalty);
    detail::CountedTokens{scope, window, 0, &exempt}.change(
        candidates, view, [&](float* x, const std::uint32_t* counts, std::size_t n) {
          candidates.kernels().subtract_counted(x, counts, n, 0.0f, q);
        });
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("penalty", self.penalty, finite());
    f("scope", self.scope, Range{}, Scope::output);
    f("window", self.window, at_least(0), std::int64_t{0});
    f("exempt", self.exempt, Range{}, TokenIds{});
  }
};

LOGITKIT_NAMESPACE_END
