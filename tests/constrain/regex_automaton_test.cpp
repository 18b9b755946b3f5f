// SPDX-License-Identifier: MIT
#include "logitkit/constrain/regex_automaton.hpp"

#include <gtest/gtest.h>

#include "walks.hpp"

// What patterns match is compared with std::regex in regex_test.cpp; here is what holds of the automaton itself.
namespace regex_automaton_test {

namespace lk = logitkit;
using lk::detail::Dfa;
using Match = lk::detail::RegexAutomaton::Match;

Dfa whole(std::string_view pattern) { return lk::detail::RegexAutomaton::build(pattern, Match::whole); }
Dfa part(std::string_view pattern) { return lk::detail::RegexAutomaton::build(pattern, Match::part); }

TEST(RegexAutomaton, EveryStateCanStillReachAcceptance) {
  for (const char* pattern : {"(a|ab)(c|bcd)", "(a*)*b", "[^a]{2,3}x?", "a^b|cd", "^ab$|b"}) {
    for (const std::uint32_t distance : whole(pattern).distances()) EXPECT_NE(distance, Dfa::kUnreachable) << pattern;
    for (const std::uint32_t distance : part(pattern).distances()) EXPECT_NE(distance, Dfa::kUnreachable) << pattern;
  }
}

TEST(RegexAutomaton, CodePointsThatNoSetTellsApartAreOneSymbol) {
  EXPECT_EQ(whole("ab|[b-d]").alphabet.size, 4);  // a; b; c and d; all others
  EXPECT_EQ(whole("[^x]*").alphabet.size, 2);
}

TEST(RegexAutomaton, CountedRepetitionsHaveOneStatePerCount) {
  EXPECT_EQ(whole("a{7}").size(), 8u);
  EXPECT_EQ(whole("a{3,5}").size(), 6u);
}

TEST(RegexAutomaton, AfterAPartHasMatchedOneStateTakesEverything) {
  const Dfa found = part("ab|ba");
  std::size_t accepting = 0;
  for (std::size_t state = 0; state < found.size(); ++state) accepting += found.accepting[state];
  EXPECT_EQ(accepting, 1u);
  EXPECT_EQ(found.size(), 4u);  // nothing yet; a seen last; b seen last; found
  EXPECT_TRUE(found.matches("aab\xc3\xa9zzz"));
  EXPECT_FALSE(found.matches("aaa"));
}

TEST(RegexAutomaton, AnchorsOfAPartHoldAtTheEndsOfTheText) {
  EXPECT_TRUE(part("^ab").matches("abx"));
  EXPECT_FALSE(part("^ab").matches("xab"));
  EXPECT_TRUE(part("ab$").matches("xab"));
  EXPECT_FALSE(part("ab$").matches("abx"));
  EXPECT_TRUE(part("^$").matches(""));
  EXPECT_FALSE(part("^$").matches("x"));
}

TEST(RegexAutomaton, AnImpossiblePatternIsTheEmptyLanguage) {
  EXPECT_TRUE(whole("a^b").empty());
  EXPECT_TRUE(part("a^b").empty());
  EXPECT_FALSE(whole("a^b|c").empty());
}

TEST(RegexAutomaton, ErrorsBeginWithThePlace) {
  const auto error = [](const std::string& pattern) {
    return constrain_test::error_of(
        [&] { lk::detail::RegexAutomaton::build(pattern, Match::whole, "keyword \"pattern\" at #/items:"); });
  };
  for (const std::string pattern : {"a(b", "(a{1000}){1000}", "(a|b)*a(a|b){20}"})
    EXPECT_EQ(error(pattern).find("keyword \"pattern\" at #/items: position"), 0u) << error(pattern);
  EXPECT_TRUE(constrain_test::contains(error("(a{1000}){1000}"), "too large: more than 200000 states"));
}

}  // namespace regex_automaton_test
