// SPDX-License-Identifier: MIT
// Constraints where they are used: in requests, steps, beams and drafts.
#include <gtest/gtest.h>

#include <array>

#include "logitkit/json_schema.hpp"
#include "logitkit/logitkit.hpp"
#include "search/toy_model.hpp"
#include "support/random_case.hpp"
#include "walks.hpp"

namespace constrained_request_test {

using namespace constrain_test;
using Ids = std::vector<lk::TokenId>;

const lk::Pipeline kConstrained = lk::AllowMask() | lk::Greedy();

const lk::Constraint& review() {
  static const lk::Constraint c = lk::compile_json_schema(
      small_vocabulary(),
      R"({"type":"object","properties":{"a":{"enum":["ab","abc",12]},"s":{"type":"string","maxLength":3},
          "n":{"type":"array","items":{"$ref":"#"}}},"required":["a"]})",
      {.whitespace = lk::Whitespace::compact()});
  return c;
}
lk::Request request_of(const lk::Constraint& constraint) {
  lk::Request request({1}, {.seed = 1, .end_ids = {kEnd, kOtherEnd}});
  request.constrain(constraint.matcher());
  return request;
}
/// What the request lets through of a row of zeros.
std::vector<bool> allowed_by(const lk::Request& request, std::size_t width = kWidth) {
  const lk::Chain chain = lk::Chain{} | lk::AllowMask();
  std::vector<bool> out;
  for (const float x : chain.process(std::vector<float>(width), request)) out.push_back(x == 0);
  return out;
}
void accept_text(lk::Request& request, std::string_view text) {
  for (const char c : text) ASSERT_TRUE(request.accept(static_cast<unsigned char>(c))) << text;
}

