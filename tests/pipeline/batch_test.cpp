// SPDX-License-Identifier: MIT
#include "logitkit/pipeline/batch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <thread>

#include "support/random_case.hpp"

namespace batch_test {

namespace lk = logitkit;

/// Calls f(0) … f(n - 1) from several threads, in an order that depends on them.
struct Threads {
  std::size_t count;
  template <class F>
  void operator()(std::size_t n, F&& f) const {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t)
      threads.emplace_back([&] {
        for (std::size_t i; (i = next++) < n;) f(n - 1 - i);
      });
    for (std::thread& thread : threads) thread.join();
  }
};

/// Ragged histories, mixed pipelines, widths and row types, and now and then a row that is unusable.
struct Batch {
  std::vector<random_case::Case> cases;
  std::vector<lk::Pipeline> pipelines;
  std::vector<const lk::Pipeline*> pipeline_pointers;
  std::vector<lk::LogitsView> rows;
  std::vector<lk::Request*> requests;
  std::vector<lk::PickOptions> options;
  std::vector<lk::Pick> picks;

  Batch(std::uint64_t seed, std::size_t size) : picks(size) {
    random_case::Source s(seed);
    for (std::size_t i = 0; i < size; ++i)
      cases.push_back(random_case::random_case(s, random_case::random_size(s, 3000)));
    for (random_case::Case& c : cases) {
      pipelines.push_back(c.pipeline());
      rows.push_back(c.view());
      requests.push_back(&c.request);
      options.push_back({.logprob = c.logprob, .unconditional = c.unconditional});
    }
    for (const lk::Pipeline& p : pipelines) pipeline_pointers.push_back(&p);
  }
};

void expect_same(const lk::Pick& a, const lk::Pick& b, std::uint64_t seed) {
  EXPECT_EQ(a.token, b.token) << "seed " << seed;
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.survivors, b.survivors);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(a.logprob), std::bit_cast<std::uint32_t>(b.logprob));
  EXPECT_EQ(a.running, b.running);
}

TEST(Batch, GivesWhatSingleCallsGiveWithAnyNumberOfThreads) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Batch batch(seed, 24);
    std::vector<lk::Pick> single;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      single.push_back(batch.pipelines[i].pick(batch.rows[i], *batch.requests[i], batch.options[i]));
      failed += single.back() ? 0 : 1;
    }
    const auto compare = [&] {
      for (std::size_t i = 0; i < single.size(); ++i) expect_same(batch.picks[i], single[i], seed);
      std::fill(batch.picks.begin(), batch.picks.end(), lk::Pick{});
    };
    lk::pick_batch(batch.pipeline_pointers, batch.rows, batch.requests, batch.picks, lk::Serial{}, batch.options);
    compare();
    for (const std::size_t threads : {1u, 2u, 3u, 7u}) {
      lk::pick_batch(batch.pipeline_pointers, batch.rows, batch.requests, batch.picks, Threads{threads}, batch.options);
      compare();
    }
  }
  EXPECT_GT(failed, 20);  // their neighbours do not notice
}

TEST(Batch, RequestsThatShareAPromptRunInParallel) {
  // The prompt's counts and the links between equal tokens are shared, and made at first use.
  const std::vector<float> row(500, 0.25f);
  const lk::Pipeline pipeline = lk::RepetitionPenalty(1.3) | lk::NoRepeatNgram(2) | lk::Dry(0.8) | lk::Multinomial();
  const lk::Request request({7, 3, 7, 3, 7}, {.seed = 11});
  std::vector<lk::Request> samples;
  for (std::uint64_t i = 0; i < 16; ++i) samples.push_back(request.fork(i));
  std::vector<lk::Request*> requests;
  for (lk::Request& r : samples) requests.push_back(&r);
  const std::vector<lk::LogitsView> rows(samples.size(), row);
  std::vector<lk::Pick> picks(samples.size());
  for (int step = 0; step < 20; ++step) {
    lk::pick_batch(pipeline, rows, requests, picks, Threads{4});
    for (std::size_t i = 0; i < samples.size(); ++i) ASSERT_TRUE(samples[i].accept(picks[i]));
  }
  for (std::uint64_t i = 0; i < samples.size(); ++i) {
    lk::Request alone({7, 3, 7, 3, 7}, {.seed = 11, .stream = i});
    while (alone.output().size() < 20) alone.accept(pipeline.pick(row, alone));
    EXPECT_TRUE(std::equal(alone.output().begin(), alone.output().end(), samples[i].output().begin())) << i;
  }
}

TEST(Batch, ReadsAMatrixWithAStrideOfAnyType) {
  const std::size_t cols = 100, stride = 117;
  std::vector<float> full(3 * stride);
  for (std::size_t i = 0; i < full.size(); ++i) full[i] = static_cast<float>(i * 37 % 64) / 8;  // exact in 16 bits
  const std::vector<lk::float16> half(full.begin(), full.end());
  const std::vector<lk::bfloat16> brain(full.begin(), full.end());
  const lk::Pipeline pipeline = lk::Temperature(1.5) | lk::Multinomial();
  std::vector<lk::Request> own;
  for (std::uint64_t i = 0; i < 3; ++i) own.emplace_back(std::initializer_list<lk::TokenId>{1}, lk::RequestOptions{i});
  const std::vector<lk::Request*> requests{&own[0], &own[1], &own[2]};
  for (const auto& matrix : {lk::LogitsMatrix{full.data(), 3, cols, stride},
                             lk::LogitsMatrix{half.data(), 3, cols, stride, lk::Dtype::float16},
                             lk::LogitsMatrix{brain.data(), 3, cols, stride, lk::Dtype::bfloat16}}) {
    std::vector<lk::Pick> picks(3);
    lk::pick_batch(pipeline, matrix, requests, picks);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(picks[i].token, pipeline.pick(lk::LogitsView(full.data() + i * stride, cols), own[i]).token);
  }
}

TEST(Batch, AFailingRowLeavesItsRequestAlone) {
  lk::Request good({1}, {.seed = 1}), bad({1}, {.seed = 1});
  const std::vector<float> fine{0, 3, 1}, broken{0, NAN, 1};
  std::vector<lk::Pick> picks(2);
  lk::pick_batch(lk::Pipeline(lk::Greedy()), std::vector<lk::LogitsView>{broken, fine},
                 std::vector<lk::Request*>{&bad, &good}, picks);
  EXPECT_EQ(picks[0].status, lk::Status::invalid_logits);
  EXPECT_EQ(picks[1].token, 1);
  EXPECT_FALSE(bad.accept(picks[0]));
  EXPECT_TRUE(bad.output().empty());
}

TEST(Batch, RefusesNumbersThatDiffer) {
  lk::Request one({1}, {.seed = 1});
  const std::vector<float> row{0, 3, 1};
  const std::vector<lk::LogitsView> rows{row, row};
  const std::vector<lk::Request*> requests{&one};
  std::vector<lk::Pick> picks(2);
  EXPECT_THROW(lk::pick_batch(lk::Pipeline(lk::Greedy()), rows, requests, picks), lk::InvalidParameter);
}

}  // namespace batch_test
