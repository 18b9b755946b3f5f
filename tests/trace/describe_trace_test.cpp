// SPDX-License-Identifier: MIT
#include "logitkit/trace/describe_trace.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "logitkit/pipeline/compose.hpp"
#include "logitkit/process/temperature.hpp"
#include "logitkit/process/top_k.hpp"

namespace describe_trace_test {

namespace lk = logitkit;
// exp: 1, 8, 4, 2, 1 of 16
const std::vector<float> kRow{0, 2.0794415f, 1.3862944f, 0.6931472f, 0};

lk::Trace traced() {
  return lk::trace(lk::Temperature(1) | lk::TopK(2) | lk::Multinomial::with_uniform(0.75), kRow,
                   lk::Request({1}, {.seed = 7}), {.text = [](lk::TokenId id) { return id == 1 ? "\n" : ""; }});
}

TEST(DescribeTrace, IsAnAlignedTableThenWhatChangedThenTheDraw) {
  EXPECT_EQ(lk::describe(traced()),
            "   step                       before  after  mass removed  entropy  changed  argmax\n"
            "   row                             5      5      0.000000   1.2997        0\n"
            "0  temperature temperature 1       5      5      0.000000   1.2997        0\n"
            "1  top_k k 2                       5      2      0.250000   0.6365        0\n"
            "\n"
            "the row\n"
            "rank  token    logit  probability\n"
            "   1  1 \"\\n\"  2.0794     0.500000\n"
            "   2  2       1.3863     0.250000\n"
            "   3  3       0.6931     0.125000\n"
            "   4  0       0.0000     0.062500\n"
            "   5  4       0.0000     0.062500\n"
            "\n"
            "after 1 top_k\n"
            "rank  token    logit  probability\n"
            "   1  1 \"\\n\"  2.0794     0.666667\n"
            "   2  2       1.3863     0.333333\n"
            "3 removed, keeps the k largest logits: 3 0 4\n"
            "\n"
            "token 2: probability 0.3333, rank 2 of 2, by multinomial\n"
            "u = 0.750000 (seed 7, stream 0, position 1) fell into\n"
            "   token       from        to\n"
            "   1 \"\\n\"  0.000000  0.666667\n"
            ">  2       0.666667  1.000000\n"
            // half of ln(3) - ln(2), the log-odds of 3/4 and 2/3
            "another token needs logits that move by 0.202733 or more\n");
}

TEST(DescribeTrace, ColoursOnlyWhereAskedAndNoColorAllows) {
  ASSERT_EQ(std::getenv("NO_COLOR"), nullptr);
  EXPECT_EQ(lk::describe(traced()).find('\033'), std::string::npos);
  EXPECT_NE(lk::describe(traced(), {.color = true}).find('\033'), std::string::npos);
  setenv("NO_COLOR", "1", 1);
  const std::string text = lk::describe(traced(), {.color = true});
  unsetenv("NO_COLOR");
  EXPECT_EQ(text, lk::describe(traced()));
}

TEST(DescribeTrace, SaysWhyThereIsNoToken) {
  const lk::Trace trace = lk::trace(lk::Greedy(), std::vector<float>{1, NAN}, lk::Request({1}, {.seed = 7}));
  EXPECT_NE(lk::describe(trace).find("no token: invalid_logits, id 1"), std::string::npos);
}

TEST(TextTable, CountsCharactersNotBytes) {
  lk::detail::TextTable table({"a", "b"});
  table.row({"\xC3\xA4", "x"});
  EXPECT_EQ(table.text({}), "a  b\n\xC3\xA4  x\n");
}

}  // namespace describe_trace_test
