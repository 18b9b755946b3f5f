// SPDX-License-Identifier: MIT
// History/<case>: steps that look at the end of a history of 32,768 tokens, in front of a greedy choice. `greedy` is
// the choice alone; what a step costs is the difference.
#include "harness.hpp"
#include "picks.hpp"
#include "support/synthetic_rows.hpp"

namespace bench {

namespace {

namespace lk = logitkit;

constexpr std::size_t kLength = 32'768;

/// Text-like: 2,000 distinct ids, and every 1,000 tokens the 30 before them again, so that repetitions of all lengths
/// are found. Half of it is the prompt.
lk::Request repeating_history() {
  const lk::TokenIds ids = spread_ids(2000);
  lk::TokenIds history;
  for (std::size_t i = 0; i < kLength; ++i)
    history.push_back(i % 1000 < 30 && i >= 1000 ? history[i - 30]
                                                 : ids[synthetic::hash64(7, i) % (i % 3 == 0 ? 20 : 2000)]);
  for (std::size_t i = 0; i < 12; ++i) history[kLength - 12 + i] = history[kLength / 2 + i];
  const std::span<const lk::TokenId> all(history);
  lk::Request request(all.first(kLength / 2), {.seed = 1});
  for (const lk::TokenId id : all.subspan(kLength / 2)) request.accept(id);
  return request;
}

/// 100 sequences of three tokens.
lk::TokenSequences sequences() {
  const lk::TokenIds ids = spread_ids(300);
  lk::TokenSequences all;
  for (std::size_t i = 0; i < 300; i += 3) all.push_back({ids[i], ids[i + 1], ids[i + 2]});
  return all;
}

}  // namespace

void add_history() {
  using namespace lk;
  const Request history = repeating_history();
  const auto add_case = [&](const std::string& name, const Chain& chain) {
    add("History/" + name, "typical", [=](Rows rows) { return pick_work(chain | Greedy(), history, rows); });
  };
  SequenceBiases biases;
  for (const TokenIds& ids : sequences()) biases.emplace_back(ids, 1.0);
  add_case("greedy", Chain{});
  add_case("no_repeat_ngram", Chain{} | NoRepeatNgram(3));
  add_case("sequence_bias", Chain{} | SequenceBias(biases));
  add_case("ban_sequences", Chain{} | BanSequences(sequences()));
  add_case("dry", Chain{} | Dry(0.8));
  add_case("dry_window_4096", Chain{} | Dry(0.8, {.window = 4096}));
}

}  // namespace bench
