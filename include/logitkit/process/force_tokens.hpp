// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Only these tokens stay, their logits unchanged. One id: it has probability 1.
///   ids    any order; an empty list is an error
///   edge   a token that was removed before stays removed; none left: `no_candidates`
///   cost   O(largest id / 32 + ids); more than V/16 of them: the row stays whole, behind a bit mask
///   as in  HF prefix_allowed_tokens_fn, vLLM allowed_token_ids
struct ForceTokens {
  static constexpr std::string_view kType = "force_tokens";
  static constexpr std::string_view kSummary = "keeps only these tokens";
  static constexpr StepTraits kTraits{.masks = true, .only_allows = true};

  TokenIds ids;

  ForceTokens() = default;
  explicit ForceTokens(TokenIds allowed) : ids(std::move(allowed)) {
    detail::require_valid(*this);
    prepare();
  }

  void operator()(Candidates& candidates, const StepView&) const noexcept { candidates.allow(words_); }
  std::string other_problem() const { return ids.empty() ? "ids is empty, allowed is at least one id" : ""; }
  /// Called once the parameters are final and valid.
  void prepare() {
    words_.assign(static_cast<std::size_t>(*std::max_element(ids.begin(), ids.end())) / 32 + 1, 0);
    for (const TokenId id : ids)
      words_[static_cast<std::size_t>(id) / 32] |= static_cast<std::int32_t>(std::uint32_t{1} << (id % 32));
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("ids", self.ids);
  }

 private:
  std::vector<std::int32_t> words_;
};
using AllowTokens = ForceTokens;

LOGITKIT_NAMESPACE_END
