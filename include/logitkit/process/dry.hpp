// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct DryOptions {
  double base = 1.75;
  std::int64_t allowed_length = 2;
  std::int64_t window = 0;       ///< only the last so many tokens; 0 = all
  TokenSequences breakers = {};  ///< a repetition does not reach back over one of these
};

/// "Don't repeat yourself": the longer a repetition of the history that a token would continue, the less likely it
/// gets.
///   formula   x - multiplier * base^(L - allowed_length), for tokens that followed an earlier occurrence of the last L
///             tokens, L >= allowed_length the longest such; multiplier and base as float32, the power in double,
///             rounded once. The exponent is capped so that the power stays below the largest float
///   breakers  the nearest one to the end limits L to the tokens after it (after its first token, less the rest of it,
///             in llama.cpp's words); a single-token breaker is never penalised itself
///   range     multiplier >= 0, 0 = off; base >= 1; allowed_length, window >= 0
///   edge      a history (window) no longer than allowed_length changes nothing
///   cost      O(occurrences of the last token + the longest repetition); allowed_length 0: O(window)
///   as in     llama.cpp dry (p-e-w)
struct Dry {
  static constexpr std::string_view kType = "dry";
  static constexpr std::string_view kSummary = "penalises tokens that continue a repetition";
  static constexpr StepTraits kTraits{.changes_odds = true};

  double multiplier = 0;
  double base = 1.75;
  std::int64_t allowed_length = 2;
  std::int64_t window = 0;
  TokenSequences breakers;

  Dry() = default;
  explicit Dry(double strength, DryOptions options = {})
      : multiplier(strength),
        base(options.base),
        allowed_length(options.allowed_length),
        window(options.window),
        breakers(std::move(options.breakers)) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return static_cast<float>(multiplier) == 0.0f; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (is_neutral()) return;
    const std::size_t allowed = static_cast<std::size_t>(allowed_length), all = view.position();
    const std::size_t reach = window == 0 ? all : std::min(all, static_cast<std::size_t>(window));
    if (reach <= allowed) return;
    const History history = view.history();
    const std::size_t limit = limit_of(history, reach);
    if (limit < allowed) return;
    std::vector<std::uint64_t>& matches = view.workspace().matches;
    find_matches(history, reach, limit, allowed, view.workspace().lengths, matches);
    std::sort(matches.begin(), matches.end(), std::greater<>());  // of one token the longest comes first
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const auto token = static_cast<TokenId>(matches[i] >> 32);
      if ((i > 0 && matches[i - 1] >> 32 == matches[i] >> 32) || is_breaker(token)) continue;
      const float penalty = penalty_of(static_cast<std::uint32_t>(matches[i]) - allowed);
      candidates.change(token, [penalty](float x) { return x - penalty; });
    }
  }
  std::string other_problem() const {
    return std::any_of(breakers.begin(), breakers.end(), [](const TokenIds& ids) { return ids.empty(); })
               ? "breakers has an empty sequence, allowed are sequences of at least one id"
               : "";
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("multiplier", self.multiplier, at_least(0));
    f("base", self.base, at_least(1), 1.75);
    f("allowed_length", self.allowed_length, at_least(0), std::int64_t{2});
    f("window", self.window, at_least(0), std::int64_t{0});
    f("breakers", self.breakers, Range{}, TokenSequences{});
  }

 private:
  bool is_breaker(TokenId token) const {
    return std::any_of(breakers.begin(), breakers.end(),
                       [token](const TokenIds& ids) { return ids.size() == 1 && ids[0] == token; });
  }

  /// How long a repetition may be: up to the nearest breaker within `reach`; of those that begin at one place the
  /// longest counts.
  std::size_t limit_of(const History& history, std::size_t reach) const {
    const std::size_t size = history.size();
    std::size_t nearest = reach, limit = reach;  // how far from the end the nearest breaker begins
    for (const TokenIds& ids : breakers) {
      const std::size_t tail = ids.size() - 1;
      for (std::size_t at = history.last(ids[0]); at < size && size - 1 - at <= nearest; at = history.previous(at)) {
        const std::size_t back = size - 1 - at;
        if (back >= reach) break;
        if (back < tail || !continues(history, at, ids)) continue;
        limit = back < nearest ? back - tail : std::min(limit, back - tail);
        nearest = back;
        break;
      }
    }
    return limit;
  }
  static bool continues(const History& history, std::size_t at, const TokenIds& ids) {
    for (std::size_t i = 1; i < ids.size(); ++i)
      if (history[at + i] != ids[i]) return false;
    return true;
  }

  /// (token, length) of every earlier occurrence of at least `allowed` of the last tokens: a Z-algorithm over the
  /// reversed history that visits only the distances at which the last token occurs.
  static void find_matches(const History& history, std::size_t reach, std::size_t limit, std::size_t allowed,
                           std::vector<std::uint32_t>& lengths, std::vector<std::uint64_t>& matches) {
    matches.clear();
    const auto add = [&](std::size_t distance, std::size_t length) {
      const auto token = static_cast<std::uint32_t>(history.from_end(distance - 1));
      matches.push_back(std::uint64_t{token} << 32 | length);
    };
    if (allowed == 0)
      for (std::size_t distance = 1; distance < reach; ++distance) add(distance, 0);
    if (lengths.size() < reach) lengths.resize(reach);
    const std::size_t size = history.size();
    const TokenId newest = history.from_end(0);
    std::size_t left = 0, right = 0;  // from_end(left) ... before from_end(right) repeat the newest ones
    for (std::size_t at = history.previous(size - 1); at < size; at = history.previous(at)) {
      const std::size_t distance = size - 1 - at;
      if (distance >= reach) break;
      std::size_t length = 0;
      if (distance < right && history.from_end(distance - left) == newest)
        length = std::min(right - distance, std::size_t{lengths[distance - left]});
      while (distance + length < reach && history.from_end(length) == history.from_end(distance + length)) ++length;
      if (distance + length > right) {
        left = distance;
        right = distance + length;
      }
      lengths[distance] = static_cast<std::uint32_t>(length);
      if (const std::size_t counted = std::min(length, limit); counted >= allowed) add(distance, counted);
    }
  }
  float penalty_of(std::size_t beyond) const {
    const double b = static_cast<double>(static_cast<float>(base));
    auto exponent = static_cast<double>(beyond);
    if (b > 1.000001) exponent = std::min(exponent, std::floor(88.7228391 / detail::math::log(b)));
    return static_cast<float>(static_cast<double>(static_cast<float>(multiplier)) * detail::math::pow(b, exponent));
  }
};

LOGITKIT_NAMESPACE_END
