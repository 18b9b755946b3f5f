// SPDX-License-Identifier: MIT
// All benchmarks: logitkit_bench --benchmark_filter=Pick/chat. Fails if a result differs from the plain program's.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iostream>
#include <string>

#include "harness.hpp"
#include "logitkit/numeric/simd/dispatch.hpp"

namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

int main(int argc, char** argv) {
  bench::add_numeric();
  bench::add_pick();
  bench::add_cliff();
  bench::add_batch();
  bench::add_vocab();
  bench::add_peers();
  bench::add_constraint();
  bench::add_history();
  bench::add_search();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("cpu", cpu_model());
  benchmark::AddCustomContext("isa", std::string(logitkit::name(logitkit::active_isa())));
  benchmark::RunSpecifiedBenchmarks();
  if (bench::refused() == 0) return 0;
  std::cerr << bench::refused() << " not timed: their results differ from the plain program's\n";
  return 1;
}
