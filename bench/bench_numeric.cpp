// SPDX-License-Identifier: MIT
// Numeric/<function>: the functions on spans.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "harness.hpp"
#include "logitkit/logitkit.hpp"

namespace bench {

namespace {

namespace lk = logitkit;

long double sum_of_exps(const std::vector<float>& row, float max) {
  return std::accumulate(row.begin(), row.end(), 0.0L, [max](long double sum, float x) {
    return sum + std::exp(static_cast<long double>(x) - static_cast<long double>(max));
  });
}
float largest(const std::vector<float>& row) { return *std::max_element(row.begin(), row.end()); }

Work softmax(Rows rows) {
  const auto out = std::make_shared<std::vector<float>>(rows[0].size());
  const Call run = [=](std::size_t row) { benchmark::DoNotOptimize(lk::softmax(rows[row], *out)); };
  const auto difference = [=](std::size_t row) -> std::string {
    run(row);
    const float max = largest(rows[row]);
    const long double sum = sum_of_exps(rows[row], max);
    for (std::size_t id = 0; id < out->size(); ++id) {
      const long double below = static_cast<long double>(max) - static_cast<long double>(rows[row][id]);
      const long double exact = std::exp(-below) / sum, error = std::abs(static_cast<long double>((*out)[id]) - exact);
      if (exact > 1e-30L && error > exact * (6e-8L * below + 5e-7L)) return "probability of id " + std::to_string(id);
    }
    return "";
  };
  return {run, difference};
}

Work log_sum_exp(Rows rows) {
  const Call run = [=](std::size_t row) { benchmark::DoNotOptimize(lk::log_sum_exp(rows[row])); };
  const auto difference = [=](std::size_t row) -> std::string {
    const float max = largest(rows[row]);
    const long double exact = static_cast<long double>(max) + std::log(sum_of_exps(rows[row], max));
    const double got = lk::log_sum_exp(rows[row]);
    return std::abs(static_cast<long double>(got) - exact) < 1e-6L ? "" : "log-sum-exp " + std::to_string(got);
  };
  return {run, difference};
}

Work argmax(Rows rows) {
  const Call run = [=](std::size_t row) { benchmark::DoNotOptimize(lk::argmax(rows[row])); };
  const auto difference = [=](std::size_t row) -> std::string {
    const auto want = std::max_element(rows[row].begin(), rows[row].end()) - rows[row].begin();
    const std::size_t got = lk::argmax(rows[row]);
    return got == static_cast<std::size_t>(want) ? "" : "id " + std::to_string(got);
  };
  return {run, difference};
}

Setup top_k(std::size_t k) {
  return [k](Rows rows) -> Work {
    struct State {
      std::vector<lk::RankedLogit> out;
      lk::TopKScratch scratch;
    };
    const auto state = std::make_shared<State>();
    const Call run = [=](std::size_t row) { lk::top_k(rows[row], k, state->out, state->scratch); };
    const auto difference = [=](std::size_t row) -> std::string {
      std::vector<lk::RankedLogit> want;
      for (std::size_t id = 0; id < rows[row].size(); ++id) want.push_back({id, rows[row][id]});
      std::stable_sort(want.begin(), want.end(), [](const auto& a, const auto& b) { return a.logit > b.logit; });
      want.resize(k);
      run(row);
      return state->out == want ? "" : "the best " + std::to_string(k);
    };
    return {run, difference};
  };
}

}  // namespace

void add_numeric() {
  for (const char* profile : {"typical", "flat", "very_flat"}) {
    add("Numeric/softmax", profile, softmax);
    add("Numeric/log_sum_exp", profile, log_sum_exp);
    add("Numeric/argmax", profile, argmax);
    add("Numeric/top_k_20", profile, top_k(20));
    add("Numeric/top_k_50", profile, top_k(50));
    add("Numeric/top_k_1000", profile, top_k(1000));
  }
}

}  // namespace bench
