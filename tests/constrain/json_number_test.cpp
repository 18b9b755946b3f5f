// SPDX-License-Identifier: MIT
#include "logitkit/constrain/json_number.hpp"

#include <gtest/gtest.h>

#include <random>

namespace json_number_test {

using logitkit::detail::Decimal;
using logitkit::detail::Dfa;
using logitkit::detail::NumberAutomaton;
using logitkit::detail::NumberBounds;

TEST(Decimal, ReadsJsonNumbersExactly) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},          {"-0.0", "0"},   {"12.50", "12.5"}, {"1e3", "1000"}, {"-2.5e-7", "-0.00000025"},
      {"1.25E+1", "12.5"}, {"100e-2", "1"}, {"0.001e3", "1"}};
  for (const auto& [text, plain] : cases) EXPECT_EQ(Decimal::parse(text).text(), plain) << text;
  EXPECT_TRUE(Decimal::parse("1.0").is_integer());
}

// thousandths, so that the reference can calculate in integers
std::string spelled(long thousandths) {
  const long magnitude = std::abs(thousandths);
  std::string fraction = std::to_string(1000 + magnitude % 1000).substr(1);
  fraction.resize(fraction.find_last_not_of('0') + 1);
  return (thousandths < 0 ? "-" : "") + std::to_string(magnitude / 1000) + (fraction.empty() ? "" : "." + fraction);
}

TEST(NumberAutomaton, AgreesWithArithmeticOnRandomBounds) {
  std::mt19937 random(5);
  const auto between = [&](long lo, long hi) {
    return lo + static_cast<long>(random() % static_cast<unsigned long>(hi - lo + 1));
  };
  int accepted = 0;
  for (int round = 0; round < 400; ++round) {
    const long range = round % 2 == 0 ? 3000 : 250'000;
    const long lo = between(-range, range), hi = between(-range, range);
    const bool has_lo = between(0, 3) != 0, has_hi = between(0, 3) != 0, lo_open = between(0, 1) != 0,
               hi_open = between(0, 1) != 0;
    const long multiples[] = {0, 0, 1000, 7000, 500, 25, 1500};
    const long multiple = multiples[between(0, 6)];
    NumberBounds bounds;
    bounds.integer = between(0, 2) == 0;
    if (has_lo) bounds.least.push_back({Decimal::parse(spelled(lo)), lo_open});
    if (has_hi) bounds.most.push_back({Decimal::parse(spelled(hi)), hi_open});
    if (multiple != 0) bounds.multiple_of.push_back(Decimal::parse(spelled(multiple)));
    if (bounds.none()) continue;
    const Dfa dfa = NumberAutomaton::build(bounds, "number");
    for (int i = 0; i < 200; ++i) {
      const long near[] = {lo, hi, 0, between(-range, range)};
      const long x = near[i % 4] + between(-3, 3) * (i % 8 < 4 ? 1 : 1000);
      const bool inside = (!has_lo || (lo_open ? x > lo : x >= lo)) && (!has_hi || (hi_open ? x < hi : x <= hi)) &&
                          (multiple == 0 || x % multiple == 0) && (!bounds.integer || x % 1000 == 0);
      accepted += inside;
      ASSERT_EQ(dfa.matches(spelled(x)), inside)
          << spelled(x) << " in " << spelled(lo) << " .. " << spelled(hi) << " by " << spelled(multiple);
      const std::string longer = spelled(x) + (spelled(x).find('.') == std::string::npos ? ".00" : "00");
      ASSERT_EQ(dfa.matches(longer), inside && !bounds.integer) << longer;
    }
  }
  EXPECT_GT(accepted, 3000);
}

TEST(NumberAutomaton, ZeroHasASignThatMeansNothing) {
  NumberBounds bounds;
  bounds.least.push_back({Decimal::parse("0"), false});
  EXPECT_TRUE(NumberAutomaton::build(bounds, "number").matches("-0"));
  EXPECT_TRUE(NumberAutomaton::build(bounds, "number").matches("-0.00"));
  bounds.least[0].exclusive = true;
  EXPECT_FALSE(NumberAutomaton::build(bounds, "number").matches("-0"));
  EXPECT_FALSE(NumberAutomaton::build(bounds, "number").matches("0.0"));
  EXPECT_TRUE(NumberAutomaton::build(bounds, "number").matches("0.01"));
}

TEST(NumberAutomaton, SpellingsAreThoseOfJson) {
  NumberBounds bounds;
  bounds.most.push_back({Decimal::parse("1e20"), false});
  const Dfa dfa = NumberAutomaton::build(bounds, "number");
  for (const char* text : {"", "-", "01", "1.", ".5", "+1", "1e3", "--1", "1.2.3"})
    EXPECT_FALSE(dfa.matches(text)) << text;
  EXPECT_TRUE(dfa.matches("100000000000000000000"));
  EXPECT_FALSE(dfa.matches("100000000000000000000.1"));
}

TEST(NumberAutomaton, NothingBetweenReversedBounds) {
  NumberBounds bounds;
  bounds.least.push_back({Decimal::parse("5"), false});
  bounds.most.push_back({Decimal::parse("4"), false});
  EXPECT_TRUE(NumberAutomaton::build(bounds, "number").empty());
}

}  // namespace json_number_test
