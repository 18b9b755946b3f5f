// SPDX-License-Identifier: MIT
// One seeded request, decoded in every way that a server may choose. Each line must show the same tokens.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <logitkit/logitkit.hpp>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../tests/support/synthetic_rows.hpp"

namespace lk = logitkit;
using Tokens = std::vector<lk::TokenId>;

namespace {

constexpr std::size_t kVocabulary = 151936;
constexpr std::size_t kTokens = 10;
const Tokens kPrompt = {3923, 374, 279, 9282, 315};
const lk::RequestOptions kOptions{.seed = 2024};

const lk::Pipeline kPipeline =
    lk::RepetitionPenalty(1.1) | lk::Temperature(1.2) | lk::TopK(100) | lk::TopP(0.95) | lk::Multinomial();

/// Stands for a model: the row depends on all tokens so far, wherever prompt and output meet.
std::vector<float> next_row(const lk::Request& request) {
  std::uint64_t history = 0;
  for (lk::TokenId token : request.prompt()) history = synthetic::hash64(history, static_cast<std::uint64_t>(token));
  for (lk::TokenId token : request.output()) history = synthetic::hash64(history, static_cast<std::uint64_t>(token));
  return synthetic::row(synthetic::kOpen, history, kVocabulary);
}

Tokens output(const lk::Request& request) { return {request.output().begin(), request.output().end()}; }

void decode(lk::Request& request, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) request.accept(kPipeline.pick(next_row(request), request));
}

Tokens alone() {
  lk::Request request(kPrompt, kOptions);
  decode(request, kTokens);
  return output(request);
}

/// `size` requests with their own prompts, seeds and pipelines; ours is among them, every step at another place. The
/// rows are shared out to two threads.
Tokens in_a_batch_of(std::size_t size) {
  const lk::Pipeline neighbours[] = {lk::Chain{} | lk::Greedy(),
                                     lk::MinP(0.1) | lk::Temperature(2) | lk::Multinomial()};
  std::vector<lk::Request> requests;
  requests.emplace_back(kPrompt, kOptions);
  for (std::size_t i = 1; i < size; ++i) {
    const auto id = static_cast<lk::TokenId>(i);
    requests.emplace_back(Tokens(i, 100 + id), lk::RequestOptions{.seed = 77 * i});
  }
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  std::mt19937 shuffler(5);
  const auto on_two_threads = [](std::size_t count, const auto& work) {
    std::thread even([&] {
      for (std::size_t i = 0; i < count; i += 2) work(i);
    });
    for (std::size_t i = 1; i < count; i += 2) work(i);
    even.join();
  };
  for (std::size_t step = 0; step < kTokens; ++step) {
    std::shuffle(order.begin(), order.end(), shuffler);
    std::vector<std::vector<float>> rows;
    std::vector<lk::LogitsView> views;
    std::vector<lk::Request*> batch;
    std::vector<const lk::Pipeline*> pipelines;
    for (std::size_t i : order) {
      rows.push_back(next_row(requests[i]));
      views.emplace_back(rows.back());
      batch.push_back(&requests[i]);
      pipelines.push_back(i == 0 ? &kPipeline : &neighbours[i % 2]);
    }
    std::vector<lk::Pick> picks(size);
    lk::pick_batch(pipelines, views, batch, picks, on_two_threads);
    for (std::size_t i = 0; i < size; ++i) batch[i]->accept(picks[i]);
  }
  return output(requests[0]);
}

/// The server threw the request out after some tokens; later it comes back and its output is replayed.
Tokens resumed() {
  lk::Request first(kPrompt, kOptions);
  decode(first, 4);
  lk::Request second(kPrompt, kOptions);
  for (lk::TokenId token : first.output()) second.accept(token);
  decode(second, kTokens - 4);
  return output(second);
}

/// As above, but what was generated comes back as part of the prompt.
Tokens with_the_prompt_split_elsewhere() {
  lk::Request first(kPrompt, kOptions);
  decode(first, 4);
  Tokens longer = kPrompt;
  longer.insert(longer.end(), first.output().begin(), first.output().end());
  lk::Request second(longer, kOptions);
  decode(second, kTokens - 4);
  Tokens tokens = output(first);
  tokens.insert(tokens.end(), second.output().begin(), second.output().end());
  return tokens;
}

/// The fastest of some picks.
double microseconds_of_a_pick() {
  const lk::Request request(kPrompt, kOptions);
  const std::vector<float> row = next_row(request);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(kPipeline.pick(row, request));
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

}  // namespace

int main() {
  const Tokens expected = alone();
  bool same = true;
  const auto show = [&](const std::string& way, const Tokens& tokens) {
    std::printf("%-34s", way.c_str());
    for (lk::TokenId token : tokens) std::printf(" %6d", token);
    std::printf("\n");
    same = same && tokens == expected;
  };
  show("alone", expected);
  show("in a batch of 3, shuffled", in_a_batch_of(3));
  show("in a batch of 16, shuffled", in_a_batch_of(16));
  show("resumed after a replay", resumed());
  show("with the prompt split elsewhere", with_the_prompt_split_elsewhere());
  for (lk::Isa isa : {lk::Isa::scalar, lk::Isa::avx2, lk::Isa::avx512, lk::Isa::neon}) {
    try {
      const lk::ScopedIsa forced(isa);
      char time[32];
      std::snprintf(time, sizeof time, " (%.1f us a token)", microseconds_of_a_pick());
      show("on " + std::string(lk::name(isa)) + time, alone());
    } catch (const lk::InvalidParameter&) {
      // This processor does not have it.
    }
  }
  std::printf("%s\n", same ? "All the same." : "They differ!");
  return same ? 0 : 1;
}
