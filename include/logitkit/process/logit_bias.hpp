// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Adds a bias to the logits of single tokens.
///   bias   {id, number} pairs, each id once; -inf bans the token; NaN, +inf and what float32 cannot hold are errors
///   edge   an empty list and zeros change nothing; a removed token stays removed whatever its bias
///   cost   O(pairs)
///   as in  vLLM and OpenAI logit_bias, llama.cpp logit_bias (false there is null in JSON here)
struct LogitBias {
  static constexpr std::string_view kType = "logit_bias";
  static constexpr std::string_view kSummary = "adds to the logits of single tokens";
  static constexpr StepTraits kTraits{.masks = true, .changes_odds = true};

  TokenBiases bias;

  LogitBias() = default;
  explicit LogitBias(TokenBiases biases) : bias(std::move(biases)) { detail::require_valid(*this); }

  bool is_neutral() const {
    return std::all_of(bias.begin(), bias.end(), [](const auto& b) { return static_cast<float>(b.second) == 0.0f; });
  }
  void operator()(Candidates& candidates, const StepView&) const noexcept {
    for (const auto& [id, b] : bias)
      if (const auto x = static_cast<float>(b); x != 0.0f) candidates.add(id, x);
  }
  std::string other_problem() const {
    TokenIds ids;
    for (const auto& [id, b] : bias) {
      if (!(b == -std::numeric_limits<double>::infinity() || finite().contains(b)))
        return "bias of id " + std::to_string(id) + " is " + detail::number_text(b) +
               ", allowed is a finite number or -inf (null)";
      ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    return twice == ids.end() ? "" : "bias names id " + std::to_string(*twice) + " twice, allowed is once";
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("bias", self.bias);
  }
};

LOGITKIT_NAMESPACE_END
