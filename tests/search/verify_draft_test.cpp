// SPDX-License-Identifier: MIT
#include "logitkit/search/verify_draft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "search/toy_model.hpp"
#include "support/random_case.hpp"

namespace verify_draft_test {

namespace lk = logitkit;
using Ids = std::vector<lk::TokenId>;
using Rows = std::vector<std::vector<float>>;

std::vector<lk::LogitsView> views(const Rows& rows) { return {rows.begin(), rows.end()}; }
Ids ids(std::span<const lk::TokenId> tokens) { return {tokens.begin(), tokens.end()}; }

/// The rows that a model gives for all drafts at once.
Rows rows_for(const ToyModel& model, const lk::Request& request, const Ids& drafts, bool bonus = true) {
  Ids output = ids(request.output());
  Rows rows{model(request.prompt(), output)};
  for (const lk::TokenId token : drafts) {
    output.push_back(token);
    rows.push_back(model(request.prompt(), output));
  }
  if (!bonus) rows.pop_back();
  return rows;
}

// --- replay ---

/// Tokens may follow one another if their sum is no multiple of 5. A constraint with a state to keep.
class NoFives {
 public:
  explicit NoFives(std::size_t vocabulary) : vocabulary_(vocabulary) {}
  bool fill(std::span<std::int32_t> words) {
    std::fill(words.begin(), words.end(), 0);
    for (std::size_t id = 0; id < vocabulary_; ++id)
      if (allows(static_cast<lk::TokenId>(id)))
        words[id / 32] |= static_cast<std::int32_t>(std::uint32_t{1} << (id % 32));
    return true;
  }
  bool accept(lk::TokenId token) { return allows(token) && (history_.push_back(token), true); }
  void rollback(std::size_t n) { history_.resize(history_.size() - n); }

