// SPDX-License-Identifier: MIT
#include "picks.hpp"

#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>

#include "reference.hpp"

namespace bench {

namespace lk = logitkit;

namespace {

std::string text(const lk::Pick& pick) {
  return pick.message() + ", token " + std::to_string(pick.token) + " of " + std::to_string(pick.survivors) +
         ", log-probability " + std::to_string(pick.logprob) + ", rank " + std::to_string(pick.rank);
}

}  // namespace

Work pick_work(const lk::Pipeline& pipeline, const lk::Request& request, Rows rows) {
  const auto workspace = std::make_shared<lk::Workspace>();
  const auto pick = [=](std::size_t row, const lk::PickOptions& options) {
    return pipeline.pick(rows[row], request, options, *workspace);
  };
  const auto difference = [=](std::size_t row) -> std::string {
    const lk::Pick want = reference::pick(pipeline, rows[row], request, 0, true);
    const lk::Pick got = pick(row, {.logprob = true}), bare = pick(row, {});
    const bool same = got.status == want.status && got.token == want.token && got.survivors == want.survivors &&
                      got.rank == want.rank &&
                      std::bit_cast<std::uint32_t>(got.logprob) == std::bit_cast<std::uint32_t>(want.logprob) &&
                      bare.token == want.token;
    return same ? ""
                : text(got) + "; plain " + text(want) + "; without log-probability token " + std::to_string(bare.token);
  };
  return {.run = [=](std::size_t row) { benchmark::DoNotOptimize(pick(row, {})); },
          .difference = difference,
          .scratch_bytes = [=] { return workspace->bytes(); }};
}

lk::Request long_history() {
  constexpr std::size_t kDistinct = 1000, kLength = 4096;
  std::vector<lk::TokenId> prompt;
  for (std::size_t i = 0; i < kLength; ++i) {
    // The inverse of the distribution function of ranks with density 1 / rank.
    const double uniform = static_cast<double>(synthetic::hash64(1, i) >> 11) * 0x1p-53;
    const auto rank = static_cast<std::size_t>(std::pow(static_cast<double>(kDistinct), uniform)) - 1;
    prompt.push_back(static_cast<lk::TokenId>((i < kDistinct ? i : rank) * 100'003 % kVocabulary));
  }
  return lk::Request(prompt, {.seed = 1});
}

lk::Pipeline chat() { return lk::Temperature(0.7) | lk::TopK(20) | lk::TopP(0.8) | lk::MinP(0.05) | lk::Multinomial(); }

}  // namespace bench
