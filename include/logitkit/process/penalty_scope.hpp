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

  /// Changes the logits of the counted candidates by f(x, counts, n), in place: see Candidates::change_counted. Walks
  /// the candidates instead of the history where they are fewer.
  template <class F>
  void change(Candidates& candidates, const StepView& view, F f) const {
    const TokenCounts none;
    if (window == 0 && prompt_ignore_length == 0)
      return walk(candidates, view, scope == Scope::output ? none : view.prompt_counts(),
                  scope == Scope::prompt ? none : view.output_counts(), f);
    TokenCounts& counts = view.workspace().window;
    counts.clear();
    count_window(view, counts);
    walk(candidates, view, counts, none, f);
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

  bool is_exempt(TokenId id) const { return std::find(exempt->begin(), exempt->end(), id) != exempt->end(); }

  template <class F>
  void walk(Candidates& candidates, const StepView& view, const TokenCounts& first, const TokenCounts& second,
            F f) const {
    if (first.ids().empty() && !second.ids().empty()) return walk(candidates, view, second, first, f);
    const auto change_one = [&](TokenId id, std::uint32_t count) {
      if (count > 0 && !is_exempt(id)) candidates.change(id, [&](float x) { return f(&x, &count, 1), x; });
    };
    if (candidates.is_compact() && candidates.ids().size() < first.ids().size() + second.ids().size()) {
      for (std::size_t i = candidates.ids().size(); i > 0; --i) {  // from the back: a candidate may leave the list
        const auto id = static_cast<TokenId>(candidates.ids()[i - 1]);
        change_one(id, first.count(id) + second.count(id));
      }
      return;
    }
    const auto ids = first.ids();
    auto counts = first.counts();
    if (!second.ids().empty() || !exempt->empty()) {
      auto& sums = view.workspace().counts;
      sums.assign(counts.begin(), counts.end());
      for (std::size_t i = 0; i < ids.size(); ++i) sums[i] = is_exempt(ids[i]) ? 0 : sums[i] + second.count(ids[i]);
      counts = sums;
    }
    candidates.change_counted(ids, counts, f);
    for (std::size_t i = 0; i < second.ids().size(); ++i)
      if (const TokenId id = second.ids()[i]; first.count(id) == 0) change_one(id, second.counts()[i]);
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
