// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "logitkit/logitkit.hpp"
#include "support/synthetic_rows.hpp"

namespace {
std::size_t allocations = 0;
}

// Counts what the whole program allocates: all forms, since the sorts of the standard library use the one that does not
// throw, and a sanitizer's own would not go with our delete.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* p = operator new(size, std::nothrow)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace allocation_test {

namespace lk = logitkit;

TEST(Pick, AllocatesNothingAfterTheFirstSteps) {
  const std::pair<const char*, lk::Pipeline> pipelines[] = {
      {"plain", lk::Multinomial()},
      {"chat", lk::Temperature(0.7) | lk::TopK(20) | lk::TopP(0.8) | lk::MinP(0.05) | lk::Multinomial()},
      {"penalties", lk::RepetitionPenalty(1.1) | lk::FrequencyPenalty(0.1) | lk::PresencePenalty(0.1, {.window = 8}) |
                        lk::Temperature(0.7) | lk::TopP(0.9) | lk::Multinomial()},
      {"bans", lk::BanTokens({5, 6, 7}) | lk::LogitBias({{9, 2.0}}) | lk::MinP(0.02) | lk::Multinomial()},
      {"many survive", lk::Temperature(1.5) | lk::TopP(0.95) | lk::Multinomial()},
      {"greedy", lk::LogSoftmax() | lk::Greedy()},
      {"history", lk::NoRepeatNgram(2) | lk::SequenceBias({{{31, 62}, 1.0}}) | lk::BanSequences({{589, 5}}) |
                      lk::Dry(0.8, {.allowed_length = 1, .breakers = {{31}}}) | lk::TopK(20) | lk::Multinomial()},
      {"llama.cpp", lk::RepetitionPenalty(1.1, {.window = 8}) | lk::TopNSigma(3) | lk::TopK(40) | lk::TypicalP(0.9) |
                        lk::TopP(0.95) | lk::Xtc(0.5, 0.1, {.seed = 3}) | lk::DynamicTemperature(0.8, 0.3) |
                        lk::LlamaCppDist(3)},
      {"mirostat", lk::Temperature(0.8) | lk::Mirostat(5, 0.1, {.seed = 3})},
      {"mirostat 2", lk::Temperature(0.8) | lk::MirostatV2(5, 0.1, {.seed = 3})},
      {"adaptive p", lk::MinP(0.05) | lk::AdaptiveP(0.3, 0.9, {.seed = 3})},
      {"race", lk::TopH(0.5) | lk::EtaCutoff(0.01) | lk::ExponentialRace()}};
  std::vector<std::vector<float>> rows;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) rows.push_back(synthetic::row(synthetic::kFlat, seed, 40000));
  rows.push_back(rows[0]);
  for (float& x : rows.back()) x = x > 14 ? 2.0f : 1.0f;  // more ties than a list holds, behind a few others
  for (const auto& [name, pipeline] : pipelines) {
    lk::Request request({1, 2, 3, 2}, {.seed = 5});
    for (int id = 1; id < 20; ++id) request.accept(id * 31);
    lk::Workspace workspace;
    for (const auto& row : rows)  // warm-up
      for (const bool logprob : {false, true}) pipeline.pick(row, request, {.logprob = logprob}, workspace);
    const std::size_t before = allocations;
    for (int step = 0; step < 20; ++step)
      for (const auto& row : rows) pipeline.pick(row, request, {.logprob = step % 2 == 0}, workspace);
    EXPECT_EQ(allocations - before, 0u) << name;
  }
}

TEST(Pick, AllocatesNothingForSparseRowsEither) {
  const lk::TokenIds ids = {9, 4, 70, 31, 8};
  const std::vector<float> logits = {1.5f, 3.0f, 2.5f, 2.0f, -1.0f};
  const lk::SparseRow row{.ids = ids, .logits = logits, .width = 100};
  const lk::Pipeline pipelines[] = {lk::TopK(3) | lk::Multinomial(), lk::TopP(0.1) | lk::Multinomial()};
  for (const lk::Pipeline& pipeline : pipelines) {
    const lk::Request request({1, 2, 3}, {.seed = 5});
    for (int step = 0; step < 2; ++step) ASSERT_TRUE(pipeline.pick(row, request).exact);  // warm-up
    const std::size_t before = allocations;
    for (int step = 0; step < 20; ++step) pipeline.pick(row, request);
    EXPECT_EQ(allocations - before, 0u);
  }
}

}  // namespace allocation_test
