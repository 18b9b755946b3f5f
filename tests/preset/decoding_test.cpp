// SPDX-License-Identifier: MIT
#include "logitkit/preset/decoding.hpp"

#include <gtest/gtest.h>

#include "preset/decoding_text.hpp"

namespace decoding_test {

namespace lk = logitkit;

TEST(Decoding, IsItsSpec) {
  lk::presets::VllmSamplingParams params;
  params.temperature = 0.5;
  params.top_k = 2;
  const lk::Decoding d = lk::presets::vllm(params);
  const lk::Spec& spec = d;
  EXPECT_EQ(spec, d.spec);
  EXPECT_EQ(d.reasons.size(), d.spec.size());
  // 3.0 and 2.5 are the two largest, and 6 and 5 when divided by 0.5.
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(lk::build(d).process(std::vector<float>{1.0f, 3.0f, 2.5f, 0.0f}, lk::Request({}, {.seed = 1})),
            (std::vector<float>{-inf, 6.0f, 5.0f, -inf}));
}

TEST(Decoding, SaysWhatToOpenARequestWith) {
  using decoding_text::json;
  const lk::RequestOptions options =
      lk::presets::vllm_json(json(R"({"seed":7,"stop_token_ids":[5],"max_tokens":9})")).request_options({6, 8});
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.end_ids, (lk::TokenIds{5, 6, 8}));
  EXPECT_EQ(options.max_new_tokens, 9u);
  const lk::RequestOptions open = lk::presets::vllm_json(json(R"({"max_tokens":null})")).request_options();
  EXPECT_EQ(open.seed, std::nullopt);
  EXPECT_EQ(open.max_new_tokens, 0u) << "unknown";
}

TEST(Decoding, IsWrittenAsJson) {
  lk::Decoding d;
  d.spec = {{lk::TopK(3), lk::Multinomial()}};
  d.end_ids = {5};
  d.seed = 7;
  d.reasons = {"top_k", "do_sample"};
  EXPECT_EQ(
      lk::to_json(d).dump(),
      R"({"spec":[{"type":"top_k","k":3},{"type":"multinomial"}],"mode":"sample","end_ids":[5],"max_new_tokens":null,"beams":{"width":1,"max_new_tokens":64,"length":{"formula":"power","exponent":1.0,"counts":"generated"},"stop":"estimated","scores":"log_softmax","initial":[],"groups":1,"diversity":0.0},"n":1,"seed":7,"logprobs":null,"notes":[],"max_length":null,"reasons":["top_k","do_sample"]})");
}

TEST(Decoding, IsDescribed) {
  lk::Decoding d;
  d.spec = {{lk::TopK(3), lk::Greedy()}};
  d.mode = lk::Mode::greedy;
  d.reasons = {"top_k", "temperature, 0"};
  d.notes = {{lk::Severity::note, "ignored", -1, "seed", "seed: temperature is 0"}};
  EXPECT_EQ(lk::describe(d),
            "greedy_search\n"
            "0  top_k (k 3): keeps the k largest logits [top_k]\n"
            "1  greedy: takes the largest logit [temperature, 0]\n"
            "note: seed: temperature is 0\n");
}

}  // namespace decoding_test
