// SPDX-License-Identifier: MIT
// Beams and drafts under a constraint of constrain/: its state follows every hypothesis and every draft.
#include <gtest/gtest.h>

#include <regex>

#include "search/toy_model.hpp"
#include "support/random_case.hpp"

namespace constrained_search_test {

namespace lk = logitkit;
using Ids = std::vector<lk::TokenId>;

constexpr lk::TokenId kEnd = 3;

/// Letters, pairs of letters, digits, and an end id in the middle.
const std::vector<std::string>& tokens() {
  static const std::vector<std::string> list{"a",  "b",  "c",  "<end>", "d",  "e", "ab", "ba", "abc", "cd",
                                             "de", "ed", "ea", "1",     "12", "2", "1a", "x",  "xx",  "bc"};
  return list;
}
const lk::Vocabulary& vocabulary() {
  static const lk::Vocabulary made(tokens(), {.special_ids = {kEnd}, .end_ids = {kEnd}});
  return made;
}
std::string text_of(std::span<const lk::TokenId> ids) {
  std::string text;
  for (const lk::TokenId id : ids)
    if (id != kEnd) text += tokens()[static_cast<std::size_t>(id)];
  return text;
}
lk::Request request_for(const lk::Constraint& constraint, std::uint64_t seed) {
  lk::Request request({5, 1}, {.seed = seed, .end_ids = {kEnd}});
  request.constrain(constraint.matcher());
  return request;
}

/// All ways to spell a choice in tokens, closed by the end id, with their scores, best first.
std::vector<lk::Hypothesis> spellings(const ToyModel& model, const std::vector<std::string>& choices,
                                      const lk::LengthRule& length) {
  std::vector<lk::Hypothesis> all;
  const auto extend = [&](auto&& self, const lk::Hypothesis& h, const std::string& text) -> void {
    lk::Request request({5, 1}, {.seed = 1});
    for (const lk::TokenId id : h.tokens) request.accept(id);
    const auto logprobs = (lk::Chain() | lk::LogSoftmax()).process(model(request), request);
    for (lk::TokenId id = 0; static_cast<std::size_t>(id) < tokens().size(); ++id) {
      const std::string longer = id == kEnd ? text : text + tokens()[static_cast<std::size_t>(id)];
      const bool fits = std::any_of(choices.begin(), choices.end(), [&](const std::string& choice) {
        return id == kEnd ? choice == text : choice.starts_with(longer);
      });
      if (!fits) continue;
      lk::Hypothesis next = h;
      next.tokens.push_back(id);
      next.sum_logprob += static_cast<double>(logprobs[static_cast<std::size_t>(id)]);
      if (id != kEnd) {
        self(self, next, longer);
        continue;
      }
      next.score = next.sum_logprob / length.divisor(2, next.tokens.size(), true);
      all.push_back(next);
    }
  };
  extend(extend, {}, "");
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  return all;
}

TEST(ConstrainedBeams, FindEverySpellingOfTheChoices) {
  const std::vector<std::string> choices{"abcde", "bead", "cab", "abba"};
  const lk::Constraint constraint = lk::compile_choices(vocabulary(), choices);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const ToyModel model{.vocabulary = tokens().size(), .seed = seed};
    const lk::LengthRule length = lk::LengthRule::power(seed % 3 == 0 ? 0.0 : 1.0);
    lk::BeamSearch beams(lk::Chain() | lk::AllowMask(), request_for(constraint, 1),
                         {.width = 64, .max_new_tokens = 8, .length = length, .stop = lk::StopRule::exhaustive});
    ASSERT_EQ(model.finish(beams), lk::Status::ok);
    const auto want = spellings(model, choices, length), got = beams.hypotheses();
    ASSERT_EQ(got.size(), want.size()) << "seed " << seed;
    ASSERT_GT(want.size(), 10u);
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].tokens, want[i].tokens) << "seed " << seed;
      EXPECT_EQ(got[i].score, want[i].score) << "seed " << seed;
    }
  }
}

