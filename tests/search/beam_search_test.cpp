// SPDX-License-Identifier: MIT
#include "logitkit/search/beam_search.hpp"

#include <gtest/gtest.h>

#include <map>

#include "search/toy_model.hpp"
#include "support/random_case.hpp"

namespace beam_search_test {

namespace lk = logitkit;
using Ids = std::vector<lk::TokenId>;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

// --- a reference that holds width x V sums and sorts them all ---

struct Sum {
  double sum;
  std::size_t parent;
  lk::TokenId token;
  float logprob;
};

/// The log-probabilities of all tokens, -inf where the steps removed them.
std::vector<float> scores_of(const lk::Chain& chain, lk::BeamScores scores, const std::vector<float>& row,
                             const lk::Request& request) {
  if (scores == lk::BeamScores::log_softmax) return (lk::Chain() | lk::LogSoftmax() | chain).process(row, request);
  std::vector<float> out = chain.process(row, request);
  const double base = lk::log_sum_exp(scores == lk::BeamScores::raw ? row : out);
  for (std::size_t id = 0; id < out.size(); ++id)
    if (out[id] > kMasked)
      out[id] = static_cast<float>(static_cast<double>(scores == lk::BeamScores::raw ? row[id] : out[id]) - base);
  return out;
}

std::vector<lk::Hypothesis> reference(const ToyModel& model, const lk::Chain& chain, const lk::Request& request,
                                      const lk::BeamOptions& o) {
  const auto width = static_cast<std::size_t>(o.width), limit = static_cast<std::size_t>(o.max_new_tokens);
  const auto ends = request.end_ids();
  const bool vllm = o.stop == lk::StopRule::run_to_limit;
  const std::size_t k = std::max<std::size_t>(2, 1 + ends.size()) * width;
  std::vector<lk::Hypothesis> live(1), finished;
  const auto finish = [&](lk::Hypothesis h) {
    h.score = h.sum_logprob / o.length.divisor(request.position(), h.tokens.size(), h.finished);
    finished.push_back(std::move(h));
    std::stable_sort(finished.begin(), finished.end(), [](auto& a, auto& b) { return a.score > b.score; });
    if (finished.size() > width) finished.pop_back();
  };
  for (std::size_t t = 1; t <= limit && !live.empty(); ++t) {
    std::vector<Sum> sums;
    for (std::size_t parent = 0; parent < live.size(); ++parent) {
      lk::Request fork = request.fork();
      for (const lk::TokenId token : live[parent].tokens) fork.accept(token);
      const auto logprobs = scores_of(chain, o.scores, model(fork), fork);
      std::vector<Sum> own;
      for (std::size_t id = 0; id < logprobs.size(); ++id)
        if (logprobs[id] > kMasked)
          own.push_back({live[parent].sum_logprob + static_cast<double>(logprobs[id]), parent,
                         static_cast<lk::TokenId>(id), logprobs[id]});
      std::stable_sort(own.begin(), own.end(), [](auto& a, auto& b) { return a.sum > b.sum; });
      if (vllm && own.size() > 2 * width) own.resize(2 * width);
      sums.insert(sums.end(), own.begin(), own.end());
    }
    std::stable_sort(sums.begin(), sums.end(), [](auto& a, auto& b) { return a.sum > b.sum; });
    if (!vllm && sums.size() > k) sums.resize(k);
    std::vector<lk::Hypothesis> next;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      lk::Hypothesis h = live[sums[i].parent];
      h.tokens.push_back(sums[i].token);
      h.step_logprobs.push_back(sums[i].logprob);
      h.sum_logprob = sums[i].sum;
      h.finished = std::find(ends.begin(), ends.end(), sums[i].token) != ends.end();
      if (h.finished ? vllm || i < width : !vllm && t == limit && i < width)
        finish(h);
      else if (!h.finished && (vllm || t < limit) && next.size() < width)
        next.push_back(h);
    }
    live = next;
    if (vllm || live.empty() || finished.size() < width) continue;
    if (o.stop == lk::StopRule::as_soon_as_full) break;
    const bool never = o.stop == lk::StopRule::exhaustive && o.length.exponent() > 0;
    if (!(live[0].sum_logprob / o.length.divisor(request.position(), never ? limit : t, false) > finished.back().score))
      break;
  }
  if (vllm)
    for (auto& h : live) finish(h);
  return finished;
}