TEST(ConstrainedRequest, IsWhatAFreshOneIsThatAcceptedTheSameTokens) {
  std::size_t accepted = 0, refused = 0, undone = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    random_case::Source s(seed);
    std::array<lk::Request, 2> requests{request_of(review()), request_of(review())};
    for (int step = 0; step < 30; ++step) {
      lk::Request& request = requests[s.below(2)];
      const std::vector<bool> allowed = allowed_by(request);
      auto id = static_cast<lk::TokenId>(s.below(kWidth));
      if (s.chance(0.1)) {
        requests[0] = requests[1].fork();
      } else if (s.chance(0.15)) {
        const std::size_t n = s.below(std::min<std::size_t>(request.output().size(), 4) + 1);
        request.rollback(n);
        undone += n;
      } else {
        if (s.chance(0.8))
          while (!allowed[static_cast<std::size_t>(id)]) id = (id + 1) % static_cast<lk::TokenId>(kWidth);
        const std::size_t before = request.output().size();
        ASSERT_EQ(request.accept(id), allowed[static_cast<std::size_t>(id)]) << "seed " << seed << ", id " << id;
        ASSERT_EQ(request.output().size(), before + (allowed[static_cast<std::size_t>(id)] ? 1 : 0));
        ++(allowed[static_cast<std::size_t>(id)] ? accepted : refused);
        if (request.is_finished()) request.rollback(1);
      }
      for (const lk::Request& each : requests) {
        lk::Request fresh = request_of(review());
        for (const lk::TokenId token : each.output()) ASSERT_TRUE(fresh.accept(token));
        ASSERT_EQ(allowed_by(each), allowed_by(fresh)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(accepted, 2000u);
  EXPECT_GT(refused, 400u);
  EXPECT_GT(undone, 500u);
}

TEST(ConstrainedRequest, TheStepKeepsWhatTheMatcherAllowsWhereverItStands) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    random_case::Source s(seed);
    lk::Request request = request_of(review());
    lk::Matcher matcher = review().matcher();
    for (std::size_t n = s.below(20); n > 0; --n) {
      const std::vector<bool> allowed = allowed_by(request);
      std::size_t id = s.below(kWidth);
      while (!allowed[id]) id = (id + 1) % kWidth;
      if (id == kEnd || id == kOtherEnd) break;
      ASSERT_TRUE(request.accept(static_cast<lk::TokenId>(id)));
      ASSERT_TRUE(matcher.accept(static_cast<lk::TokenId>(id)));
    }
    const Mask mask = mask_of(matcher);
    const std::size_t width =
        s.one_of({kWidth, kWidth, kWidth + 70, kWidth - 37});  // padding at the end, or a row cut short
    std::vector<float> row(width);
    for (float& x : row) x = static_cast<float>(s.between(-3, 3));
    const lk::Chain top = lk::Chain{} | lk::Temperature(0.5) | lk::TopK(200);
    const lk::Request free({1}, {.seed = 1});
    const std::vector<float> best = top.process(row, free);
    const std::vector<float> first = (lk::Chain{} | lk::AllowMask() | lk::Temperature(0.5)).process(row, request);
    const std::vector<float> last = (top | lk::AllowMask()).process(row, request);
    for (std::size_t id = 0; id < width; ++id) {
      const bool is_allowed = id < kWidth && allowed(mask, static_cast<lk::TokenId>(id));
      ASSERT_EQ(first[id], is_allowed ? row[id] * 2 : -INFINITY) << "seed " << seed << ", id " << id;
      ASSERT_EQ(last[id], is_allowed ? best[id] : -INFINITY) << "seed " << seed << ", id " << id;
    }
  }
}

TEST(ConstrainedRequest, ReadyMasksOfAnotherLibraryDoTheSame) {
  // One row of int32 words for each sequence, one after the other, as XGrammar and llguidance fill them.
  const std::size_t words = small_vocabulary().mask_words();
  const std::vector<std::string> texts = {"", "{", "{\"a\":", "{\"a\":12", "{\"a\":12,\"n\":[", "{\"a\":\"ab"};
  std::vector<std::int32_t> masks(texts.size() * words);
  const ToyModel model{.vocabulary = kWidth, .seed = 5, .scale = 2};
  std::vector<lk::Request> constrained, masked;
  std::vector<lk::Pipeline> own;
  std::vector<std::vector<float>> logits;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    constrained.push_back(request_of(review()));
    masked.emplace_back(std::initializer_list<lk::TokenId>{1}, lk::RequestOptions{.seed = 1});
    lk::Matcher matcher = review().matcher();
    for (const char c : texts[i]) {
      const auto id = static_cast<unsigned char>(c);
      ASSERT_TRUE(constrained[i].accept(id) && masked[i].accept(id) && matcher.accept(id));
    }
    const auto mask = std::span(masks).subspan(i * words, words);
    ASSERT_TRUE(matcher.fill(mask));
    own.push_back(lk::AllowMask(std::vector<std::int32_t>(mask.begin(), mask.end())) | lk::Temperature(1.5) |
                  lk::Multinomial());
    logits.push_back(model(masked[i]));
  }
  std::vector<lk::LogitsView> rows(logits.begin(), logits.end());
  const auto picks_of = [&](const std::vector<const lk::Pipeline*>& pipelines, std::vector<lk::Request>& requests) {
    std::vector<lk::Request*> pointers;
    for (lk::Request& r : requests) pointers.push_back(&r);
    std::vector<lk::Pick> picks(texts.size());
    lk::pick_batch(pipelines, rows, pointers, picks);
    return picks;
  };
  const lk::Pipeline shared = lk::AllowMask() | lk::Temperature(1.5) | lk::Multinomial();
  std::vector<const lk::Pipeline*> pointers;
  for (const lk::Pipeline& p : own) pointers.push_back(&p);
  const auto by_constraint = picks_of(std::vector<const lk::Pipeline*>(texts.size(), &shared), constrained);
  const auto by_words = picks_of(pointers, masked);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_TRUE(by_words[i]) << by_words[i].message();
    EXPECT_EQ(by_words[i].token, by_constraint[i].token);
    EXPECT_EQ(by_words[i].survivors, by_constraint[i].survivors);
    EXPECT_TRUE(constrained[i].accept(by_words[i])) << texts[i];
  }
}

