// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "logitkit/process/penalty_scope.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What a sequence of L tokens needs of the history.
enum class ShortHistory : std::uint8_t {
  match,  ///< its first L - 1 tokens at the end
  hf,     ///< and L tokens in all, as Hugging Face asks
};
constexpr std::array<std::string_view, 2> enum_names(ShortHistory) { return {"match", "hf"}; }

namespace detail {

/// Finds the sequences that the next token could complete: those whose tokens but the last end the history. They are
/// looked up by the last of these, so only sequences that begin to match are read.
class SequenceMatch {
 public:
  /// `sequence(i)` of n, none empty.
  template <class SequenceOf>
  void prepare(std::size_t n, SequenceOf sequence) {
    single_.clear();
    by_token_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      const TokenIds& ids = sequence(i);
      if (ids.size() == 1)
        single_.push_back(i);
      else
        by_token_.emplace_back(ids[ids.size() - 2], i);
    }
    std::sort(by_token_.begin(), by_token_.end());
  }

  /// Calls f(i) for every sequence that matches, single tokens first, then in the order of the list.
  template <class SequenceOf, class F>
  void for_each(const StepView& view, Scope scope, ShortHistory short_history, SequenceOf sequence, F f) const {
    const std::span<const TokenId> prompt = scope == Scope::output ? std::span<const TokenId>{} : view.prompt();
    const std::span<const TokenId> output = scope == Scope::prompt ? std::span<const TokenId>{} : view.output();
    const std::size_t size = prompt.size() + output.size();
    const auto from_end = [&](std::size_t back) {
      return back < output.size() ? output[output.size() - 1 - back] : prompt[size - 1 - back];
    };
    const std::size_t also = short_history == ShortHistory::hf ? 1 : 0;
    if (size >= also)
      for (const std::size_t i : single_) f(i);
    if (size == 0) return;
    const std::pair<TokenId, std::size_t> first{from_end(0), 0};
    for (auto at = std::lower_bound(by_token_.begin(), by_token_.end(), first);
         at != by_token_.end() && at->first == first.first; ++at) {
      const TokenIds& ids = sequence(at->second);
      const std::size_t before = ids.size() - 1;
      if (before + also > size) continue;
      std::size_t same = 1;
      while (same < before && ids[before - 1 - same] == from_end(same)) ++same;
      if (same == before) f(at->second);
    }
  }

 private:
  std::vector<std::size_t> single_;
  std::vector<std::pair<TokenId, std::size_t>> by_token_;  // the last token that the history must have, and which
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
