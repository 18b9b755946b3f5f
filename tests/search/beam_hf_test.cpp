// SPDX-License-Identifier: MIT
// Whole runs recorded from Hugging Face Transformers: the algorithm, not only the steps, must be theirs. The models are
// chosen such that rounding decides nothing.
#include <gtest/gtest.h>

#include "search/golden_model.hpp"

namespace beam_hf_test {

namespace lk = logitkit;

lk::StopRule stop_rule(const golden::Json& config) {
  const golden::Json early = config.value("early_stopping", golden::Json(false));
  if (early == "never") return lk::StopRule::exhaustive;
  return early == true ? lk::StopRule::as_soon_as_full : lk::StopRule::estimated;
}

TEST(BeamHuggingFace, FindsTheRecordedHypotheses) {
  int checked = 0;
  for (const golden::Json& c : golden::cases("hf", "beam")) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const golden::Json& config = c["config"];
    const golden::Ids prompt = c["prompt"];
    const lk::Request request(std::span<const lk::TokenId>(prompt),
                              {.seed = 1, .end_ids = golden::ids(config, "eos_token_id")});
    lk::BeamSearch beams(lk::Chain(golden_model::steps(config, prompt.size()).steps), request,
                         {.width = config["num_beams"],
                          .max_new_tokens = golden_model::max_new_tokens(config, prompt.size()),
                          .length = lk::LengthRule::power(config.value("length_penalty", 1.0)),
                          .stop = stop_rule(config)});
    while (!beams.done()) {
      std::vector<std::vector<float>> rows;
      for (std::size_t i = 0; i < beams.live().size(); ++i)
        rows.push_back(golden_model::row(c["model"], beams.request(i)));
      const std::vector<lk::LogitsView> views(rows.begin(), rows.end());
      ASSERT_EQ(beams.advance(views), lk::Status::ok);
    }
    const auto best = beams.hypotheses();
    const golden::Json &sequences = c["expect"]["sequences"], &scores = c["expect"]["scores"];
    ASSERT_GE(best.size(), sequences.size());
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      EXPECT_EQ(best[i].tokens, sequences[i].get<golden::Ids>()) << i;
      const double want = scores[i];
      EXPECT_NEAR(best[i].score, want, 2e-5 * std::max(1.0, std::abs(want))) << i;
      double sum = 0;
      for (const float x : best[i].step_logprobs) sum += static_cast<double>(x);
      EXPECT_EQ(sum, best[i].sum_logprob);
    }
    ++checked;
  }
  EXPECT_EQ(checked, 46);
}

TEST(BeamHuggingFace, GreedyFindsTheRecordedSequences) {
  int checked = 0;
  for (const golden::Json& c : golden::cases("hf", "greedy")) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const golden::Json& config = c["config"];
    const golden::Ids prompt = c["prompt"];
    lk::Request request(std::span<const lk::TokenId>(prompt),
                        {.seed = 1, .end_ids = golden::ids(config, "eos_token_id")});
    const lk::Pipeline pipeline(lk::Chain(golden_model::steps(config, prompt.size()).steps), lk::Greedy());
    for (int left = golden_model::max_new_tokens(config, prompt.size()); left > 0 && !request.is_finished(); --left) {
      const lk::Pick pick = pipeline.pick(golden_model::row(c["model"], request), request);
      ASSERT_TRUE(pick) << pick.message();
      request.accept(pick);
    }
    const golden::Ids output(request.output().begin(), request.output().end());
    const golden::Ids want = c["expect"]["sequences"][0];
    if (c["name"] == "greedy_min_new_plus_decay_nan")
      EXPECT_NE(output, want);  // there -inf + inf = NaN wins the argmax; here a masked token stays masked
    else
      EXPECT_EQ(output, want);
    ++checked;
  }
  EXPECT_EQ(checked, 15);
}

}  // namespace beam_hf_test
