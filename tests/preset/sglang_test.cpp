// SPDX-License-Identifier: MIT
#include "logitkit/preset/sglang.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "preset/decoding_text.hpp"

namespace sglang_test {

namespace lk = logitkit;
using decoding_text::json;
using decoding_text::notes;
using decoding_text::spec;
using lk::presets::sglang;
using lk::presets::sglang_json;

std::string error_of(const char* text) {
  return decoding_text::error([&] { sglang_json(json(text)); });
}
/// The ids that are left, of these probabilities.
std::vector<int> kept(const lk::Decoding& d, const std::vector<double>& probabilities) {
  std::vector<float> row;
  for (const double p : probabilities) row.push_back(static_cast<float>(std::log(p)));
  const std::vector<float> out = lk::build(d).process(row, lk::Request({1}, {.seed = 1}));
  std::vector<int> ids;
  for (std::size_t id = 0; id < out.size(); ++id)
    if (std::isfinite(out[id])) ids.push_back(static_cast<int>(id));
  return ids;
}

TEST(Sglang, SamplesPlainlyByDefault) {
  const lk::Decoding d = sglang({});
  EXPECT_EQ(spec(d), R"([{"type":"allow_mask"},{"type":"multinomial"}])");
  EXPECT_EQ(d.max_new_tokens, 128);
  EXPECT_EQ(notes(d), "");
}

TEST(Sglang, PenalisesTheOutputThenMasksThenBiases) {
  EXPECT_EQ(
      spec(sglang_json(json(R"({"repetition_penalty":1.1,"frequency_penalty":0.2,"presence_penalty":0.3,
                                "min_new_tokens":4,"logit_bias":{"9":1.5},"temperature":0.7,"top_k":20,"top_p":0.8,
                                "min_p":0.05})"))),
      R"([{"type":"frequency_penalty","penalty":0.2},{"type":"presence_penalty","penalty":0.3},{"type":"min_new_tokens","min_new_tokens":4},{"type":"repetition_penalty","penalty":1.1,"scope":"output"},{"type":"allow_mask"},{"type":"logit_bias","bias":{"9":1.5}},{"type":"temperature","temperature":0.7},{"type":"top_p","p":0.8},{"type":"top_k","k":20},{"type":"min_p","p":0.05},{"type":"multinomial"}])");
}

TEST(Sglang, DoesNotPenaliseThePrompt) {
  lk::Request request({2}, {.seed = 1});
  request.accept(1);
  const lk::Pipeline pipeline = lk::build(sglang_json(json(R"({"repetition_penalty":2})")));
  EXPECT_EQ(pipeline.process(std::vector<float>{4, 4, 4, -4}, request), (std::vector<float>{4, 2, 4, -4}));
}

TEST(Sglang, MeasuresTopPOnTheWholeDistribution) {
  const std::vector<double> p = {0.1, 0.4, 0.2, 0.3};
  // Before the second token lies mass 0.4 < 0.5 of the whole; of what top-k leaves it is 0.4 / 0.7 > 0.5.
  EXPECT_EQ(kept(sglang_json(json(R"({"top_k":2,"top_p":0.5})")), p), (std::vector<int>{1, 3}));
  EXPECT_EQ(kept(lk::presets::vllm_json(json(R"({"top_k":2,"top_p":0.5})")), p), std::vector<int>{1});
  EXPECT_EQ(kept(sglang_json(json(R"({"top_k":1,"top_p":0.5})")), p), std::vector<int>{1});
  // min-p last: 0.3 >= 0.7 * 0.4 and 0.2 is below
  EXPECT_EQ(kept(sglang_json(json(R"({"min_p":0.7})")), p), (std::vector<int>{1, 3}));
}

TEST(Sglang, KeepsExactlyK) {
  EXPECT_EQ(kept(sglang_json(json(R"({"top_k":2})")), {0.1, 0.3, 0.3, 0.3}), (std::vector<int>{1, 2}));
}

TEST(Sglang, IsGreedyBelowAMillionth) {
  const lk::Decoding d = sglang_json(json(R"({"temperature":9e-7,"top_p":0.5,"top_k":10,"min_p":0.3,
                                              "sampling_seed":3})"));
  EXPECT_EQ(spec(d), R"([{"type":"allow_mask"},{"type":"greedy"}])");
  EXPECT_EQ(notes(d), "ignored sampling_seed\nadjusted temperature\nignored top_p\nignored top_k\nignored min_p\n");
  EXPECT_NE(spec(sglang_json(json(R"({"temperature":1e-6})"))).find("multinomial"), std::string::npos);
  EXPECT_NE(spec(sglang_json(json(R"({"temperature":30})"))).find("30.0"), std::string::npos) << "no upper limit";
}

TEST(Sglang, CarriesWhatLiesAroundTheChain) {
  const lk::Decoding d = sglang_json(json(R"({"n":2,"sampling_seed":7,"max_new_tokens":9,"stop_token_ids":[9,8],
                                              "ignore_eos":true})"));
  EXPECT_EQ(d.n, 2);
  EXPECT_EQ(d.seed, 7u);
  EXPECT_EQ(d.max_new_tokens, 9);
  EXPECT_EQ(d.end_ids, (lk::TokenIds{9, 8}));
  EXPECT_EQ(notes(d), "deviates sampling_seed\nignored ignore_eos\n");
}

TEST(SglangJson, NotesWhatIsNotOfferedAndWhereTheBackendsDiffer) {
  EXPECT_EQ(notes(sglang_json(json(R"({"stop":["x"],"regex":"a+","json_schema":null,"no_stop_trim":true})"))),
            "not_offered stop\nnot_offered regex\n");
  EXPECT_EQ(notes(sglang_json(json(R"({"top_k":20,"top_p":0.8,"min_p":0.1})"))), "deviates min_p\n");
}

TEST(SglangJson, NamesTheFieldItRefuses) {
  EXPECT_EQ(error_of(R"({"repetition_penalty":2.5})"), "sglang: repetition_penalty is 2.5, allowed is above 0 to 2");
  EXPECT_EQ(error_of(R"({"top_k":0})"), "sglang: top_k is 0, allowed is at least 1 and finite");
  EXPECT_EQ(error_of(R"({"top_p":0})"), "sglang: top_p is 0, allowed is above 0 to 1");
  EXPECT_EQ(error_of(R"({"min_p":-0.1})"), "sglang: min_p is -0.1, allowed is 0 to 1");
  EXPECT_EQ(error_of(R"({"presence_penalty":-3})"), "sglang: presence_penalty is -3, allowed is -2 to 2");
  EXPECT_EQ(error_of(R"({"temperature":-1})"), "sglang: temperature is -1, allowed is at least 0 and finite");
  EXPECT_EQ(error_of(R"({"max_new_tokens":3,"min_new_tokens":4})"), "sglang: min_new_tokens is 4, allowed is 0 to 3");
  EXPECT_EQ(error_of(R"({"seed":4})"), "sglang: seed: is not a field that this preset knows");
}

}  // namespace sglang_test
