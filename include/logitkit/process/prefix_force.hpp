// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The output begins with these tokens: at output position i < their number only ids[i] stays, its logit unchanged.
///   edge  a token that was removed before stays removed: `no_candidates`
///   cost  O(1)
struct PrefixForce {
  static constexpr std::string_view kType = "prefix_force";
  static constexpr std::string_view kSummary = "forces the first tokens of the output";
  static constexpr StepTraits kTraits{.masks = true};

  TokenIds ids;

  PrefixForce() = default;
  explicit PrefixForce(TokenIds prefix) : ids(std::move(prefix)) { detail::require_valid(*this); }

  bool is_neutral() const { return ids.empty(); }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (view.output().size() < ids.size()) candidates.keep_only(ids[view.output().size()]);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("ids", self.ids);
  }
};

LOGITKIT_NAMESPACE_END
