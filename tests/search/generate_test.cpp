// SPDX-License-Identifier: MIT
#include "logitkit/search/generate.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "../../examples/common/text_model.hpp"
#include "search/toy_model.hpp"
#include "support/data_folder.hpp"
#include "support/golden.hpp"

namespace generate_test {

namespace lk = logitkit;
using Ids = std::vector<lk::TokenId>;

const ToyModel kModel{.vocabulary = 26, .seed = 21, .scale = 0.8};
const lk::Pipeline kPipeline = lk::RepetitionPenalty(1.2) | lk::TopP(0.95) | lk::Multinomial();

lk::Request request(std::vector<lk::TokenId> end_ids = {}) {
  return lk::Request({3, 5}, {.seed = 4, .end_ids = std::move(end_ids)});
}
std::string letter(lk::TokenId token) { return std::string(1, static_cast<char>('a' + token)); }

/// What the loop should come to, written out.
Ids by_hand(std::size_t n) {
  lk::Request r = request();
  while (r.output().size() < n) r.accept(kPipeline.pick(kModel(r), r));
  return {r.output().begin(), r.output().end()};
}

TEST(Generate, StopsAtTheLengthLimit) {
  lk::Request r = request();
  const lk::Generation result = lk::generate(kModel, kPipeline, r, {.max_new_tokens = 20});
  EXPECT_EQ(result.tokens, by_hand(20));
  EXPECT_EQ(Ids(r.output().begin(), r.output().end()), result.tokens);
  EXPECT_EQ(result.reason, lk::FinishReason::length);
}

TEST(Generate, StopsAtAnEndId) {
  const Ids all = by_hand(20);
  lk::Request r = request({all[7]});
  const lk::Generation result = lk::generate(kModel, kPipeline, r, {.max_new_tokens = 20});
  EXPECT_EQ(result.reason, lk::FinishReason::end_id);
  EXPECT_EQ(result.tokens, Ids(all.begin(), std::find(all.begin(), all.end(), all[7]) + 1));
}

TEST(Generate, StopsAtASequenceAndAText) {
  const Ids all = by_hand(20);
  std::string text;
  for (const lk::TokenId token : all) text += letter(token);
  lk::Request r = request();
  lk::Generation result = lk::generate(kModel, kPipeline, r, {.stop_sequences = {{all[8], all[9]}}});
  EXPECT_EQ(result.reason, lk::FinishReason::stop_sequence);
  EXPECT_EQ(result.tokens.back(), all[9]);
  r = request();
  const std::string stop = text.substr(8, 3);
  result = lk::generate(kModel, kPipeline, r, {.stop_texts = {stop}, .bytes = letter});
  EXPECT_EQ(result.reason, lk::FinishReason::stop_text);
  EXPECT_EQ(result.text, text.substr(0, text.find(stop)));
  EXPECT_EQ(result.tokens.size(), text.find(stop) + 3);
  EXPECT_THROW(lk::generate(kModel, kPipeline, r, {.stop_texts = {stop}}), lk::InvalidParameter);
}

TEST(Generate, CallsBackAfterEachToken) {
  Ids heard;
  lk::Request r = request();
  const auto on_token = [&](const lk::Pick& pick) { return heard.push_back(pick.token), heard.size() < 5; };
  const lk::Generation result = lk::generate(kModel, kPipeline, r, {.on_token = on_token});
  EXPECT_EQ(result.reason, lk::FinishReason::callback);
  EXPECT_EQ(heard, by_hand(5));
}

TEST(Generate, ReportsTheLogprobOfEveryChosenToken) {
  lk::Request r = request();
  const lk::Generation result =
      lk::generate(kModel, kPipeline, r, {.max_new_tokens = 6, .logprobs = lk::LogprobOptions{.top = 2}});
  ASSERT_EQ(result.logprobs.size(), 6u);
  lk::Request again = request();
  for (std::size_t i = 0; i < 6; ++i) {
    const lk::Pick pick = kPipeline.pick(kModel(again), again, {.logprob = true});
    EXPECT_EQ(result.logprobs[i].tokens[0], (lk::TokenLogprob{pick.token, pick.logprob, pick.rank}));
    EXPECT_EQ(result.logprobs[i].top[0].rank, 1u);
    again.accept(pick);
  }
}

TEST(Generate, WithDraftsGivesTheSameTokensInFewerRounds) {
  const Ids all = by_hand(30);
  std::size_t rounds = 0;
  const auto draft = [&](const lk::Request& now) {
    ++rounds;
    const std::size_t done = now.output().size();
    Ids drafts(all.begin() + static_cast<std::ptrdiff_t>(done),
               all.begin() + static_cast<std::ptrdiff_t>(std::min(done + 4, all.size())));
    if (done % 3 == 0 && drafts.size() > 2) drafts[2] = 1;  // a bad one now and then
    return drafts;
  };
  lk::Request r = request();
  const lk::Generation result = lk::generate(kModel, kPipeline, r, {.max_new_tokens = 30, .draft = draft});
  EXPECT_EQ(result.tokens, all);
  EXPECT_EQ(result.reason, lk::FinishReason::length);
  EXPECT_LT(rounds, 15u);
}

TEST(Generate, TellsWhatFailed) {
  lk::Request r = request();
  const auto model = [](const lk::Request& now) {
    return std::vector<float>{0, now.output().size() < 3 ? 9.0f : NAN, 0};
  };
  const lk::Generation result = lk::generate(model, lk::Greedy(), r);
  EXPECT_EQ(result.reason, lk::FinishReason::error);
  EXPECT_EQ(result.status, lk::Status::invalid_logits);
  EXPECT_EQ(result.tokens, (Ids{1, 1, 1}));
}

TEST(Generate, SearchesWithBeams) {
  lk::Request r = request({7});
  const lk::BeamOptions options{.width = 3, .max_new_tokens = 9};
  lk::BeamSearch beams(lk::Chain(), r, options);
  ASSERT_EQ(kModel.finish(beams), lk::Status::ok);
  const lk::Generation result = lk::generate(kModel, lk::Greedy(), r, {.bytes = letter, .beams = options});
  EXPECT_EQ(result.tokens, beams.hypotheses().front().tokens);
  EXPECT_EQ(result.hypotheses.size(), 3u);
  EXPECT_EQ(result.text.size(), result.tokens.size());
  EXPECT_EQ(Ids(r.output().begin(), r.output().end()), result.tokens);
}

TEST(Generate, FindsTheRecordedBeamsOfARealModel) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: the beam searches of stories260K are not checked";
  std::ifstream file(*folder + "/stories260k_expected.json");
  const golden::Json recorded = golden::Json::parse(file);
  const examples::TextModel model = examples::load_story_model(*folder + "/stories260K.bin", *folder + "/tok512.bin");
  const auto row = [&](const lk::Request& now) {
    Ids history(now.prompt().begin(), now.prompt().end());
    history.insert(history.end(), now.output().begin(), now.output().end());
    return model.next(history);
  };
  ASSERT_FALSE(recorded["beam_search"].empty());
  for (const golden::Json& c : recorded["beam_search"]) {
    const Ids prompt = c["prompt_ids"];
    lk::Request r(std::span<const lk::TokenId>(prompt), {.seed = 1, .end_ids = {c["eos_id"].get<lk::TokenId>()}});
    const lk::Generation result =
        lk::generate(row, lk::Greedy(), r,
                     {.beams = lk::BeamOptions{.width = c["num_beams"],
                                               .max_new_tokens = c["max_new_tokens"],
                                               .length = lk::LengthRule::power(c["length_penalty"])}});
    ASSERT_EQ(result.status, lk::Status::ok);
    ASSERT_EQ(result.hypotheses.size(), c["beams"].size());
    for (std::size_t i = 0; i < result.hypotheses.size(); ++i) {
      EXPECT_EQ(result.hypotheses[i].tokens, c["beams"][i]["ids"].get<Ids>()) << i;
      EXPECT_NEAR(result.hypotheses[i].score, c["beams"][i]["score"].get<double>(), 1e-4) << i;
    }
  }
}

}  // namespace generate_test
