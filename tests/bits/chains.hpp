// SPDX-License-Identifier: MIT
#pragma once
// Seeded rows, chains and requests. Every platform must make the same ones, so: one random number a statement (the
// order of arguments is the compiler's), integers and divisions only (a product might be fused with an addition).
#include <vector>

#include "logitkit/logitkit.hpp"
#include "support/synthetic_rows.hpp"

namespace chains {

namespace lk = logitkit;

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : seed_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(synthetic::hash64(seed_, next_++) % n); }
  /// 0, 1 / n, ..., 1
  double share(std::size_t n) { return static_cast<double>(below(n + 1)) / static_cast<double>(n); }
  lk::TokenIds ids(std::size_t most, std::size_t width) {
    lk::TokenIds ids(1 + below(most));
    for (lk::TokenId& id : ids) id = static_cast<lk::TokenId>(below(width));
    return ids;
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

inline std::vector<float> row(Numbers& numbers, std::uint64_t seed) {
  const auto& profile = synthetic::kProfiles[numbers.below(5)];
  const std::size_t width = seed % 250 == 0 ? 151936 : 1 + numbers.below(2500);
  std::vector<float> logits = synthetic::row(profile, seed, width);
  const bool is_tied = numbers.below(3) == 0;
  const std::size_t masked_of_8 = numbers.below(2) == 0 ? 0 : numbers.below(8);
  for (std::size_t id = 0; id < width; ++id) {
    if (is_tied) logits[id] = static_cast<float>(static_cast<int>(logits[id]));
    if (synthetic::hash64(seed, ~id) % 8 < masked_of_8) logits[id] = -std::numeric_limits<float>::infinity();
  }
  return logits;
}

inline lk::Step step(Numbers& numbers, std::size_t width) {
  const std::size_t type = numbers.below(11);
  const double share = numbers.share(1000);
  const auto min_keep = static_cast<std::int64_t>(1 + numbers.below(4));
  const auto window = static_cast<std::int64_t>(numbers.below(2) == 0 ? 0 : numbers.below(30));
  const lk::TokenIds ids = numbers.ids(20, width);
  switch (type) {
    case 0:
      return lk::Temperature(0.25 + share);
    case 1:
      return lk::TopK(static_cast<std::int64_t>(numbers.below(80)),
                      {.ties = window == 0 ? lk::Ties::exact : lk::Ties::keep, .min_keep = min_keep});
    case 2:
      return lk::TopP(share, {.min_keep = min_keep});
    case 3:
      return lk::MinP(share / 4, {.min_keep = min_keep});
    case 4:
      return lk::RepetitionPenalty(0.75 + share, {.window = window});
    case 5:
      return lk::FrequencyPenalty(share - 0.25, {.window = window});
    case 6:
      return lk::PresencePenalty(share - 0.25, {.scope = lk::Scope::prompt_and_output, .window = window});
    case 7:
      return lk::LogitBias({{ids[0], 10 - share}});
    case 8:
      return lk::BanTokens(ids);
    case 9:
      return numbers.below(4) == 0 ? lk::Step(lk::ForceTokens(ids)) : lk::Step(lk::TopP(1 - share / 4));
    default:
      return lk::LogSoftmax();
  }
}

inline lk::Chain chain(Numbers& numbers, std::size_t width) {
  std::vector<lk::Step> steps;
  for (std::size_t count = numbers.below(6); count > 0; --count) steps.push_back(step(numbers, width));
  return lk::Chain(std::move(steps));
}

inline lk::Request request(Numbers& numbers, std::uint64_t seed, std::size_t width) {
  const lk::TokenIds prompt = numbers.ids(40, width), output = numbers.ids(40, width);
  lk::Request request(std::span<const lk::TokenId>(prompt), {.seed = synthetic::hash64(seed, 7), .stream = seed % 3});
  for (const lk::TokenId id : output) request.accept(id);
  return request;
}

}  // namespace chains
