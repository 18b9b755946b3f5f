// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "rows.hpp"

namespace bench {

using Call = std::function<void(std::size_t row)>;

/// What one benchmark times. Counters come from smallest times: `us` and `read_passes` per row, and as follows.
struct Work {
  Call run;
  /// How the result for a row differs from the plain program's; empty: not at all. Every row is asked for it first.
  std::function<std::string(std::size_t row)> difference;
  /// Counter `scratch_bytes`, after all calls.
  std::function<std::size_t()> scratch_bytes = {};
  /// Something that takes turns with `run`; the counter of that name is run's time / the rival's.
  Call rival = {};
  std::string rival_counter = {};
  double rows = 1;  ///< so many are read by one call
};

/// Makes the work of a benchmark, over one row or over eight, when it is about to run.
using Setup = std::function<Work(Rows)>;

/// Adds one benchmark. `make_rows` is called when it is about to run.
void add_one(const std::string& name, const std::function<Rows()>& make_rows, const Setup& setup);

/// Adds <name>/hot over the first row of a shape, and <name>/rotating over eight.
void add_both(const std::string& name, const std::string& shape, const Setup& setup,
              std::size_t vocabulary = kVocabulary);

/// Adds <name>/<shape>/hot and <name>/<shape>/rotating.
inline void add(const std::string& name, const std::string& shape, const Setup& setup,
                std::size_t vocabulary = kVocabulary) {
  add_both(name + "/" + shape, shape, setup, vocabulary);
}

/// How many benchmarks were not timed since their results differ.
std::size_t refused();

// The groups, each in its own file.
void add_numeric();
void add_pick();
void add_cliff();
void add_batch();
void add_vocab();
void add_peers();
void add_constraint();
void add_history();
void add_search();

}  // namespace bench