TEST(ConstrainedRequest, WordsEndWhereTheyEnd) {
  const std::vector<float> row(40, 1.0f);
  const lk::Request free({1}, {.seed = 1});
  const auto kept = [&](std::vector<std::int32_t> words) {
    std::vector<lk::TokenId> ids;
    const std::vector<float> out = (lk::Chain{} | lk::AllowMask(std::move(words))).process(row, free);
    for (std::size_t id = 0; id < out.size(); ++id)
      if (out[id] == 1) ids.push_back(static_cast<lk::TokenId>(id));
    return ids;
  };
  EXPECT_EQ(kept({1 << 5 | 1 << 30}), (Ids{5, 30}));                     // shorter than the row: nothing past it
  EXPECT_EQ(kept({1 << 5, 1 << 3 | 1 << 20, -1}), (Ids{5, 35}));         // bits past the row mean nothing
  EXPECT_EQ(kept({std::numeric_limits<std::int32_t>::min()}), Ids{31});  // the sign is a bit like the others
}

// --- a vocabulary in which "yes" and "no" have three spellings: ye s, y e s, n o ---

const lk::Vocabulary& letters() {
  static const lk::Vocabulary v(std::vector<std::string>{"x", "n", "o", "ye", "s", "y", "e", "<end>", "no!"},
                                {.end_ids = {7}});
  return v;
}
lk::Request yes_or_no() {
  lk::Request request({1}, {.seed = 1, .end_ids = {7}});
  request.constrain(lk::compile_choices(letters(), {"yes", "no"}).matcher());
  return request;
}

TEST(ConstrainedRequest, EveryBeamFollowsItsOwnMatcher) {
  const ToyModel model{.vocabulary = letters().size(), .seed = 3};
  lk::BeamSearch beams(lk::Chain{} | lk::AllowMask(), yes_or_no(), {.width = 5, .max_new_tokens = 10});
  while (!beams.done()) {
    const auto rows = model.rows(beams);
    ASSERT_EQ(beams.advance(std::vector<lk::LogitsView>(rows.begin(), rows.end())), lk::Status::ok);
  }
  const auto found = beams.hypotheses();
  const std::vector<Ids> spellings = {{3, 4, 7}, {5, 6, 4, 7}, {1, 2, 7}};
  ASSERT_EQ(found.size(), spellings.size());
  for (const lk::Hypothesis& h : found) {
    EXPECT_NE(std::find(spellings.begin(), spellings.end(), h.tokens), spellings.end());
    // the sum of the row's own log-probabilities: masking renormalises nothing
    const Ids prompt{1};
    Ids output;
    double sum = 0;
    for (const lk::TokenId token : h.tokens) {
      const std::vector<float> row = model(prompt, output);
      sum += static_cast<double>(row[static_cast<std::size_t>(token)]) - lk::log_sum_exp(row);
      output.push_back(token);
    }
    EXPECT_NEAR(h.sum_logprob, sum, 1e-5);
  }
}

TEST(ConstrainedRequest, DraftsAreJudgedBehindTheMatcher) {
  // The row likes x best, which is never allowed; then ye, s, o, n.
  const std::vector<float> row = {9, 1, 2, 5, 4, 0, 0, 3, 8};
  const auto judge = [&](const Ids& drafts) {
    const lk::Request request = yes_or_no();
    const std::vector<lk::LogitsView> rows(drafts.size() + 1, row);
    const lk::DraftResult d =
        lk::verify_draft(kConstrained, rows, drafts, {}, request, {.rule = lk::DraftRule::replay});
    EXPECT_EQ(kConstrained.pick(row, request).token, 3);  // it has not moved
    return d;
  };
  lk::DraftResult d = judge({3, 4});
  EXPECT_EQ(d.accepted, 2u);
  EXPECT_EQ(d.token, 7);  // "yes" is complete: only the end is left
  d = judge({3, 8});      // what the row likes, but the constraint refuses
  EXPECT_EQ(d.accepted, 1u);
  EXPECT_EQ(d.token, 4);
  d = judge({0, 4});
  EXPECT_EQ(d.accepted, 0u);
  EXPECT_EQ(d.token, 3);
}