 private:
  bool allows(lk::TokenId token) const { return history_.empty() || (history_.back() + token) % 5 != 0; }
  std::size_t vocabulary_;
  Ids history_;
};

lk::Step draft_selector(random_case::Source& s) {
  switch (s.below(7)) {
    case 0:
      return lk::Greedy();
    case 1:
      return lk::ExponentialRace();
    case 2:
      return lk::Mirostat(3, 0.2);
    case 3:
      return lk::MirostatV2(3, 0.2);
    case 4:
      return lk::AdaptiveP(0.3, 0.9);
    case 5:
      return lk::LlamaCppDist(7);
    default:
      return lk::Multinomial();
  }
}

TEST(VerifyDraft, ReplayGivesTheTokensOfDecodingWithoutDrafts) {
  std::size_t accepted = 0, refused = 0, constrained = 0;
  for (std::uint64_t seed = 1; seed <= 10000; ++seed) {
    random_case::Source s(seed);
    const ToyModel model{.vocabulary = 30 + s.below(60), .seed = seed, .grid = s.chance(0.3) ? 0.5 : 0};
    std::vector<lk::Step> steps;
    const bool has_constraint = s.chance(0.4);
    if (has_constraint) steps.emplace_back(lk::AllowMask());
    for (std::size_t n = s.below(5); n > 0; --n) steps.push_back(random_case::random_step(s, model.vocabulary));
    if (s.chance(0.2)) steps.emplace_back(lk::NoRepeatNgram(2));
    if (s.chance(0.2)) steps.emplace_back(lk::Xtc(0.5, 0.1));
    const lk::Pipeline pipeline(lk::Chain(steps), draft_selector(s));
    lk::Request plain({3, 7, 3}, {.seed = seed});
    if (has_constraint) plain.constrain(NoFives(model.vocabulary));
    lk::Request drafted = plain.fork();
    lk::Status status = lk::Status::ok;
    while (plain.output().size() < 12 && status == lk::Status::ok) {
      const lk::Pick pick = pipeline.pick(model(plain), plain);
      status = pick.status;
      if (!plain.accept(pick)) break;  // a step forced what the constraint refuses
    }
    while (drafted.output().size() < plain.output().size()) {
      const std::size_t done = drafted.output().size();
      Ids drafts;
      for (std::size_t i = done; i < std::min(done + s.below(5), plain.output().size() - 1); ++i)
        drafts.push_back(s.chance(0.8) ? plain.output()[i] : static_cast<lk::TokenId>(s.below(model.vocabulary)));
      const lk::DraftResult result = lk::verify_draft(pipeline, views(rows_for(model, drafted, drafts)), drafts, {},
                                                      drafted, {.rule = lk::DraftRule::replay});
      ASSERT_EQ(result.status, lk::Status::ok) << "seed " << seed;
      ASSERT_EQ(result.picks.size(), result.accepted + 1);
      ASSERT_EQ(result.picks.back().token, result.token);
      for (const lk::Pick& pick : result.picks) ASSERT_TRUE(drafted.accept(pick)) << "seed " << seed;
      accepted += result.accepted;
      refused += drafts.size() - result.accepted;
      constrained += has_constraint ? 1 : 0;
    }
    ASSERT_TRUE(std::equal(plain.output().begin(), plain.output().end(), drafted.output().begin())) << "seed " << seed;
  }
  EXPECT_GT(accepted, 30000u);
  EXPECT_GT(refused, 10000u);
  EXPECT_GT(constrained, 5000u);
}

// --- the distribution of the other rules ---

constexpr std::size_t kVocabulary = 4;
const ToyModel kTarget{.vocabulary = kVocabulary, .seed = 11, .scale = 0.6};
const ToyModel kDraft{.vocabulary = kVocabulary, .seed = 12, .scale = 0.6};
const lk::Pipeline kPipeline = lk::Temperature(1.3) | lk::Multinomial();

std::vector<float> probabilities(const std::vector<float>& logits) {
  std::vector<float> p(logits.size());
  lk::softmax(logits, p);
  return p;
}

/// Chi-square of the first two tokens against decoding by the target model alone.
double chi_square_of_pairs(lk::DraftRule rule, bool with_probabilities, double& mean_accepted) {
  constexpr int kTrials = 40000;
  std::vector<int> seen(kVocabulary * kVocabulary);
  std::size_t accepted = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    lk::Request request({1}, {.seed = static_cast<std::uint64_t>(trial)});
    lk::Request draft = request.fork(1);  // other draws than those of the judge
    Ids drafts;
    Rows draft_probs;
    for (int i = 0; i < 3; ++i) {
      draft_probs.push_back(probabilities(kDraft(draft)));
      const lk::TokenId token =
          with_probabilities ? lk::Pipeline(lk::Multinomial()).pick(kDraft(draft), draft).token : i % 3 + 1;
      drafts.push_back(token);
      draft.accept(token);
    }
    if (!with_probabilities) draft_probs.clear();
    const lk::DraftResult result = lk::verify_draft(kPipeline, views(rows_for(kTarget, request, drafts)), drafts,
                                                    views(draft_probs), request, {.rule = rule});
    EXPECT_EQ(result.status, lk::Status::ok);
    accepted += result.accepted;
    for (std::size_t i = 0; i < result.accepted; ++i) request.accept(drafts[i]);
    request.accept(result.token);
    if (request.output().size() < 2) request.accept(kPipeline.pick(kTarget(request), request));
    ++seen[static_cast<std::size_t>(request.output()[0]) * kVocabulary + static_cast<std::size_t>(request.output()[1])];
  }
  mean_accepted = static_cast<double>(accepted) / kTrials;
  double chi_square = 0;
  for (std::size_t a = 0; a < kVocabulary; ++a) {
    lk::Request request({1}, {.seed = 1});
    const auto first = probabilities(kPipeline.process(kTarget(request), request));
    request.accept(static_cast<lk::TokenId>(a));
    const auto second = probabilities(kPipeline.process(kTarget(request), request));
    for (std::size_t b = 0; b < kVocabulary; ++b) {
      const double expected = kTrials * static_cast<double>(first[a]) * static_cast<double>(second[b]);
      const double found = seen[a * kVocabulary + b];
      chi_square += (found - expected) * (found - expected) / expected;
    }
  }
  return chi_square;
}

// 15 degrees of freedom: 44.3 is exceeded with probability 1e-4; the seeds are fixed.
TEST(VerifyDraft, RejectionAndBlockHaveTheDistributionOfPlainSampling) {
  double by_token = 0, by_block = 0, guessed = 0;
  EXPECT_LT(chi_square_of_pairs(lk::DraftRule::rejection, true, by_token), 44.3);
  EXPECT_LT(chi_square_of_pairs(lk::DraftRule::block, true, by_block), 44.3);
  EXPECT_GT(by_block, by_token);  // what the block rule is for
  EXPECT_LT(chi_square_of_pairs(lk::DraftRule::rejection, false, guessed), 44.3);
  EXPECT_LT(chi_square_of_pairs(lk::DraftRule::block, false, guessed), 44.3);
}