TEST(ConstrainedBeams, KeepToAPattern) {
  const lk::Constraint constraint = lk::compile_regex(vocabulary(), "(ab|cd)+[12]{2}e?");
  const std::regex pattern("(ab|cd)+[12]{2}e?"), beginning("(ab|cd)*[ac]?|(ab|cd)+[12]{1,2}e?");
  std::size_t finished = 0, cut = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ToyModel model{.vocabulary = tokens().size(), .seed = seed};
    for (const lk::BeamScores scores : {lk::BeamScores::log_softmax, lk::BeamScores::raw, lk::BeamScores::processed}) {
      lk::BeamSearch beams(lk::AllowMask() | lk::FrequencyPenalty(0.5) | lk::TopK(10), request_for(constraint, 1),
                           {.width = 3, .max_new_tokens = 9, .scores = scores});
      ASSERT_EQ(model.finish(beams), lk::Status::ok);
      for (const lk::Hypothesis& h : beams.hypotheses()) {
        EXPECT_TRUE(std::regex_match(text_of(h.tokens), h.finished ? pattern : beginning)) << text_of(h.tokens);
        ++(h.finished ? finished : cut);
      }
    }
  }
  EXPECT_GT(finished, 500u);
  EXPECT_GT(cut, 100u);
}

TEST(ConstrainedBeams, DropAHypothesisThatTheConstraintLeavesNothing) {
  // No token of the vocabulary ends a text: what is complete has no continuation.
  const lk::Vocabulary endless(tokens(), {.special_ids = {kEnd}});
  lk::Request request({5}, {.seed = 1});
  request.constrain(lk::compile_choices(endless, {"a", "bcd"}).matcher());
  std::vector<float> row(tokens().size(), 0.0f);
  row[0] = 2;  // "a" first
  lk::BeamSearch beams(lk::Chain() | lk::AllowMask(), request, {.width = 2, .max_new_tokens = 9});
  ASSERT_EQ(beams.advance(std::vector<lk::LogitsView>{row}), lk::Status::ok);
  ASSERT_EQ(beams.live()[0].tokens, Ids{0});
  ASSERT_EQ(beams.advance(std::vector<lk::LogitsView>(beams.live().size(), row)), lk::Status::ok);
  for (const lk::Hypothesis& h : beams.live()) EXPECT_EQ(text_of(h.tokens).substr(0, 1), "b");
  lk::Status status = lk::Status::ok;
  while (!beams.done()) status = beams.advance(std::vector<lk::LogitsView>(beams.live().size(), row));
  EXPECT_EQ(status, lk::Status::no_candidates);  // "bcd" has none either
}

TEST(ConstrainedDrafts, ReplayGivesTheTokensOfDecodingWithoutDrafts) {
  const lk::Constraint constraints[] = {lk::compile_regex(vocabulary(), "(ab|cd|e)+([12]{2}|x*)"),
                                        lk::compile_choices(vocabulary(), {"abcdeabcdeabcde", "bead12ab", "cab"})};
  const std::regex pattern("(ab|cd|e)+([12]{2}|x*)|abcdeabcdeabcde|bead12ab|cab");
  std::size_t accepted = 0, refused = 0, ended = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    random_case::Source s(seed);
    const ToyModel model{.vocabulary = tokens().size(), .seed = seed};
    const lk::Pipeline pipeline = lk::RepetitionPenalty(1.2) | lk::AllowMask() | lk::TopP(0.95) | lk::Multinomial();
    lk::Request plain = request_for(constraints[seed % 2], seed), drafted = plain.fork();
    while (plain.output().size() < 20 && !plain.is_finished())
      ASSERT_TRUE(plain.accept(pipeline.pick(model(plain), plain)));
    while (drafted.output().size() < plain.output().size()) {
      Ids drafts;
      std::vector<std::vector<float>> rows;
      Ids output(drafted.output().begin(), drafted.output().end());
      rows.push_back(model(drafted.prompt(), output));
      for (std::size_t i = output.size(); i < plain.output().size() && drafts.size() < 4; ++i) {
        // now and then one that the constraint may refuse
        drafts.push_back(s.chance(0.8) ? plain.output()[i] : static_cast<lk::TokenId>(s.below(tokens().size())));
        output.push_back(drafts.back());
        rows.push_back(model(drafted.prompt(), output));
      }
      const lk::DraftResult result = lk::verify_draft(pipeline, std::vector<lk::LogitsView>(rows.begin(), rows.end()),
                                                      drafts, {}, drafted, {.rule = lk::DraftRule::replay});
      ASSERT_EQ(result.status, lk::Status::ok) << "seed " << seed;
      for (const lk::Pick& pick : result.picks)
        if (drafted.output().size() < plain.output().size()) {
          ASSERT_TRUE(drafted.accept(pick)) << "seed " << seed;
        }
      accepted += result.accepted;
      refused += drafts.size() - result.accepted;
    }
    ASSERT_TRUE(std::equal(plain.output().begin(), plain.output().end(), drafted.output().begin())) << "seed " << seed;
    if (plain.is_finished()) {
      EXPECT_TRUE(std::regex_match(text_of(plain.output()), pattern)) << text_of(plain.output());
      ++ended;
    }
  }
  EXPECT_GT(accepted, 5000u);
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(ended, 1000u);
}

