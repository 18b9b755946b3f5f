// SPDX-License-Identifier: MIT
#include "harness.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "read_pass.hpp"

namespace bench {

namespace {

std::set<std::string> refused_names;

/// One of those that take turns: a round is some calls in a row, and the fastest round counts. Noise only ever adds.
class Contestant {
 public:
  Contestant(Call call, std::size_t row_count) : call_(std::move(call)), row_count_(row_count) {
    // At least 20 microseconds, so that looking at the clock twice is less than a percent.
    const double seconds = play() * static_cast<double>(row_count_);
    turns_ = static_cast<std::size_t>(std::clamp(std::ceil(20e-6 / seconds), 1.0, 1000.0));
  }

  /// Returns the seconds that the round took. A call ahead of it leaves the caches as such calls do.
  double play() {
    call_(row_count_ - 1);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t turn = 0; turn < turns_; ++turn)
      for (std::size_t row = 0; row < row_count_; ++row) call_(row);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    least_ = std::min(least_, time.count() / static_cast<double>(calls()));
    return time.count();
  }
  std::size_t calls() const { return turns_ * row_count_; }
  /// Seconds per call in the fastest round.
  double least() const { return least_; }

 private:
  Call call_;
  std::size_t row_count_, turns_ = 1;
  double least_ = std::numeric_limits<double>::infinity();
};

/// A benchmark between its repetitions: they share its work and its smallest times.
struct Benchmark {
  Work work;
  std::string difference;
  std::vector<Contestant> contestants;  // the work, the read pass, and the rival if there is one
};

Benchmark prepare(Rows rows, const Setup& setup) {
  Benchmark made{setup(rows), "", {}};
  for (std::size_t row = 0; row < rows.size() && made.difference.empty(); ++row)
    made.difference = made.work.difference(row);
  if (!made.difference.empty()) return made;
  const Call read = [rows](std::size_t row) { benchmark::DoNotOptimize(read_pass::largest(rows[row])); };
  for (const Call& call : {made.work.run, read, made.work.rival})
    if (call) made.contestants.emplace_back(call, rows.size());
  return made;
}

void measure(benchmark::State& state, const std::string& name, Benchmark& b) {
  if (!b.difference.empty()) {
    refused_names.insert(name);
    state.SkipWithError(b.difference.c_str());
    return;
  }
  Contestant& run = b.contestants[0];
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(run.calls()))) {
    const double seconds = run.play();
    state.SetIterationTime(seconds);
    // Beside something slow the read pass has many rounds, so that its own smallest time is found.
    for (std::size_t i = 1; i < b.contestants.size(); ++i)
      for (double spent = 0; spent < std::min(seconds, 2e-3);) spent += b.contestants[i].play();
  }
  state.counters["us"] = run.least() * 1e6;
  state.counters["read_passes"] = run.least() / b.contestants[1].least();
  if (b.work.rival) state.counters[b.work.rival_counter] = run.least() / b.contestants[2].least();
  if (b.work.scratch_bytes) state.counters["scratch_bytes"] = static_cast<double>(b.work.scratch_bytes());
}

}  // namespace

void add_one(const std::string& name, const std::function<Rows()>& make_rows, const Setup& setup) {
  const auto run = [=, prepared = std::shared_ptr<Benchmark>()](benchmark::State& state) mutable {
    if (!prepared) prepared = std::make_shared<Benchmark>(prepare(make_rows(), setup));
    measure(state, name, *prepared);
  };
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

void add_both(const std::string& name, const std::string& shape, const Setup& setup, std::size_t vocabulary) {
  add_one(
      name + "/hot", [=] { return rows(shape, vocabulary).first(1); }, setup);
  add_one(
      name + "/rotating", [=] { return rows(shape, vocabulary); }, setup);
}

std::size_t refused() { return refused_names.size(); }

}  // namespace bench