TEST(VerifyDraft, AcceptsWithProbabilityMinOfOneAndPOverQ) {
  const std::vector<float> target = kTarget(Ids{1}, Ids{}), draft = kDraft(Ids{1}, Ids{});
  const auto p = probabilities(target), q = probabilities(draft);
  const lk::Request request({1}, {.seed = 1});
  for (lk::TokenId token = 0; token < 4; ++token) {
    const auto i = static_cast<std::size_t>(token);
    double low = 0, high = 1;  // the largest u that accepts
    for (int step = 0; step < 40; ++step) {
      const double u = (low + high) / 2;
      const double uniforms[] = {u};
      const Ids drafts{token};
      const auto result =
          lk::verify_draft(lk::Multinomial(), views({target}), drafts, views({q}), request, {.uniforms = uniforms});
      (result.accepted == 1 ? low : high) = u;
    }
    EXPECT_NEAR(low, std::min(1.0, static_cast<double>(p[i]) / static_cast<double>(q[i])), 1e-6);
  }
}

/// The token that follows a refused draft, by noise; how much each one of the residual weighs comes out by bisection.
std::vector<double> residual_weights(const std::vector<float>& target, const std::vector<float>& q, lk::TokenId draft) {
  const auto token_for = [&](const std::vector<float>& noise) {
    const double uniforms[] = {1 - 1e-12};
    const Ids drafts{draft};
    return lk::verify_draft(lk::Multinomial(), views({target}), drafts, views({q}), lk::Request({1}, {.seed = 1}),
                            {.uniforms = uniforms, .exp_noise = noise})
        .token;
  };
  const lk::TokenId heaviest = token_for(std::vector<float>(q.size(), 1.0f));
  std::vector<double> weights(q.size(), 1);
  for (std::size_t x = 0; x < q.size(); ++x) {
    if (static_cast<lk::TokenId>(x) == heaviest) continue;
    double low = 0, high = 1;  // of the noise at which it is as good as the heaviest
    for (int step = 0; step < 50; ++step) {
      std::vector<float> noise(q.size(), 1e30f);
      noise[static_cast<std::size_t>(heaviest)] = 1;
      noise[x] = static_cast<float>((low + high) / 2);
      (token_for(noise) == static_cast<lk::TokenId>(x) ? low : high) = (low + high) / 2;
    }
    weights[x] = low;
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& w : weights) w /= total;
  return weights;
}

TEST(VerifyDraft, ADraftAndWhatReplacesItHaveExactlyTheTargetsDistribution) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<float> target = ToyModel{.vocabulary = 5, .seed = seed}(Ids{1}, Ids{});
    const auto p = probabilities(target);
    const auto q = probabilities(ToyModel{.vocabulary = 5, .seed = seed + 100}(Ids{1}, Ids{}));
    std::vector<double> output(5);
    for (lk::TokenId draft = 0; draft < 5; ++draft) {
      const auto d = static_cast<std::size_t>(draft);
      const double q_d = static_cast<double>(q[d]), kept = std::min(1.0, static_cast<double>(p[d]) / q_d);
      output[d] += q_d * kept;  // as the test before has it
      if (kept == 1) continue;
      const auto replaced = residual_weights(target, q, draft);
      for (std::size_t x = 0; x < 5; ++x) output[x] += q_d * (1 - kept) * replaced[x];
    }
    for (std::size_t x = 0; x < 5; ++x) EXPECT_NEAR(output[x], static_cast<double>(p[x]), 1e-6) << "seed " << seed;
  }
}

// --- what it promises ---

TEST(VerifyDraft, EachRowSeesTheDraftsBeforeIt) {
  // The same pair of tokens must not come twice: 2 after 1 is allowed once.
  const lk::Pipeline pipeline = lk::Chain() | lk::NoRepeatNgram(2) | lk::Greedy();
  const std::vector<float> likes_one{0, 5, 1, 0}, likes_two{0, 1, 5, 0};
  const Rows rows{likes_one, likes_two, likes_one, likes_two, likes_one};
  const Ids drafts{1, 2, 1, 2};
  const lk::Request request({3}, {.seed = 1});
  const lk::DraftResult result = lk::verify_draft(pipeline, views(rows), drafts, {}, request);
  EXPECT_EQ(result.accepted, 3u);
  EXPECT_EQ(result.token, 1);  // 2 is banned, 1 is next
  EXPECT_TRUE(request.output().empty());
}

