// SPDX-License-Identifier: MIT
#include "logitkit/json/trace_json.hpp"

#include <gtest/gtest.h>

#include "logitkit/pipeline/compose.hpp"

namespace trace_json_test {

namespace lk = logitkit;
// exp: 1, 2, 1 of 4
const std::vector<float> kRow{0, 0.6931472f, 0};

TEST(TraceJson, HasTheMembersNamesAsKeys) {
  const lk::Trace trace = lk::trace(lk::TopK(2) | lk::Multinomial::with_uniform(0.5), kRow,
                                    lk::Request({1}, {.seed = 7}), {.text = [](lk::TokenId) { return "x"; }});
  const auto json = lk::to_json(trace);
  EXPECT_EQ(json["spec"].dump(), R"([{"type":"top_k","k":2},{"type":"multinomial"}])");
  ASSERT_EQ(json["steps"].size(), 2u);
  const auto& step = json["steps"][1];
  EXPECT_EQ(step["step"], 0);
  EXPECT_EQ(step["type"], "top_k");
  EXPECT_EQ(step["parameters"].dump(), R"({"k":2,"ties":"exact","min_keep":1})");
  EXPECT_EQ(step["candidates_before"], 3);
  EXPECT_EQ(step["candidates_after"], 2);
  EXPECT_EQ(step["argmax_changed"], false);
  EXPECT_NEAR(step["mass_removed"].get<double>(), 0.25, 1e-7);
  EXPECT_EQ(step["removed"][0]["token"], 2);
  EXPECT_EQ(step["top"][0]["text"], "x");
  EXPECT_EQ(json["draw"]["pick"]["token"], 1);
  EXPECT_EQ(json["draw"]["uniform"], 0.5);
  EXPECT_EQ(json["draw"]["nearby"].size(), 2u);
  EXPECT_EQ(json["draw"]["row"].get<std::string>().size(), 18u);
}

TEST(TraceJson, WritesWhatIsUnknownAsNull) {
  const auto json = lk::to_json(lk::explain(lk::Greedy(), std::vector<float>{1, 2}, lk::Request({1}, {.seed = 7})));
  EXPECT_TRUE(json["uniform"].is_null());
  EXPECT_EQ(json["margin"], 1.0);
  EXPECT_EQ(json["flip_distance"], 0.5);
}

TEST(TraceJson, WritesFingerprintsAsHexadecimalText) {
  EXPECT_EQ(lk::detail::hex_text(0x00ff00000000000a), "0x00ff00000000000a");
}

}  // namespace trace_json_test