TEST(ConstrainedDrafts, NeverLeaveThePatternByTheOtherRules) {
  const lk::Constraint constraint = lk::compile_regex(vocabulary(), "(ab|cd)+[12]{2}");
  const std::regex pattern("(ab|cd)+[12]{2}");
  const std::vector<float> guess(tokens().size(), 1.0f / static_cast<float>(tokens().size()));
  const lk::Pipeline pipeline = lk::Chain() | lk::AllowMask() | lk::Multinomial();
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const lk::DraftRule rule = seed % 2 == 0 ? lk::DraftRule::rejection : lk::DraftRule::block;
    random_case::Source s(seed);
    lk::Request request = request_for(constraint, seed);
    while (!request.is_finished() && request.output().size() < 15) {
      Ids drafts;
      for (int i = 0; i < 3; ++i) drafts.push_back(static_cast<lk::TokenId>(s.below(tokens().size())));
      const std::vector<float> row = ToyModel{.vocabulary = tokens().size(), .seed = seed}(request);
      const std::vector<lk::LogitsView> rows(4, row), draft_probs(3, guess);
      const lk::DraftResult result = lk::verify_draft(pipeline, rows, drafts, draft_probs, request, {.rule = rule});
      ASSERT_EQ(result.status, lk::Status::ok) << "seed " << seed;
      for (const lk::Pick& pick : result.picks)
        if (!request.is_finished()) {
          ASSERT_TRUE(request.accept(pick)) << "seed " << seed;
        }
    }
    if (!request.is_finished()) continue;
    EXPECT_TRUE(std::regex_match(text_of(request.output()), pattern)) << text_of(request.output());
    ++ended;
  }
  EXPECT_GT(ended, 300);
}

TEST(ConstrainedDrafts, EndWhereAStepForcesWhatTheConstraintRefuses) {
  lk::Request request({5}, {.seed = 1, .end_ids = {kEnd}});
  request.constrain(lk::compile_choices(vocabulary(), {"abab"}).matcher());
  const lk::Pipeline pipeline = lk::AllowMask() | lk::ForcedBos(17) | lk::Multinomial();  // "x", the first token
  const std::vector<float> row(tokens().size(), 0.0f);
  const Ids drafts{17, 6};
  for (const lk::DraftRule rule : {lk::DraftRule::replay, lk::DraftRule::rejection, lk::DraftRule::block}) {
    const lk::DraftResult result =
        lk::verify_draft(pipeline, std::vector<lk::LogitsView>(3, row), drafts, {}, request, {.rule = rule});
    EXPECT_EQ(result.accepted, 0u);
    EXPECT_EQ(result.token, 17);
    EXPECT_FALSE(request.accept(result.picks.front()));  // as without drafts
  }
}

}  // namespace constrained_search_test