TEST(ConstrainedRequest, ATriggerSwitchesItIntoAToolsSchemaAndBack) {
  const auto tool = [](const char* schema) {
    return lk::compile_json_schema(small_vocabulary(), schema, {.whitespace = lk::Whitespace::compact()});
  };
  lk::Request request = request_of(lk::compile_tags(
      small_vocabulary(),
      {{"<sum>", tool(R"({"type":"array","items":{"type":"integer"},"minItems":2})"), "</sum>"},
       {"<find>", tool(R"({"type":"object","properties":{"q":{"type":"string"}},"required":["q"]})"), "</find>"}}));
  const std::vector<bool> free = allowed_by(request);
  accept_text(request, "Let me see: <");
  EXPECT_TRUE(request.fork().accept(kEnd));  // free text may end anywhere
  lk::Request other = request.fork();
  accept_text(request, "sum>");
  accept_text(other, "find>");
  // the same schema as without a tag around it, but for the end
  const auto only = [](char c) {
    std::vector<bool> out(kWidth);
    for (lk::TokenId id = 0; id < kEnd; ++id)
      out[static_cast<std::size_t>(id)] = small_vocabulary().bytes(id) == std::string(1, c);
    return out;
  };
  EXPECT_FALSE(request.accept(kEnd));
  EXPECT_FALSE(request.accept('{'));
  EXPECT_FALSE(other.accept('['));
  accept_text(request, "[12,-1");
  accept_text(other, "{\"q\":\"ab\"}");
  EXPECT_EQ(allowed_by(other), only('<'));
  EXPECT_FALSE(other.accept('a'));
  accept_text(request, "]</sum>");
  EXPECT_EQ(allowed_by(request), free);
  accept_text(request, " and <find>{\"q\":\"\"}</find>");
  EXPECT_EQ(allowed_by(request), free);
  request.rollback(std::string_view("\"}</find>").size());  // into the string: not even its text is free
  EXPECT_FALSE(request.accept(kEnd));
  EXPECT_FALSE(request.accept('\n'));
  accept_text(request, "\"}</find>");
  EXPECT_TRUE(request.accept(kOtherEnd));
  EXPECT_TRUE(request.is_finished());
}

TEST(ConstrainedRequest, ForcedBytesBecomeTokensWithoutForcingASplit) {
  std::vector<std::string> tokens = small_tokens();
  tokens[270] = "{\"order";
  tokens[271] = "orderId";
  tokens[272] = "order";
  tokens[273] = "Id";
  const lk::Vocabulary vocabulary(tokens, {.size = kWidth, .special_ids = {kSpecial}, .end_ids = {kEnd, kOtherEnd}});
  const auto longest_first = [&](std::string_view text) {
    Ids out;
    while (!text.empty()) {
      lk::TokenId best = lk::kNoToken;
      for (lk::TokenId id = 0; id < kEnd; ++id)
        if (text.starts_with(vocabulary.bytes(id)) &&
            (best < 0 || vocabulary.bytes(id).size() > vocabulary.bytes(best).size()))
          best = id;
      out.push_back(best);
      text.remove_prefix(vocabulary.bytes(best).size());
    }
    return out;
  };
  const lk::Constraint c = lk::compile_json_schema(
      vocabulary, R"({"type":"object","properties":{"orderId":{"type":"integer","minimum":1}},"required":["orderId"]})",
      {.whitespace = lk::Whitespace::compact()});
  lk::Matcher matcher = c.matcher();
  ASSERT_EQ(matcher.forced_bytes(), "{\"orderId\":");
  const Ids forced = lk::forced_tokens(vocabulary, matcher.forced_bytes(), longest_first);
  EXPECT_EQ(forced, (Ids{270, 273}));  // the quote is held back: `":` is a token too
  // as steps of the pipeline: the prefix, and the matcher that follows it
  lk::Request request = request_of(c);
  const lk::Pipeline pipeline = lk::PrefixForce(forced) | lk::AllowMask() | lk::Greedy();
  std::vector<float> row(kWidth);
  row['7'] = 1;
  row[kEnd] = 0.5f;
  std::string text;
  for (int i = 0; i < 5; ++i) {
    const lk::Pick pick = pipeline.pick(row, request);
    ASSERT_TRUE(request.accept(pick)) << pick.message();
    text += vocabulary.bytes(pick.token);
  }
  EXPECT_EQ(text, "{\"orderId\":7");
  // a text that ends in "order": `orderId` could still come, so only the tokens before it are forced
  EXPECT_EQ(lk::safe_to_force(vocabulary, "{\"x\":\"order"), std::string_view("{\"x\":\"").size());
}

}  // namespace constrained_request_test
