// SPDX-License-Identifier: MIT
#include "logitkit/decide/reliability_report.hpp"

#include <gtest/gtest.h>

namespace lk = logitkit;

namespace reliability_report_test {

/// .9 right, .8 wrong, .6 right, .96 right
lk::Reliability four_rows() {
  return lk::reliability(std::vector<double>{.1, .9, .8, .2, .4, .6, .96, .04}, std::vector<int>{1, 1, 1, 0},
                         {.bins = 5});
}

TEST(ReliabilityTable, ListsTheBinsAndTheFigures) {
  // Gaps .4, .8 and 1 - .93. ECE (.4 + .8 + 2 * .07) / 4, Brier 2 (.1^2 + .8^2 + .4^2 + .04^2) / 4,
  // NLL (.1054 + 1.6094 + .5108 + .0408) / 4
  EXPECT_EQ(lk::reliability_table(four_rows()),
            "     confidence    count  mean conf.  accuracy\n"
            "  0.000 - 0.200        0           -         -\n"
            "  0.200 - 0.400        0           -         -\n"
            "  0.400 - 0.600        1       0.600     1.000\n"
            "  0.600 - 0.800        1       0.800     0.000\n"
            "  0.800 - 1.000        2       0.930     1.000\n"
            "ECE 0.3350, MCE 0.8000, Brier 0.4058, NLL 0.5666, accuracy 0.7500 of 4\n");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(ReliabilitySvg, DrawsABarForEachBinThatHoldsRows) {
  const std::string svg = lk::reliability_svg(four_rows());
  EXPECT_EQ(svg.substr(0, 40), "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, " rows</title>"), 3u);
  // The side is 300, the corner at (50, 320). (.8, 1] with accuracy 1: x 50 + 240, y 320 - 300, 60 wide, 300 high.
  EXPECT_EQ(count(svg, "<rect x=\"290.0\" y=\"20.0\" width=\"60.0\" height=\"300.0\""), 1u);
  EXPECT_EQ(count(svg, "<title>2 rows</title>"), 1u);
  // Its mark at .93: y 320 - 279
  EXPECT_EQ(count(svg, "<line x1=\"290.0\" y1=\"41.0\" x2=\"350.0\" y2=\"41.0\""), 1u);
  // (.6, .8] with accuracy 0: a bar of no height, its mark at .8
  EXPECT_EQ(count(svg, "<rect x=\"230.0\" y=\"320.0\" width=\"60.0\" height=\"0.0\""), 1u);
  EXPECT_EQ(count(svg, "<line x1=\"230.0\" y1=\"80.0\" x2=\"290.0\" y2=\"80.0\""), 1u);
  EXPECT_EQ(count(svg, "ECE 0.3350, 4 rows"), 1u);
}

TEST(ReliabilitySvg, IsWellFormed) {
  const std::string svg = lk::reliability_svg(four_rows());
  EXPECT_EQ(count(svg, "<"), count(svg, ">"));
  for (const char* tag : {"svg", "text", "title"})
    EXPECT_EQ(count(svg, std::string("<") + tag), count(svg, std::string("</") + tag + ">")) << tag;
  EXPECT_EQ(count(svg, "\"") % 2, 0u);
}

}  // namespace reliability_report_test
