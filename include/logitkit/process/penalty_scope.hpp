// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>

#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Which part of the history a step looks at.
enum class Scope : std::uint8_t { prompt_and_output, output, prompt };
constexpr std::array<std::string_view, 3> enum_names(Scope) { return {"prompt+output", "output", "prompt"}; }

namespace detail {

/// The tokens that a penalty counts: prompt + output without its first `prompt_ignore_length` positions, restricted to
/// `scope`, then the last `window` of it (0 = all), then without `exempt`.
struct CountedTokens {
  Scope scope = Scope::prompt_and_output;
  std::int64_t window = 0;
  std::int64_t prompt_ignore_length = 0;
  const TokenIds* exempt = nullptr;

  /// Calls f(id, count) once for every distinct token that may be a candidate; ids outside the row come too and match
  /// nothing. Walks the candidates instead of the history where they are fewer.
  template <class F>
  void for_each(const Candidates& candidates, const StepView& view, F f) const {
    if (window == 0 && prompt_ignore_length == 0) {
      const TokenCounts none;
      const TokenCounts& prompt = scope == Scope::output ? none : view.prompt_counts();
      const TokenCounts& output = scope == Scope::prompt ? none : view.output_counts();
      return walk(candidates, prompt, output, f);
    }
    TokenCounts& counts = view.workspace().window;
    counts.clear();
    count_window(view, counts);
    walk(candidates, counts, TokenCounts{}, f);
  }

 private:
  void count_window(const StepView& view, TokenCounts& counts) const {
    const std::size_t ignored = static_cast<std::size_t>(prompt_ignore_length), prompt_size = view.prompt().size();
    auto prompt = view.prompt().subspan(std::min(ignored, prompt_size));
    auto output = view.output().subspan(ignored > prompt_size ? std::min(ignored - prompt_size, view.output().size())
                                                              : std::size_t{0});
    if (scope == Scope::output) prompt = {};
    if (scope == Scope::prompt) output = {};
    if (window > 0) {
      const auto most = static_cast<std::size_t>(window);
      output = output.last(std::min(most, output.size()));
      prompt = prompt.last(std::min(most - output.size(), prompt.size()));
    }
    for (const TokenId id : prompt) counts.add(id);
    for (const TokenId id : output) counts.add(id);
  }

  bool is_exempt(TokenId id) const {
    return exempt != nullptr && std::find(exempt->begin(), exempt->end(), id) != exempt->end();
  }

  template <class F>
  void walk(const Candidates& candidates, const TokenCounts& first, const TokenCounts& second, F f) const {
    const auto call = [&](TokenId id, std::uint32_t count) {
      if (count > 0 && !is_exempt(id)) f(id, count);
    };
    if (candidates.is_compact() && candidates.ids().size() < first.ids().size() + second.ids().size()) {
      const auto ids = candidates.ids();
      for (std::size_t i = ids.size(); i > 0; --i) {  // from the back: f may remove the candidate
        const auto id = static_cast<TokenId>(ids[i - 1]);
        call(id, first.count(id) + second.count(id));
      }
      return;
    }
    for (std::size_t i = 0; i < first.ids().size(); ++i) {
      const TokenId id = first.ids()[i];
      call(id, first.counts()[i] + second.count(id));
    }
    for (std::size_t i = 0; i < second.ids().size(); ++i)
      if (const TokenId id = second.ids()[i]; first.count(id) == 0) call(id, second.counts()[i]);
  }
};

}  // namespace detail

/// Options of the penalties; `scope` has its own default in each.
struct PenaltyOptions {
  std::optional<Scope> scope = {};
  std::int64_t window = 0;  ///< only the last so many tokens; 0 = all
  TokenIds exempt = {};     ///< ids that are never penalised
};

LOGITKIT_NAMESPACE_END