TEST(BeamSearch, EqualsAReferenceThatSortsAllSums) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    random_case::Source s(seed);
    const ToyModel model{s.one_of<std::size_t>({3, 5, 17, 300, 1500}), seed, s.one_of({0.3, 1.0, 2.0}),
                         s.chance(0.3) ? 0.5 : 0};
    std::vector<lk::Step> steps;
    for (std::size_t n = s.below(4); n > 0; --n) {
      lk::Step step = random_case::random_step(s, model.vocabulary);
      if (!step.traits().remembers)
        steps.push_back(std::move(step));  // the reference has no picks that carry values on
    }
    const lk::Chain chain(steps);
    lk::RequestOptions request_options{.seed = 1};
    for (std::size_t n = s.below(3); n > 0; --n)
      request_options.end_ids.push_back(static_cast<lk::TokenId>(s.below(model.vocabulary)));
    const lk::Request request({1, 2, 1}, request_options);
    const double a = s.one_of({-1.0, 0.0, 0.7, 1.0, 2.0});
    const auto counts = s.chance(0.5) ? lk::LengthCounts::generated : lk::LengthCounts::prompt_and_generated;
    const lk::BeamOptions options{
        .width = static_cast<int>(1 + s.below(5)),
        .max_new_tokens = static_cast<int>(1 + s.below(7)),
        .length = s.chance(0.5) ? lk::LengthRule::power(a, counts) : lk::LengthRule::gnmt(a, counts),
        .stop = s.one_of({lk::StopRule::as_soon_as_full, lk::StopRule::estimated, lk::StopRule::exhaustive,
                          lk::StopRule::run_to_limit}),
        .scores = s.one_of({lk::BeamScores::log_softmax, lk::BeamScores::raw, lk::BeamScores::processed})};
    lk::BeamSearch beams(chain, request, options);
    const lk::Status status = model.finish(beams);
    if (status != lk::Status::ok && status != lk::Status::no_candidates) continue;  // overflow of a wild chain
    const auto want = reference(model, chain, request, options), got = beams.hypotheses();
    ASSERT_EQ(got.size(), want.size()) << "seed " << seed;
    ASSERT_EQ(status == lk::Status::no_candidates, want.empty()) << "seed " << seed;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].tokens, want[i].tokens) << "seed " << seed << ", hypothesis " << i;
      ASSERT_EQ(got[i].sum_logprob, want[i].sum_logprob) << "seed " << seed;
      ASSERT_EQ(got[i].step_logprobs, want[i].step_logprobs) << "seed " << seed;
      ASSERT_EQ(got[i].score, want[i].score) << "seed " << seed;
      ASSERT_EQ(got[i].finished, want[i].finished) << "seed " << seed;
    }
    ++compared;
  }
  EXPECT_GT(compared, 3700);
}

// --- brute force ---

/// All sequences that end, or reach the limit.
void enumerate(const ToyModel& model, const lk::Request& request, const lk::BeamOptions& o, lk::Hypothesis h,
               std::vector<lk::Hypothesis>& all) {
  const auto logprobs = scores_of(lk::Chain(), lk::BeamScores::log_softmax, model(request), request);
  for (std::size_t id = 0; id < logprobs.size(); ++id) {
    lk::Hypothesis next = h;
    lk::Request fork = request.fork();
    fork.accept(static_cast<lk::TokenId>(id));
    next.tokens.push_back(static_cast<lk::TokenId>(id));
    next.sum_logprob += static_cast<double>(logprobs[id]);
    if (fork.is_finished() || next.tokens.size() == static_cast<std::size_t>(o.max_new_tokens)) {
      next.score = next.sum_logprob / o.length.divisor(2, next.tokens.size(), fork.is_finished());
      all.push_back(next);
    } else {
      enumerate(model, fork, o, next, all);
    }
  }
}

