// SPDX-License-Identifier: MIT
// Whole runs recorded from vLLM's beam search, a loop of its own around the sampler. Its model is of first order: the
// logits depend on the last token.
#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"
#include "support/golden.hpp"

namespace beam_vllm_test {

namespace lk = logitkit;

TEST(BeamVllm, FindsTheRecordedHypotheses) {
  int checked = 0;
  for (const golden::Json& c : golden::cases("vllm", "beam")) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const golden::Ids prompt = c["prompt"];
    const golden::Ids ends = c["ignore_eos"].get<bool>() ? golden::Ids{} : golden::Ids{c["eos"].get<lk::TokenId>()};
    const lk::Request request(std::span<const lk::TokenId>(prompt), {.seed = 1, .end_ids = ends});
    lk::BeamSearch beams(lk::Chain(), request,
                         {.width = c["beam_width"],
                          .max_new_tokens = c["max_tokens"],
                          .length = lk::LengthRule::power(c["length_penalty"], lk::LengthCounts::prompt_and_generated),
                          .stop = lk::StopRule::run_to_limit,
                          .scores = lk::BeamScores::raw});
    while (!beams.done()) {
      std::vector<std::vector<float>> rows;
      for (const lk::Hypothesis& h : beams.live()) {
        const lk::TokenId last = h.tokens.empty() ? prompt.back() : h.tokens.back();
        rows.push_back(golden::numbers(c["transition_logits"][static_cast<std::size_t>(last)]));
      }
      const std::vector<lk::LogitsView> views(rows.begin(), rows.end());
      ASSERT_EQ(beams.advance(views), lk::Status::ok);
    }
    const auto best = beams.hypotheses();
    const golden::Json& want = c["expect"]["offline"];
    ASSERT_EQ(best.size(), want.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
      EXPECT_EQ(best[i].tokens, want[i]["tokens"].get<golden::Ids>()) << i;
      EXPECT_NEAR(best[i].sum_logprob, want[i]["cum_logprob"].get<double>(), 2e-5) << i;
      EXPECT_NEAR(best[i].score, want[i]["score"].get<double>(), 2e-5) << i;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 11);
}

}  // namespace beam_vllm_test
