// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Removes single tokens.
///   ids    any number, in any order; an empty list changes nothing
///   cost   O(ids)
///   as in  HF suppress_tokens, a bias of -inf elsewhere
struct BanTokens {
  static constexpr std::string_view kType = "ban_tokens";
  static constexpr std::string_view kSummary = "removes single tokens";
  static constexpr StepTraits kTraits{.masks = true};

  TokenIds ids;

  BanTokens() = default;
  explicit BanTokens(TokenIds banned) : ids(std::move(banned)) { detail::require_valid(*this); }

  bool is_neutral() const { return ids.empty(); }
  void operator()(Candidates& candidates, const StepView&) const noexcept { candidates.remove(ids); }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("ids", self.ids);
  }
};

LOGITKIT_NAMESPACE_END
