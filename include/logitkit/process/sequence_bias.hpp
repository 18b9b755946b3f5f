// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/sequence_match.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct SequenceBiasOptions {
  ShortHistory short_history = ShortHistory::match;
};

/// Adds a bias to tokens that would complete a sequence: to the last token of each whose other tokens end the history,
/// prompt and output. All that match add up, single tokens first, then in the order of the list.
///   range  each sequence has at least one token; a bias is finite (rounded once to float32) or -inf
///   edge   a removed token stays removed whatever its bias
///   cost   O(log(biases) + those whose last but one token is the last of the history)
///   as in  HF sequence_bias (short_history hf)
struct SequenceBias {
  static constexpr std::string_view kType = "sequence_bias";
  static constexpr std::string_view kSummary = "adds to tokens that would complete a sequence";
  static constexpr StepTraits kTraits{.masks = true, .changes_odds = true};

  SequenceBiases biases;
  ShortHistory short_history = ShortHistory::match;

  SequenceBias() = default;
  explicit SequenceBias(SequenceBiases pairs, SequenceBiasOptions options = {})
      : biases(std::move(pairs)), short_history(options.short_history) {
    detail::require_valid(*this);
    prepare();
  }

  bool is_neutral() const {
    return std::all_of(biases.begin(), biases.end(),
                       [](const auto& b) { return static_cast<float>(b.second) == 0.0f; });
  }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    match_.for_each(
        view, Scope::prompt_and_output, short_history,
        [this](std::size_t i) -> const TokenIds& { return biases[i].first; },
        [&](std::size_t i) {
          if (const auto x = static_cast<float>(biases[i].second); x != 0.0f) candidates.add(biases[i].first.back(), x);
        });
  }
  std::string other_problem() const {
    for (const auto& [ids, bias] : biases) {
      if (ids.empty()) return "biases has an empty sequence, allowed are sequences of at least one id";
      if (!(bias == -std::numeric_limits<double>::infinity() || finite().contains(bias)))
        return "biases has the number " + detail::number_text(bias) + ", allowed is a finite number or -inf (null)";
    }
    return "";
  }
  /// Called once the parameters are final and valid.
  void prepare() {
    match_.prepare(biases.size(), [this](std::size_t i) -> const TokenIds& { return biases[i].first; });
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("biases", self.biases);
    f("short_history", self.short_history, Range{}, ShortHistory::match);
  }

 private:
  detail::SequenceMatch match_;
};

LOGITKIT_NAMESPACE_END
