// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// No sequence of n tokens occurs twice: removes every token that followed an earlier occurrence of the last n - 1
/// tokens, in prompt and output.
///   range  n >= 0, 0 = off; 1 removes every token seen
///   edge   a history shorter than n changes nothing
///   cost   O(n * occurrences of the rarest of the last n - 1 tokens); n = 1: O(distinct tokens)
///   as in  HF no_repeat_ngram_size
struct NoRepeatNgram {
  static constexpr std::string_view kType = "no_repeat_ngram";
  static constexpr std::string_view kSummary = "removes tokens that would repeat an n-gram";
  static constexpr StepTraits kTraits{.masks = true};

  std::int64_t n = 0;

  NoRepeatNgram() = default;
  explicit NoRepeatNgram(std::int64_t length) : n(length) { detail::require_valid(*this); }

  bool is_neutral() const { return n == 0; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    const std::size_t length = static_cast<std::size_t>(n), size = view.position();
    if (is_neutral() || size < length) return;
    if (n == 1) {
      for (const TokenCounts* counts : {&view.prompt_counts(), &view.output_counts()})
        for (std::size_t i = 0; i < counts->ids().size(); ++i)
          if (counts->counts()[i] > 0) remove(candidates, counts->ids()[i]);
      return;
    }
    const History history = view.history();
    std::size_t rarest = 0;  // how far from the end
    for (std::size_t back = 1; back + 1 < length; ++back)
      if (history.count(history.from_end(back)) < history.count(history.from_end(rarest))) rarest = back;
    for (std::size_t at = history.previous(size - 1 - rarest); at < size; at = history.previous(at)) {
      const std::size_t end = at + rarest;  // where the earlier occurrence would end
      if (end + 2 >= length && repeats(history, end, length - 1)) remove(candidates, history[end + 1]);
    }
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("n", self.n, at_least(0));
  }

 private:
  static bool repeats(const History& history, std::size_t end, std::size_t length) {
    for (std::size_t back = 0; back < length; ++back)
      if (history[end - back] != history.from_end(back)) return false;
    return true;
  }
  /// Ids of the history may lie outside the row.
  static void remove(Candidates& candidates, TokenId id) {
    if (candidates.logit(id) > detail::kMasked) candidates.remove(id);
  }
};

LOGITKIT_NAMESPACE_END
