// SPDX-License-Identifier: MIT
#include "picks.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "reference.hpp"
#include "support/synthetic_rows.hpp"

namespace bench {

namespace lk = logitkit;

namespace {

std::string text(const lk::Pick& pick) {
  return pick.message() + ", token " + std::to_string(pick.token) + " of " + std::to_string(pick.survivors) +
         ", log-probability " + std::to_string(pick.logprob) + ", rank " + std::to_string(pick.rank);
}

}  // namespace

std::string difference_from_plain(const lk::Pick& pick, const lk::Pipeline& pipeline, const std::vector<float>& row,
                                  const lk::Request& request) {
  const bool logprob = pick.rank > 0;
  const lk::Pick plain = reference::pick(pipeline, row, request, 0, logprob);
  const bool same = pick.status == plain.status && pick.token == plain.token &&
                    (pick.survivors == plain.survivors || pick.survivors == 0) && pick.rank == plain.rank &&
                    (!logprob || pick.logprob == plain.logprob);
  return same ? "" : text(pick) + "; plain " + text(plain);
}

Work pick_work(const lk::Pipeline& pipeline, const lk::Request& request, Rows rows, lk::Dtype dtype,
               const std::optional<lk::Pipeline>& plain) {
  struct State {
    std::vector<std::vector<lk::float16>> halves;
    std::vector<std::vector<lk::bfloat16>> brains;
    std::vector<lk::LogitsView> views;
    lk::Workspace workspace;
  };
  const auto state = std::make_shared<State>();
  for (const auto& row : rows)
    if (dtype == lk::Dtype::float16)
      state->views.emplace_back(state->halves.emplace_back(row.begin(), row.end()));
    else if (dtype == lk::Dtype::bfloat16)
      state->views.emplace_back(state->brains.emplace_back(row.begin(), row.end()));
    else
      state->views.emplace_back(row);
  const auto pick = [=](std::size_t row, const lk::PickOptions& options) {
    return pipeline.pick(state->views[row], request, options, state->workspace);
  };
  const auto difference = [=](std::size_t row) {
    std::vector<float> values(rows[row].size());
    for (std::size_t id = 0; id < values.size(); ++id) values[id] = state->views[row][id];
    const lk::Pick with_logprob = pick(row, {.logprob = true}), without = pick(row, {});
    if (without.token != with_logprob.token) return "without log-probability: " + text(without);
    return difference_from_plain(with_logprob, plain.value_or(pipeline), values, request);
  };
  return {.run = [=](std::size_t row) { benchmark::DoNotOptimize(pick(row, {})); },
          .difference = difference,
          .scratch_bytes = [=] { return state->workspace.bytes(); }};
}

lk::TokenIds spread_ids(std::size_t count) {
  lk::TokenIds ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<lk::TokenId>((i * 100'003 + 75) % kVocabulary));
  return ids;
}

lk::Request long_history() {
  constexpr std::size_t kDistinct = 1000, kLength = 4096;
  const lk::TokenIds ids = spread_ids(kDistinct);
  lk::TokenIds prompt;
  for (std::size_t i = 0; i < kLength; ++i) {
    // The inverse of the distribution function of ranks with density 1 / rank.
    const double uniform = static_cast<double>(synthetic::hash64(1, i) >> 11) * 0x1p-53;
    const auto rank = static_cast<std::size_t>(std::pow(static_cast<double>(kDistinct), uniform)) - 1;
    prompt.push_back(ids[i < kDistinct ? i : rank]);
  }
  return lk::Request(prompt, {.seed = 1});
}

lk::Pipeline chat() { return lk::Temperature(0.7) | lk::TopK(20) | lk::TopP(0.8) | lk::MinP(0.05) | lk::Multinomial(); }

}  // namespace bench