TEST(BeamSearch, ExhaustiveWithEnoughBeamsEqualsBruteForce) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    random_case::Source s(seed);
    const ToyModel model{.vocabulary = 2 + s.below(3), .seed = seed, .scale = 0.7};
    const lk::Request request({1, 0}, {.seed = 1, .end_ids = {1}});
    lk::BeamOptions o{.max_new_tokens = static_cast<int>(1 + s.below(4)),
                      .length = s.chance(0.5) ? lk::LengthRule::power(s.one_of({-1.0, 0.0, 0.5, 1.0, 2.0}))
                                              : lk::LengthRule::gnmt(s.one_of({-1.0, 0.0, 0.6, 2.0})),
                      .stop = lk::StopRule::exhaustive};
    o.width = 1;  // V^(n - 1)
    for (int n = 1; n < o.max_new_tokens; ++n) o.width *= static_cast<int>(model.vocabulary);
    lk::BeamSearch beams(lk::Chain(), request, o);
    ASSERT_EQ(model.finish(beams), lk::Status::ok);
    std::vector<lk::Hypothesis> all;
    enumerate(model, request, o, {}, all);
    std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.score > b.score; });
    const auto best = beams.hypotheses();
    ASSERT_EQ(best.size(), std::min(all.size(), static_cast<std::size_t>(o.width)));
    for (std::size_t i = 0; i < best.size(); ++i) {
      ASSERT_EQ(best[i].tokens, all[i].tokens) << "seed " << seed << ", hypothesis " << i;
      ASSERT_EQ(best[i].score, all[i].score) << "seed " << seed;
    }
  }
}

// --- what it promises ---

std::vector<lk::LogitsView> views(const std::vector<std::vector<float>>& rows) { return {rows.begin(), rows.end()}; }

TEST(BeamSearch, OneBeamWithoutALengthRuleIsGreedy) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ToyModel model{.vocabulary = 40, .seed = seed};
    lk::Request request({3}, {.seed = 1});
    lk::BeamSearch beams(lk::Chain(), request, {.width = 1, .max_new_tokens = 6});
    ASSERT_EQ(model.finish(beams), lk::Status::ok);
    for (int i = 0; i < 6; ++i) request.accept(lk::Pipeline(lk::Greedy()).pick(model(request), request));
    ASSERT_EQ(beams.hypotheses().front().tokens, Ids(request.output().begin(), request.output().end()));
  }
}

TEST(BeamSearch, PutsTheLowerParentAndThenTheLowerTokenFirstWhereSumsAreEqual) {
  const lk::Request request({1}, {.seed = 1});
  lk::BeamSearch beams(lk::Chain(), request, {.width = 3, .max_new_tokens = 2});
  const std::vector<float> flat(4, 0.5f);
  ASSERT_EQ(beams.advance(views({flat})), lk::Status::ok);
  EXPECT_EQ(std::vector(beams.moves().begin(), beams.moves().end()),
            (std::vector<lk::BeamMove>{{0, 0}, {0, 1}, {0, 2}}));
  ASSERT_EQ(beams.advance(views({flat, flat, flat})), lk::Status::ok);
  ASSERT_TRUE(beams.done());
  EXPECT_EQ(beams.hypotheses()[0].tokens, (Ids{0, 0}));
  EXPECT_EQ(beams.hypotheses()[2].tokens, (Ids{0, 2}));
}

TEST(BeamSearch, MovesTellWhichCacheToCopy) {
  const ToyModel model{.vocabulary = 30, .seed = 5};
  const lk::Request request({4}, {.seed = 1});
  lk::BeamSearch beams(lk::Chain(), request, {.width = 4, .max_new_tokens = 9});
  std::vector<Ids> caches{{}};
  while (!beams.done()) {
    ASSERT_EQ(model.advance(beams), lk::Status::ok);
    std::vector<Ids> next;
    for (const lk::BeamMove m : beams.moves()) {
      next.push_back(caches[m.parent]);
      next.back().push_back(m.token);
    }
    caches = next;
    for (std::size_t i = 0; i < beams.live().size(); ++i) {
      EXPECT_EQ(beams.live()[i].tokens, caches[i]);
      EXPECT_EQ(Ids(beams.request(i).output().begin(), beams.request(i).output().end()), caches[i]);
      EXPECT_LE(beams.live()[i].score, beams.live().front().score);
    }
  }
}

TEST(BeamSearch, CountsFollowTheParents) {
  // A penalty on every token that the hypothesis has: no hypothesis repeats one, whatever its siblings hold.
  const ToyModel model{.vocabulary = 12, .seed = 9, .scale = 0.3};
  const lk::Request request({1}, {.seed = 1});
  lk::BeamSearch beams(lk::Chain() | lk::FrequencyPenalty(2), request,
                       {.width = 4, .max_new_tokens = 6, .scores = lk::BeamScores::processed});
  lk::BeamSearch free(lk::Chain(), request, {.width = 4, .max_new_tokens = 6});
  ASSERT_EQ(model.finish(beams), lk::Status::ok);
  for (const lk::Hypothesis& h : beams.hypotheses()) {
    Ids sorted = h.tokens;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
  }
}