TEST(VerifyDraft, NeverAcceptsARemovedToken) {
  const double uniforms[] = {0.0};
  const Ids drafts{2};
  const lk::Request request({3}, {.seed = 1});
  for (const lk::DraftRule rule : {lk::DraftRule::rejection, lk::DraftRule::block}) {
    const auto result =
        lk::verify_draft(lk::Chain() | lk::BanTokens({2}) | lk::Multinomial(), views({{0, 1, 9, 1}, {0, 1, 2, 3}}),
                         drafts, views({{0.1f, 0.2f, 0.6f, 0.1f}}), request, {.rule = rule, .uniforms = uniforms});
    EXPECT_EQ(result.accepted, 0u);
    EXPECT_NE(result.token, 2);
  }
}

TEST(VerifyDraft, WithoutARowForItNoTokenFollows) {
  const Ids drafts{1};
  const lk::Request request({3}, {.seed = 1});
  for (const lk::DraftRule rule : {lk::DraftRule::rejection, lk::DraftRule::block, lk::DraftRule::replay}) {
    const auto result =
        lk::verify_draft(lk::Multinomial(), views({{-90, 90, -90}}), drafts, {}, request, {.rule = rule});
    EXPECT_EQ(result.accepted, 1u);
    EXPECT_EQ(result.token, lk::kNoToken);
    EXPECT_EQ(result.picks.size(), 1u);
  }
}

TEST(VerifyDraft, WithoutDraftsPicksThePlainToken) {
  const lk::Request request({3}, {.seed = 8});
  const Rows rows{kTarget(request)};
  const lk::TokenId want = lk::Pipeline(lk::Multinomial()).pick(rows[0], request).token;
  for (const lk::DraftRule rule : {lk::DraftRule::rejection, lk::DraftRule::block, lk::DraftRule::replay})
    EXPECT_EQ(lk::verify_draft(lk::Multinomial(), views(rows), {}, {}, request, {.rule = rule}).token, want);
}

TEST(VerifyDraft, PaddingIsRefused) {
  const Ids drafts{-1, 9};
  const lk::Request request({3}, {.seed = 1});
  for (const lk::DraftRule rule : {lk::DraftRule::rejection, lk::DraftRule::block})
    EXPECT_EQ(
        lk::verify_draft(lk::Multinomial(), views(Rows(3, {0, 1, 2})), drafts, {}, request, {.rule = rule}).accepted,
        0u);
}

TEST(VerifyDraft, ABadRowEndsItWithTheDraftsBefore) {
  const Ids drafts{1, 1};
  const lk::Request request({3}, {.seed = 1});
  for (const lk::DraftRule rule : {lk::DraftRule::rejection, lk::DraftRule::replay}) {
    const auto result =
        lk::verify_draft(lk::Multinomial(), views({{-90, 90}, {0, NAN}, {0, 1}}), drafts, {}, request, {.rule = rule});
    EXPECT_EQ(result.status, lk::Status::invalid_logits);
    EXPECT_EQ(result.accepted, 1u);
    EXPECT_EQ(result.token, lk::kNoToken);
  }
}

TEST(VerifyDraft, SaysWhatDoesNotFit) {
  const Ids drafts{1};
  const lk::Request request({3}, {.seed = 1});
  const Rows one{{0, 1}}, three{{0, 1}, {0, 1}, {0, 1}};
  EXPECT_THROW(lk::verify_draft(lk::Multinomial(), views(three), drafts, {}, request), lk::InvalidParameter);
  EXPECT_THROW(lk::verify_draft(lk::Multinomial(), views(one), drafts, views(three), request), lk::InvalidParameter);
  EXPECT_EQ(lk::verify_draft(lk::MirostatV2(3, 0.1), views(one), drafts, {}, request).status, lk::Status::unsupported);
  EXPECT_EQ(lk::verify_draft(lk::Multinomial(), views(one), drafts, views({{1, 0, 0}}), request).status,
            lk::Status::width_mismatch);
}

}  // namespace verify_draft_test
