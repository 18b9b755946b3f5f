// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/end_ids.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// No end token while prompt and output together are shorter than `min_length`.
///   range  min_length >= 0, 0 = off; without end ids nothing happens
///   cost   O(end ids)
///   as in  HF min_length
struct MinLength {
  static constexpr std::string_view kType = "min_length";
  static constexpr std::string_view kSummary = "no end token before this total length";
  static constexpr StepTraits kTraits{.masks = true};

  std::int64_t min_length = 0;
  std::optional<TokenIds> end_ids;

  MinLength() = default;
  explicit MinLength(std::int64_t least, EndOptions options = {})
      : min_length(least), end_ids(std::move(options.end_ids)) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return min_length == 0; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (view.position() >= static_cast<std::size_t>(min_length)) return;
    for (const TokenId id : detail::end_ids_of(end_ids, view)) candidates.remove(id);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("min_length", self.min_length, at_least(0));
    f("end_ids", self.end_ids);
  }
};

LOGITKIT_NAMESPACE_END
