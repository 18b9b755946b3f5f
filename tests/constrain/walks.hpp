// SPDX-License-Identifier: MIT
// What the tests of all constraints share: a vocabulary of 500 ids and walks that look at every id on the way.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/constrain/matcher.hpp"

namespace constrain_test {

namespace lk = logitkit;

inline constexpr lk::TokenId kEnd = 300, kOtherEnd = 301, kSpecial = 302, kFirstPadding = 490;
inline constexpr std::size_t kWidth = 500;

// ids 0..255 are the bytes; 256.. longer tokens, some of them twice; two end ids, a special one named like text;
// padding at the end
inline std::vector<std::string> small_tokens() {
  std::vector<std::string> tokens;
  for (int b = 0; b < 256; ++b) tokens.push_back(std::string(1, static_cast<char>(b)));
  for (const char* text :
       {"\",\"",  "\":",     "{\"", "\"}", "true",     "false",    "null",     "\xc3\xa9\"", "a1",       "  ",  "\n  ",
        "\": \"", "\"},{\"", "ab",  "abc", "\xe6\x97", "\xa5\xe6", "\xf0\x9f", "\x9f\x8d",   "12",       "123", "-1",
        "1.",     ".5",      "\\u", "\\n", "\\\"",     "0-",       "-0",       "e1",         "positive", "pos", "neg",
        "ative",  "mixed",   "aa",  "a\"", "[[",       "]]",       "],[",      "xy",         "ab\xc3",   "yes"})
    tokens.push_back(text);
  while (tokens.size() < 300) tokens.push_back("ab");  // several ids for one text
  tokens.insert(tokens.end(), {"<end>", "<stop>", "true"});
  // all pairs of a few characters that matter in grammars
  const std::string alphabet = "\"{}[]:,\\ a1-.0";
  for (char a : alphabet)
    for (char b : alphabet)
      if (tokens.size() < static_cast<std::size_t>(kFirstPadding)) tokens.push_back({a, b});
  return tokens;
}

inline const lk::Vocabulary& small_vocabulary() {
  static const lk::Vocabulary vocabulary(small_tokens(),
                                         {.size = kWidth, .special_ids = {kSpecial}, .end_ids = {kEnd, kOtherEnd}});
  return vocabulary;
}

using Mask = std::vector<std::int32_t>;
inline bool allowed(const Mask& mask, lk::TokenId id) {
  return (static_cast<std::uint32_t>(mask[static_cast<std::size_t>(id) / 32]) >> (id % 32) & 1) != 0;
}
inline Mask mask_of(lk::Matcher& matcher) {
  Mask mask((matcher.width() + 31) / 32, 0);
  EXPECT_TRUE(matcher.fill(mask));
  return mask;
}

// The two invariants at one place: the mask is what accept says, for every id, and something is allowed.
inline ::testing::AssertionResult holds_here(lk::Matcher& matcher, std::string_view so_far) {
  const Mask mask = mask_of(matcher);
  int count = 0;
  for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(matcher.width()); ++id) {
    lk::Matcher copy = matcher;
    const bool accepted = copy.accept(id);
    if (accepted != allowed(mask, id))
      return ::testing::AssertionFailure() << "id " << id << ": accept says " << accepted << " after " << so_far;
    count += accepted;
  }
  for (lk::TokenId end : matcher.is_complete() ? std::vector<lk::TokenId>{} : std::vector<lk::TokenId>{kEnd, kOtherEnd})
    if (allowed(mask, end))
      return ::testing::AssertionFailure() << "end id " << end << " before the end, after " << so_far;
  if (matcher.is_complete() && !(allowed(mask, kEnd) && allowed(mask, kOtherEnd)))
    return ::testing::AssertionFailure() << "an end id is missing after " << so_far;
  if (count == 0) return ::testing::AssertionFailure() << "dead end after " << so_far;
  return ::testing::AssertionSuccess();
}

enum class Fate { dead, alive, complete };

// Byte by byte through `text`; `look`: the invariants are checked on the way (at every byte at first, then now and
// then).
inline Fate walk(const lk::Constraint& constraint, std::string_view text, bool look = true) {
  lk::Matcher matcher = constraint.matcher();
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (look && (i < 24 || i == text.size() || i % 16 == 0)) {
      const auto holds = holds_here(matcher, text.substr(0, i));
      EXPECT_TRUE(holds);
      if (!holds) return Fate::dead;
    }
    if (i < text.size() && !matcher.accept(static_cast<unsigned char>(text[i]))) return Fate::dead;
  }
  return matcher.is_complete() ? Fate::complete : Fate::alive;
}
inline bool accepts(const lk::Constraint& constraint, std::string_view text) {
  return walk(constraint, text) == Fate::complete;
}
inline bool refuses(const lk::Constraint& constraint, std::string_view text) {
  return walk(constraint, text, false) != Fate::complete;
}

// The text of the ConstraintError that `compile` throws; empty if it throws none.
template <class Compile>
std::string error_of(const Compile& compile) {
  try {
    compile();
  } catch (const lk::ConstraintError& error) {
    return error.what();
  }
  return {};
}

inline ::testing::AssertionResult contains(std::string_view text, std::string_view part) {
  if (text.find(part) != std::string_view::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << text << "\" does not contain \"" << part << '"';
}

}  // namespace constrain_test
