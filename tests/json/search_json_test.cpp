// SPDX-License-Identifier: MIT
#include "logitkit/json/search_json.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace search_json_test {

namespace lk = logitkit;

// Three tokens of probability 1/4, 1/2, 1/4: logits 0, ln 2, 0. As float32 ln(1/2) is -0.6931472.
const std::vector<float> kRow{0, 0.6931472f, 0};

TEST(SearchJson, WritesHypotheses) {
  const lk::Request request({1}, {.seed = 1, .end_ids = {1}});
  lk::BeamSearch beams(lk::Chain(), request, {.width = 1, .max_new_tokens = 3});
  ASSERT_EQ(beams.advance(std::vector<lk::LogitsView>{kRow}), lk::Status::ok);
  EXPECT_EQ(lk::to_json(beams.hypotheses()).dump(),
            R"([{"tokens":[1],"score":-0.6931471824645996,"sum_logprob":-0.6931471824645996,)"
            R"("step_logprobs":[-0.6931471824645996],"finished":true}])");
}

TEST(SearchJson, WritesADraftResult) {
  const lk::Request request({1}, {.seed = 1});
  const std::vector<lk::LogitsView> rows{kRow, kRow};
  const auto json =
      lk::to_json(lk::verify_draft(lk::Greedy(), rows, std::vector<lk::TokenId>{1}, lk::BatchRows(), request));
  EXPECT_EQ(json["accepted"], 1);
  EXPECT_EQ(json["token"], 1);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["picks"].size(), 2u);
  EXPECT_EQ(json["picks"][1]["token"], 1);
}

TEST(SearchJson, WritesAGeneration) {
  lk::Request request({1}, {.seed = 1});
  const auto model = [](const lk::Request&) { return kRow; };
  const auto bytes = [](lk::TokenId) { return std::string("ab"); };
  EXPECT_EQ(lk::to_json(lk::generate(model, lk::Greedy(), request,
                                     {.stop_texts = {"ba"}, .bytes = bytes, .logprobs = lk::LogprobOptions{}}))
                .dump(),
            R"({"tokens":[1,1],"reason":"stop_text","status":"ok","text":"a",)"
            R"("logprobs":[{"status":"ok","tokens":[{"token":1,"logprob":-0.6931471824645996,"rank":1}],"top":[]},)"
            R"({"status":"ok","tokens":[{"token":1,"logprob":-0.6931471824645996,"rank":1}],"top":[]}],)"
            R"("hypotheses":[]})");
}

TEST(SearchJson, SpellsEveryReason) {
  EXPECT_EQ(lk::name(lk::FinishReason::end_id), "end_id");
  EXPECT_EQ(lk::name(lk::FinishReason::stop_sequence), "stop_sequence");
  EXPECT_EQ(lk::name(lk::FinishReason::length), "length");
  EXPECT_EQ(lk::name(lk::FinishReason::callback), "callback");
  EXPECT_EQ(lk::name(lk::FinishReason::error), "error");
}

}  // namespace search_json_test