/// Remembers a number that all tokens of a hypothesis have made, and bans the token of that id.
struct BanWhatThePathSays {
  static constexpr lk::StepTraits kTraits{.masks = true, .remembers = true};
  static int next(int number, std::span<const lk::TokenId> output) {
    return (number * 3 + (output.empty() ? 0 : output.back()) + 1) % 7;
  }
  void operator()(lk::Candidates& candidates, const lk::StepView& view) const {
    float& number = view.running().numbers[0];
    number = static_cast<float>(next(static_cast<int>(number), view.output()));
    candidates.remove(static_cast<lk::TokenId>(number));
  }
};

TEST(BeamSearch, RunningValuesFollowTheParents) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const ToyModel model{.vocabulary = 7, .seed = seed, .scale = 0.3};
    lk::BeamSearch beams(lk::Chain() | BanWhatThePathSays(), lk::Request({1}, {.seed = 1}),
                         {.width = 5, .max_new_tokens = 9});
    ASSERT_EQ(model.finish(beams), lk::Status::ok);
    for (const lk::Hypothesis& h : beams.hypotheses()) {
      int number = 0;
      for (std::size_t i = 0; i < h.tokens.size(); ++i) {
        number = BanWhatThePathSays::next(number, std::span(h.tokens).first(i));
        ASSERT_NE(h.tokens[i], number) << "seed " << seed << ", token " << i;
      }
    }
  }
}

TEST(BeamSearch, FinishedHypothesesAreFrozen) {
  const ToyModel model{.vocabulary = 6, .seed = 2};
  const lk::Request request({3}, {.seed = 1, .end_ids = {2}});
  lk::BeamSearch beams(lk::Chain(), request, {.width = 3, .max_new_tokens = 8, .stop = lk::StopRule::run_to_limit});
  std::map<Ids, double> seen;
  while (!beams.done()) {
    ASSERT_EQ(model.advance(beams), lk::Status::ok);
    for (const lk::Hypothesis& h : beams.hypotheses()) {
      if (!h.finished) continue;
      EXPECT_EQ(h.tokens.back(), 2);
      EXPECT_EQ(std::count(h.tokens.begin(), h.tokens.end(), 2), 1);
      EXPECT_EQ(seen.emplace(h.tokens, h.score).first->second, h.score);
    }
    for (const lk::Hypothesis& h : beams.live()) EXPECT_EQ(std::count(h.tokens.begin(), h.tokens.end(), 2), 0);
  }
  EXPECT_FALSE(seen.empty());
}

TEST(BeamSearch, DropsAHypothesisThatHasNoContinuation) {
  const lk::Request request({1}, {.seed = 1});
  // After token 1, the better first one, nothing is allowed.
  const auto dead_end = [](lk::Candidates& candidates, const lk::StepView& view) {
    if (!view.output().empty() && view.output().back() == 1) candidates.keep_if([](auto, auto) { return false; });
  };
  lk::BeamSearch beams(lk::Chain() | dead_end, request, {.width = 2, .max_new_tokens = 3});
  const std::vector<float> row{-9, 2, 1, -9};
  ASSERT_EQ(beams.advance(views({row})), lk::Status::ok);
  ASSERT_EQ(beams.live()[0].tokens, Ids{1});
  ASSERT_EQ(beams.advance(views({row, row})), lk::Status::ok);
  ASSERT_EQ(beams.live().size(), 2u);
  EXPECT_EQ(beams.live()[0].tokens, (Ids{2, 1}));
  EXPECT_EQ(beams.live()[1].tokens, (Ids{2, 2}));
}

TEST(BeamSearch, SaysSoWhereNothingIsLeft) {
  const lk::Request request({1}, {.seed = 1});
  lk::BeamSearch beams(lk::Chain() | lk::BanTokens({1, 2}), request, {.width = 2});
  EXPECT_EQ(beams.advance(views({{kMasked, 2, 1}})), lk::Status::no_candidates);
  EXPECT_TRUE(beams.done());
  EXPECT_TRUE(beams.hypotheses().empty());
}

