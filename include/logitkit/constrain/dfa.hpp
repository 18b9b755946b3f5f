// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/constraint_error.hpp"
#include "logitkit/constrain/utf8.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Code points cut into intervals, and the intervals that an automaton cannot tell apart gathered to one symbol.
struct Alphabet {
  std::vector<char32_t> starts{0};      // interval i is starts[i] .. starts[i + 1] - 1
  std::vector<std::int32_t> symbol{0};  // of interval i; -1 for surrogates, which no text holds
  std::int32_t size = 1;

  char32_t last(std::size_t interval) const {
    return interval + 1 < starts.size() ? starts[interval + 1] - 1 : kMaxCodePoint;
  }
  std::int32_t of(char32_t c) const {
    return symbol[static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), c) - starts.begin()) - 1];
  }

  /// The coarsest alphabet in which each interval knows its `signature(first code point)`; `cuts` are where that may
  /// change.
  template <class Signature>
  static Alphabet make(std::vector<char32_t> cuts, const Signature& signature) {
    cuts.insert(cuts.end(), {0, kFirstSurrogate, kLastSurrogate + 1});
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    while (cuts.back() > kMaxCodePoint) cuts.pop_back();
    Alphabet out;
    out.starts = std::move(cuts);
    out.symbol.clear();
    std::map<decltype(signature(char32_t{0})), std::int32_t> symbols;
    for (char32_t c : out.starts)
      out.symbol.push_back(
          c == kFirstSurrogate
              ? -1
              : symbols.try_emplace(signature(c), static_cast<std::int32_t>(symbols.size())).first->second);
    out.size = static_cast<std::int32_t>(symbols.size());
    return out;
  }
};

/// A deterministic automaton over code points; state 0 is the start. Every state can still reach acceptance (see
/// `trim`); no states at all is the empty language.
struct Dfa {
  static constexpr std::int32_t kDead = -1;

  Alphabet alphabet;
  std::vector<std::int32_t> next;  // state * alphabet.size + symbol
  std::vector<bool> accepting;

  std::size_t size() const { return accepting.size(); }
  bool empty() const { return accepting.empty(); }
  std::int32_t step(std::int32_t state, std::int32_t symbol) const {
    return next[static_cast<std::size_t>(state) * static_cast<std::size_t>(alphabet.size) +
                static_cast<std::size_t>(symbol)];
  }
  std::int32_t add_state(bool accept) {
    accepting.push_back(accept);
    next.resize(next.size() + static_cast<std::size_t>(alphabet.size), kDead);
    return static_cast<std::int32_t>(accepting.size()) - 1;
  }
  void set(std::int32_t state, std::int32_t symbol, std::int32_t to) {
    next[static_cast<std::size_t>(state) * static_cast<std::size_t>(alphabet.size) + static_cast<std::size_t>(symbol)] =
        to;
  }

  bool matches(std::string_view text) const {
    std::int32_t state = empty() ? kDead : 0;
    for (std::size_t pos = 0; pos < text.size() && state != kDead;) {
      const char32_t c = next_code_point(text, pos);
      const std::int32_t symbol = c == kNoCodePoint ? -1 : alphabet.of(c);
      state = symbol < 0 ? kDead : step(state, symbol);
    }
    return state != kDead && accepting[static_cast<std::size_t>(state)];
  }

  /// Code points still needed from each state; kUnreachable if there is no way to acceptance.
  static constexpr std::uint32_t kUnreachable = 0xFFFFFFFF;
  std::vector<std::uint32_t> distances() const {
    std::vector<std::vector<std::int32_t>> sources(size());
    for (std::size_t q = 0; q < size(); ++q)
      for (std::int32_t s = 0; s < alphabet.size; ++s)
        if (const std::int32_t to = step(static_cast<std::int32_t>(q), s); to != kDead)
          if (auto& from = sources[static_cast<std::size_t>(to)];
              from.empty() || from.back() != static_cast<std::int32_t>(q))
            from.push_back(static_cast<std::int32_t>(q));
    std::vector<std::uint32_t> distance(size(), kUnreachable);
    std::vector<std::int32_t> work;
    for (std::size_t q = 0; q < size(); ++q)
      if (accepting[q]) distance[q] = 0, work.push_back(static_cast<std::int32_t>(q));
    for (std::size_t i = 0; i < work.size(); ++i)
      for (std::int32_t from : sources[static_cast<std::size_t>(work[i])])
        if (distance[static_cast<std::size_t>(from)] == kUnreachable) {
          distance[static_cast<std::size_t>(from)] = distance[static_cast<std::size_t>(work[i])] + 1;
          work.push_back(from);
        }
    return distance;
  }

  /// Without the states from which nothing is accepted.
  Dfa trim() const {
    const std::vector<std::uint32_t> distance = distances();
    Dfa out;
    out.alphabet = alphabet;
    if (empty() || distance[0] == kUnreachable) return out;
    std::vector<std::int32_t> renamed(size(), kDead);
    for (std::size_t q = 0; q < size(); ++q)
      if (distance[q] != kUnreachable) renamed[q] = out.add_state(accepting[q]);
    for (std::size_t q = 0; q < size(); ++q)
      for (std::int32_t s = 0; s < alphabet.size; ++s)
        if (const std::int32_t to = step(static_cast<std::int32_t>(q), s); renamed[q] != kDead && to != kDead)
          out.set(renamed[q], s, renamed[static_cast<std::size_t>(to)]);
    return out;
  }

