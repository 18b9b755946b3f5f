// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/sequence_match.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct BanSequencesOptions {
  Scope scope = Scope::prompt_and_output;
  ShortHistory short_history = ShortHistory::match;
};

/// Removes tokens that would complete one of these sequences: the last token of each whose other tokens end the
/// history. A sequence of one is always removed.
///   range  each sequence has at least one token; several spellings of a word are several sequences
///   scope  where the earlier tokens are looked for: with `output` none of them may be in the prompt
///   cost   O(log(sequences) + those whose last but one token is the last of the history)
///   as in  HF bad_words_ids (short_history hf), vLLM bad_words (scope output)
struct BanSequences {
  static constexpr std::string_view kType = "ban_sequences";
  static constexpr std::string_view kSummary = "removes tokens that would complete a sequence";
  static constexpr StepTraits kTraits{.masks = true};

  TokenSequences sequences;
  Scope scope = Scope::prompt_and_output;
  ShortHistory short_history = ShortHistory::match;

  BanSequences() = default;
  explicit BanSequences(TokenSequences banned, BanSequencesOptions options = {})
      : sequences(std::move(banned)), scope(options.scope), short_history(options.short_history) {
    detail::require_valid(*this);
    prepare();
  }

  bool is_neutral() const { return sequences.empty(); }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    match_.for_each(
        view, scope, short_history, [this](std::size_t i) -> const TokenIds& { return sequences[i]; },
        [&](std::size_t i) { candidates.remove(sequences[i].back()); });
  }
  std::string other_problem() const {
    return std::any_of(sequences.begin(), sequences.end(), [](const TokenIds& ids) { return ids.empty(); })
               ? "sequences has an empty one, allowed are sequences of at least one id"
               : "";
  }
  /// Called once the parameters are final and valid.
  void prepare() {
    match_.prepare(sequences.size(), [this](std::size_t i) -> const TokenIds& { return sequences[i]; });
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("sequences", self.sequences);
    f("scope", self.scope, Range{}, Scope::prompt_and_output);
    f("short_history", self.short_history, Range{}, ShortHistory::match);
  }

 private:
  detail::SequenceMatch match_;
};

LOGITKIT_NAMESPACE_END
