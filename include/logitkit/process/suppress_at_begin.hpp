// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct SuppressAtBeginOptions {
  std::optional<std::int64_t> begin_index = {};  ///< prompt + output length at which it acts; absent: the prompt's
};

/// Removes tokens at one position only: the first that is generated, unless told otherwise.
///   cost   O(ids)
///   as in  HF begin_suppress_tokens
struct SuppressAtBegin {
  static constexpr std::string_view kType = "suppress_at_begin";
  static constexpr std::string_view kSummary = "removes tokens at the first position";
  static constexpr StepTraits kTraits{.masks = true};

  TokenIds ids;
  std::optional<std::int64_t> begin_index;

  SuppressAtBegin() = default;
  explicit SuppressAtBegin(TokenIds suppressed, SuppressAtBeginOptions options = {})
      : ids(std::move(suppressed)), begin_index(options.begin_index) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return ids.empty(); }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    const std::size_t begin = begin_index ? static_cast<std::size_t>(*begin_index) : view.prompt().size();
    if (view.position() != begin) return;
    for (const TokenId id : ids) candidates.remove(id);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("ids", self.ids);
    f("begin_index", self.begin_index, at_least(0));
  }
};

LOGITKIT_NAMESPACE_END