  Dfa complement() const {
    Dfa out = *this;
    const std::int32_t sink = out.add_state(false);
    out.accepting.flip();
    for (std::int32_t& to : out.next)
      if (to == kDead) to = sink;
    if (empty()) out.accepting[0] = true;
    return out.trim();
  }
};

/// Builds the part of an automaton that can be reached: states are values of `Key`; `step(key, symbol)` gives a
/// std::optional<Key>.
template <class Key, class Step, class Accept>
Dfa explore(Alphabet alphabet, const Key& start, const Step& step, const Accept& accept, const std::string& where) {
  constexpr std::size_t kMaxStates = 20'000;
  Dfa out;
  out.alphabet = std::move(alphabet);
  std::map<Key, std::int32_t> known{{start, out.add_state(accept(start))}};
  std::vector<Key> keys{start};
  for (std::size_t q = 0; q < keys.size(); ++q)
    for (std::int32_t s = 0; s < out.alphabet.size; ++s) {
      const auto to = step(Key(keys[q]), s);
      if (!to) continue;
      const auto [found, fresh] = known.try_emplace(*to, static_cast<std::int32_t>(keys.size()));
      if (fresh) {
        if (keys.size() == kMaxStates)
          refuse(where + " is too large: more than " + std::to_string(kMaxStates) + " states");
        out.add_state(accept(*to));
        keys.push_back(*to);
      }
      out.set(static_cast<std::int32_t>(q), s, found->second);
    }
  return out.trim();
}

/// Texts that both accept.
inline Dfa intersect(const Dfa& a, const Dfa& b, const std::string& where) {
  std::vector<char32_t> cuts = a.alphabet.starts;
  cuts.insert(cuts.end(), b.alphabet.starts.begin(), b.alphabet.starts.end());
  std::vector<std::pair<std::int32_t, std::int32_t>> parts;  // symbol -> symbols of a and b
  Alphabet alphabet =
      Alphabet::make(std::move(cuts), [&](char32_t c) { return std::pair(a.alphabet.of(c), b.alphabet.of(c)); });
  parts.resize(static_cast<std::size_t>(alphabet.size));
  for (std::size_t i = 0; i < alphabet.starts.size(); ++i)
    if (alphabet.symbol[i] >= 0)
      parts[static_cast<std::size_t>(alphabet.symbol[i])] = {a.alphabet.of(alphabet.starts[i]),
                                                             b.alphabet.of(alphabet.starts[i])};
  Dfa nothing;
  if (a.empty() || b.empty()) return nothing;
  using Key = std::pair<std::int32_t, std::int32_t>;
  const auto step = [&](Key key, std::int32_t s) -> std::optional<Key> {
    const auto [x, y] = parts[static_cast<std::size_t>(s)];
    const Key to{a.step(key.first, x), b.step(key.second, y)};
    if (to.first == Dfa::kDead || to.second == Dfa::kDead) return std::nullopt;
    return to;
  };
  const auto accept = [&](Key key) {
    return a.accepting[static_cast<std::size_t>(key.first)] && b.accepting[static_cast<std::size_t>(key.second)];
  };
  return explore(std::move(alphabet), Key{0, 0}, step, accept, where);
}

/// Any text of at least `least` code points.
inline Dfa any_text(std::uint32_t least = 0) {
  Dfa out;
  out.alphabet = Alphabet::make({}, [](char32_t) { return 0; });
  for (std::uint32_t i = 0; i <= least; ++i) out.add_state(i == least);
  for (std::uint32_t i = 0; i <= least; ++i)
    out.set(static_cast<std::int32_t>(i), 0, static_cast<std::int32_t>(std::min(i + 1, least)));
  return out;
}

/// Exactly these texts (UTF-8).
inline Dfa exactly(const std::vector<std::string>& texts) {
  std::vector<char32_t> cuts, used;
  for (const std::string& text : texts)
    for (std::size_t pos = 0; pos < text.size();) {
      const char32_t c = next_code_point(text, pos);
      used.push_back(c);
      cuts.insert(cuts.end(), {c, c + 1});
    }
  std::sort(used.begin(), used.end());
  Dfa out;
  out.alphabet = Alphabet::make(
      std::move(cuts), [&](char32_t c) { return std::binary_search(used.begin(), used.end(), c) ? c : kNoCodePoint; });
  out.add_state(false);
  for (const std::string& text : texts) {
    std::int32_t state = 0;
    for (std::size_t pos = 0; pos < text.size();) {
      const std::int32_t symbol = out.alphabet.of(next_code_point(text, pos));
      std::int32_t to = out.step(state, symbol);
      if (to == Dfa::kDead) out.set(state, symbol, to = out.add_state(false));
      state = to;
    }
    out.accepting[static_cast<std::size_t>(state)] = true;
  }
  return out.trim();
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
