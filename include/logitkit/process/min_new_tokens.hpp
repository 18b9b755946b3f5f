// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/end_ids.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// No end token while fewer than `min_new_tokens` tokens have been generated; the prompt does not count.
///   range  min_new_tokens >= 0, 0 = off; without end ids nothing happens
///   cost   O(end ids)
///   as in  HF min_new_tokens, vLLM min_tokens (there with all stop token ids)
struct MinNewTokens {
  static constexpr std::string_view kType = "min_new_tokens";
  static constexpr std::string_view kSummary = "no end token before so many new tokens";
  static constexpr StepTraits kTraits{.masks = true};

  std::int64_t min_new_tokens = 0;
  std::optional<TokenIds> end_ids;

  MinNewTokens() = default;
  explicit MinNewTokens(std::int64_t least, EndOptions options = {})
      : min_new_tokens(least), end_ids(std::move(options.end_ids)) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return min_new_tokens == 0; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (view.output().size() >= static_cast<std::size_t>(min_new_tokens)) return;
    for (const TokenId id : detail::end_ids_of(end_ids, view)) candidates.remove(id);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("min_new_tokens", self.min_new_tokens, at_least(0));
    f("end_ids", self.end_ids);
  }
};

LOGITKIT_NAMESPACE_END
