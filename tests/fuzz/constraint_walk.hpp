// SPDX-License-Identifier: MIT
// What the fuzz bodies of the constraint compilers share.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "logitkit/constrain/matcher.hpp"

namespace constraint_fuzz {

namespace lk = logitkit;

inline void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

inline constexpr lk::TokenId kEnd = 280, kSpecial = 281;

inline const lk::Vocabulary& vocabulary() {
  static const lk::Vocabulary v = [] {
    std::vector<std::string> tokens;
    for (int b = 0; b < 256; ++b) tokens.push_back(std::string(1, static_cast<char>(b)));
    for (const char* text :
         {"\",\"", "\":", "{\"", "\"}", "true", "ab", "abc", "12", "-1", "\\u", "\xe6\x97", "[[", "]]", "  ", "ab"})
      tokens.push_back(text);
    tokens.resize(static_cast<std::size_t>(kEnd));
    tokens.insert(tokens.end(), {"<end>", "<special>"});
    return lk::Vocabulary(tokens, {.size = 290, .special_ids = {kSpecial}, .end_ids = {kEnd}});
  }();
  return v;
}

using Mask = std::vector<std::int32_t>;
inline bool allowed(const Mask& mask, lk::TokenId id) {
  return (static_cast<std::uint32_t>(mask[static_cast<std::size_t>(id) / 32]) >> (id % 32) & 1) != 0;
}
inline Mask mask_of(lk::Matcher& matcher) {
  Mask mask((matcher.width() + 31) / 32);
  require(matcher.fill(mask), "a constraint restricts something");
  return mask;
}

// A walk through allowed tokens; the mask must be what accept says, and something must be allowed. Returns the text if
// it is complete.
inline std::string walk(const lk::Constraint& constraint, std::uint64_t seed, int steps, bool& complete,
                        bool names_tokens = false) {
  lk::Matcher matcher = constraint.matcher();
  std::string text;
  for (int step = 0; step < steps; ++step) {
    const Mask mask = mask_of(matcher);
    std::vector<lk::TokenId> choices;
    for (lk::TokenId id = 0; id < 290; ++id) {
      const bool in = allowed(mask, id);
      if (in && (id != kEnd || !matcher.is_complete())) choices.push_back(id);
      if (id % 8 != step % 8) continue;
      lk::Matcher copy = matcher;
      require(copy.accept(id) == in, "the mask is what accept says");
    }
    require(allowed(mask, kEnd) || !matcher.is_complete(), "the end is allowed when complete");
    require(matcher.is_complete() || !allowed(mask, kEnd) || names_tokens, "the end is allowed only when complete");
    if (choices.empty()) {
      require(matcher.is_complete() || !matcher.error().empty(), "no dead end");
      break;
    }
    seed = lk::detail::mix_hash(seed, static_cast<std::uint64_t>(step));
    if (matcher.is_complete() && seed % 4 == 0) break;
    const lk::TokenId id = choices[seed / 8 % choices.size()];
    text += vocabulary().bytes(id);
    require(matcher.accept(id), "what the mask allows is accepted");
  }
  complete = matcher.is_complete();
  return text;
}

}  // namespace constraint_fuzz
