// SPDX-License-Identifier: MIT
#include "harness.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "read_pass.hpp"

namespace bench {

namespace {

std::set<std::string> refused_names;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What looking at the clock adds to a time.
double clock_seconds() {
  double least = 1;
  for (int i = 0; i < 1000; ++i) least = std::min(least, seconds_since(Clock::now()));
  return least;
}

/// One of those that take turns. The fastest call of every row counts, since noise only ever adds; calls are timed one
/// by one, since a slow one is seldom left alone for long.
class Contestant {
 public:
  Contestant(Call call, std::size_t row_count)
      : call_(std::move(call)), turns_(row_count == 1 ? 4 : 1), least_(row_count, 1e9) {}

  /// Returns the seconds of all calls. One more ahead of them leaves the caches as such calls do.
  double play() {
    static const double looking = clock_seconds();
    call_(least_.size() - 1);
    double all = 0;
    for (std::size_t turn = 0; turn < turns_; ++turn)
      for (std::size_t row = 0; row < least_.size(); ++row) {
        const auto start = Clock::now();
        call_(row);
        const double seconds = std::max(seconds_since(start) - looking, 0.0);
        least_[row] = std::min(least_[row], seconds);
        all += seconds;
      }
    return all;
  }
  std::size_t calls() const { return turns_ * least_.size(); }
  /// Seconds per call: the mean over the rows of their fastest ones.
  double least() const {
    return std::accumulate(least_.begin(), least_.end(), 0.0) / static_cast<double>(least_.size());
  }

 private:
  Call call_;
  std::size_t turns_;
  std::vector<double> least_;  // by row
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
    // Beside something slow the others play often, so that their own fastest calls are found.
    for (std::size_t i = 1; i < b.contestants.size(); ++i)
      for (double spent = 0; spent < std::min(seconds, 2e-3);) spent += b.contestants[i].play();
  }
  state.counters["us"] = run.least() / b.work.rows * 1e6;
  state.counters["read_passes"] = run.least() / b.work.rows / b.contestants[1].least();
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
