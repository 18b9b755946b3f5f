// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/end_ids.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// When to force an end token: at most one of the two is given; neither: RequestOptions::max_new_tokens.
struct ForcedEosOptions {
  std::optional<std::int64_t> max_length = {};      ///< prompt + output
  std::optional<std::int64_t> max_new_tokens = {};  ///< output only
  std::optional<TokenIds> end_ids = {};             ///< absent: the request's
};

/// The last token before the length limit is an end token: their logits become 0, all others -inf.
///   edge   also revives end tokens that were removed before; no end id is known: `no_candidates`; neither the step nor
///          the request has a limit: `unsupported`
///   cost   O(end ids)
///   as in  HF forced_eos_token_id
struct ForcedEos {
  static constexpr std::string_view kType = "forced_eos";
  static constexpr std::string_view kSummary = "forces an end token at the length limit";
  static constexpr StepTraits kTraits{.masks = true, .changes_odds = true};

  std::optional<std::int64_t> max_length, max_new_tokens;
  std::optional<TokenIds> end_ids;

  ForcedEos() = default;
  explicit ForcedEos(ForcedEosOptions options)
      : max_length(options.max_length), max_new_tokens(options.max_new_tokens), end_ids(std::move(options.end_ids)) {
    detail::require_valid(*this);
  }

  /// Whether this position is the last, or has no limit that could tell.
  bool acts(const StepView& view) const {
    const std::size_t length = max_length ? view.position() : view.output().size();
    return limit(view) == 0 || length + 1 == limit(view);
  }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (limit(view) == 0)
      candidates.fail(Status::unsupported, kNoToken);
    else if (acts(view))
      candidates.assign(detail::end_ids_of(end_ids, view), 0.0f);
  }
  std::string other_problem() const {
    return max_length && max_new_tokens ? "max_length and max_new_tokens are both given, allowed is one of them" : "";
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("max_length", self.max_length, at_least(1));
    f("max_new_tokens", self.max_new_tokens, at_least(1));
    f("end_ids", self.end_ids);
  }

 private:
  /// 0 = none.
  std::size_t limit(const StepView& view) const {
    if (max_length) return static_cast<std::size_t>(*max_length);
    return max_new_tokens ? static_cast<std::size_t>(*max_new_tokens) : view.max_new_tokens();
  }
};

LOGITKIT_NAMESPACE_END
