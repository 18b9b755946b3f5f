// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The first generated token is this one, where the prompt is a single token: its logit becomes 0, all others -inf.
///   edge   also revives a token that was removed before
///   cost   O(1)
///   as in  HF forced_bos_token_id
struct ForcedBos {
  static constexpr std::string_view kType = "forced_bos";
  static constexpr std::string_view kSummary = "forces the token after a prompt of one";
  static constexpr StepTraits kTraits{.masks = true, .changes_odds = true};

  TokenId token = 0;

  ForcedBos() = default;
  explicit ForcedBos(TokenId id) : token(id) { detail::require_valid(*this); }

  /// Whether it forces anything at this position.
  bool acts(const StepView& view) const { return view.position() == 1; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (acts(view)) candidates.assign({&token, 1}, 0.0f);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("token", self.token);
  }
};

LOGITKIT_NAMESPACE_END