TEST(BeamSearch, ABadRowChangesNothing) {
  const ToyModel model{.vocabulary = 6, .seed = 2};
  const lk::Request request({3}, {.seed = 1});
  lk::BeamSearch beams(lk::Chain(), request, {.width = 2, .max_new_tokens = 3});
  ASSERT_EQ(model.advance(beams), lk::Status::ok);
  const auto before = beams.live()[1].tokens;
  auto rows = model.rows(beams);
  rows[1][4] = NAN;
  EXPECT_EQ(beams.advance(views(rows)), lk::Status::invalid_logits);
  EXPECT_EQ(beams.live()[1].tokens, before);
  EXPECT_EQ(model.finish(beams), lk::Status::ok);
  EXPECT_EQ(beams.hypotheses().size(), 2u);
}

TEST(BeamSearch, NeedsARowForEachLiveHypothesis) {
  const lk::Request request({3}, {.seed = 1});
  lk::BeamSearch beams(lk::Chain(), request, {.width = 2});
  EXPECT_THROW(beams.advance(std::vector<lk::LogitsView>{}), lk::InvalidParameter);
}

TEST(BeamSearch, ReadsAMatrixOfHalfFloatsAlike) {
  const ToyModel model{.vocabulary = 33, .seed = 8, .grid = 0.25};  // exact in float16
  const lk::Request request({3}, {.seed = 1});
  const lk::BeamOptions options{.width = 3, .max_new_tokens = 5};
  lk::BeamSearch full(lk::Chain(), request, options), half(lk::Chain(), request, options);
  ASSERT_EQ(model.finish(full), lk::Status::ok);
  while (!half.done()) {
    std::vector<lk::float16> matrix;
    for (const auto& row : model.rows(half)) {
      for (const float x : row) matrix.emplace_back(x);
      matrix.resize(matrix.size() + 7, lk::float16(99.0f));  // the stride is wider than the row
    }
    ASSERT_EQ(half.advance(lk::LogitsMatrix{matrix.data(), half.live().size(), 33, 40, lk::Dtype::float16}),
              lk::Status::ok);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(half.hypotheses()[i].tokens, full.hypotheses()[i].tokens);
    EXPECT_EQ(half.hypotheses()[i].sum_logprob, full.hypotheses()[i].sum_logprob);
  }
}

TEST(BeamSearch, GoesOnFromInitialBeams) {
  const ToyModel model{.vocabulary = 20, .seed = 4};
  const lk::Request request({3}, {.seed = 1});
  const lk::BeamOptions options{.width = 3, .max_new_tokens = 6};
  lk::BeamSearch whole(lk::Chain(), request, options), first(lk::Chain(), request, options);
  ASSERT_EQ(model.finish(whole), lk::Status::ok);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(model.advance(first), lk::Status::ok);
  lk::BeamOptions later = options;
  for (const lk::Hypothesis& h : first.live()) later.initial.push_back({h.tokens, h.sum_logprob});
  std::swap(later.initial[0], later.initial[2]);  // any order
  lk::BeamSearch second(lk::Chain(), request, later);
  EXPECT_EQ(second.live()[0].tokens, first.live()[0].tokens);
  ASSERT_EQ(model.finish(second), lk::Status::ok);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(second.hypotheses()[i].tokens, whole.hypotheses()[i].tokens);
    EXPECT_EQ(second.hypotheses()[i].score, whole.hypotheses()[i].score);
    const lk::Hypothesis h = second.hypotheses()[i];
    double sum = 0;
    for (const float x : h.step_logprobs) sum += static_cast<double>(x);
    EXPECT_EQ(h.step_logprobs.size(), h.tokens.size());
    EXPECT_NEAR(sum, h.sum_logprob, 1e-6);
  }
}

TEST(BeamSearch, TakesAPipelineThatIsClosedByGreedy) {
  const lk::Request request({3}, {.seed = 1});
  const ToyModel model{.vocabulary = 20, .seed = 4};
  const lk::BeamOptions options{.width = 2, .max_new_tokens = 3};
  lk::BeamSearch a(lk::Chain(), request, options), b(lk::Pipeline(lk::Greedy()), request, options);
  ASSERT_EQ(model.finish(a), lk::Status::ok);
  ASSERT_EQ(model.finish(b), lk::Status::ok);
  EXPECT_EQ(a.hypotheses()[1].tokens, b.hypotheses()[1].tokens);
}

}  // namespace beam_search_test
