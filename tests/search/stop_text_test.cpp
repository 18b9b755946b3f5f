// SPDX-License-Identifier: MIT
#include "logitkit/search/stop_text.hpp"

#include <gtest/gtest.h>

#include "logitkit/search/stop_sequence.hpp"
#include "support/random_case.hpp"

namespace stop_text_test {

namespace lk = logitkit;

TEST(StopText, HoldsBackWhatMayBecomeAStopText) {
  lk::StopText stop({"\n\nUser:"});
  EXPECT_FALSE(stop.append("Yes.\n"));
  EXPECT_EQ(stop.safe(), 4u);
  EXPECT_FALSE(stop.append("\nUse"));
  EXPECT_EQ(stop.safe(), 4u);
  EXPECT_FALSE(stop.append("ful"));  // it was not one
  EXPECT_EQ(stop.safe(), 12u);
}

TEST(StopText, StopsAcrossTokensWhereItBegins) {
  lk::StopText stop({"STOP"});
  EXPECT_FALSE(stop.append("aS"));
  EXPECT_FALSE(stop.append("ST"));
  EXPECT_TRUE(stop.append("OPb"));
  EXPECT_TRUE(stop.stopped());
  EXPECT_EQ(stop.safe(), 2u);  // "aS"
  EXPECT_EQ(stop.pieces(), 1u);
  EXPECT_TRUE(stop.append("c"));
  EXPECT_EQ(stop.safe(), 2u);
}

TEST(StopText, TheFirstThatIsCompleteWins) {
  lk::StopText stop({"long stop", "g s", "s", "x"});
  EXPECT_TRUE(stop.append("a long stop"));
  EXPECT_EQ(stop.which(), 1u);  // complete at the same byte as "s", and listed before
  EXPECT_EQ(stop.safe(), 5u);
}

TEST(StopText, CountsTheTokensToKeep) {
  lk::StopText stop({"##"});
  stop.append("ab");
  stop.append("");
  stop.append("c#");
  EXPECT_EQ(stop.safe(), 3u);
  EXPECT_EQ(stop.pieces(), 3u);
  EXPECT_TRUE(stop.append("#d"));
  EXPECT_EQ(stop.pieces(), 3u);  // the third holds "c" and a part of the stop text
}

TEST(StopText, WorksOnBytes) {
  lk::StopText stop({"\xC3\xA9"});  // é, in two tokens
  EXPECT_FALSE(stop.append("caf\xC3"));
  EXPECT_EQ(stop.safe(), 3u);
  EXPECT_TRUE(stop.append("\xA9"));
  EXPECT_EQ(stop.safe(), 3u);
}

TEST(StopText, WithoutTextsShowsEverything) {
  lk::StopText stop({});
  EXPECT_FALSE(stop.append("abc"));
  EXPECT_EQ(stop.safe(), 3u);
}

TEST(StopText, RefusesAnEmptyText) { EXPECT_THROW(lk::StopText({"a", ""}), lk::InvalidParameter); }

TEST(StopText, EqualsASearchOfTheWholeText) {
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    random_case::Source s(seed);
    const auto random_text = [&](std::size_t least, std::size_t most) {
      std::string text;
      for (std::size_t n = least + s.below(most - least + 1); n > 0; --n) text += s.one_of({'a', 'b'});
      return text;
    };
    std::vector<std::string> texts;
    for (std::size_t n = 1 + s.below(3); n > 0; --n) texts.push_back(random_text(2, 8));
    lk::StopText stop(texts);
    std::string text;
    std::size_t safe = 0;
    for (int piece = 0; piece < 12 && !stop.stopped(); ++piece) {
      const std::string bytes = random_text(0, 4);
      stop.append(bytes);
      text += bytes;
      ASSERT_GE(stop.safe(), safe);
      safe = stop.safe();
      // The first end of any stop text, by looking at every one.
      std::size_t end = std::string::npos, begin = 0;
      for (const std::string& t : texts)
        if (const std::size_t at = text.find(t); at != std::string::npos && at + t.size() < end) {
          end = at + t.size();
          begin = at;
        }
      ASSERT_EQ(stop.stopped(), end != std::string::npos) << "seed " << seed;
      if (stop.stopped()) {
        ASSERT_EQ(safe, begin) << "seed " << seed;
        ++stopped;
        break;
      }
      std::size_t held = 0;  // the longest end of the text that begins a stop text
      for (const std::string& t : texts)
        for (std::size_t n = 1; n < t.size() && n <= text.size(); ++n)
          if (text.ends_with(t.substr(0, n))) held = std::max(held, n);
      ASSERT_EQ(safe, text.size() - held) << "seed " << seed;
    }
  }
  EXPECT_GT(stopped, 2000);
}

TEST(StopSequence, MatchesTheEndOfTheOutput) {
  const std::vector<lk::TokenId> output{5, 6, 7, 6, 7};
  const auto at_end = [&](std::vector<std::vector<lk::TokenId>> sequences) {
    return lk::stop_sequence_at_end(output, sequences);
  };
  EXPECT_EQ(at_end({{6, 7}}), 2u);
  EXPECT_EQ(at_end({{5, 6}, {7}, {6, 7}}), 1u);
  EXPECT_EQ(at_end({{5, 6}}), 0u);
  EXPECT_EQ(at_end({{}, {4, 5, 6, 7, 6, 7}}), 0u);
  EXPECT_EQ(at_end({}), 0u);
}

}  // namespace stop_text_test
