// SPDX-License-Identifier: MIT
// Prints one `name hash` line per part: FNV-1a over the bits of thousands of seeded results. Every compiler, flag,
// instruction set and machine must print the same lines; .ci/run bits compares them. No test library, so that it
// builds for other processors as it is.
#include <cmath>
#include <cstdio>

#include "bits/chains.hpp"
#include "logitkit/core/half.hpp"
#include "logitkit/decide/abstain.hpp"
#include "logitkit/decide/calibration.hpp"
#include "logitkit/decide/head.hpp"
#include "logitkit/numeric/argmax.hpp"
#include "logitkit/numeric/log_sum_exp.hpp"
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/numeric/softmax.hpp"
#include "logitkit/numeric/top_k.hpp"
#include "logitkit/random/uniform.hpp"
#include "support/synthetic_rows.hpp"

namespace lk = logitkit;

class Hash {
 public:
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) state_ = (state_ ^ (word >> 8 * byte & 0xff)) * 0x100000001b3;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(float x) { add(std::uint64_t{std::bit_cast<std::uint32_t>(x)}); }
  void print(const char* name) const { std::printf("%s %016llx\n", name, static_cast<unsigned long long>(state_)); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

/// A uniform in [low, high); std::fma, so that no compiler's fusing changes the input.
double between(double low, double high, std::uint64_t seed, std::uint64_t index) {
  return std::fma(high - low, static_cast<double>(synthetic::hash64(seed, index) >> 11) * 0x1p-53, low);
}

void random_numbers() {
  Hash philox, uniform;
  for (std::uint32_t i = 0; i < 10000; ++i) {
    for (const std::uint32_t word : lk::philox4x32({i, i * 77, 5, 6}, {i * 3, 9})) philox.add(std::uint64_t{word});
    uniform.add(lk::uniform(synthetic::hash64(1, i), i % 5, i, lk::draws::kXtc + i % 3));
    for (const double u : lk::race_uniforms(42, i, 7, i)) uniform.add(u);
  }
  philox.print("random/philox");
  uniform.print("random/uniform");
}

void scalar_math() {
  namespace math = lk::detail::math;
  Hash exp, log, pow;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    exp.add(math::exp(between(-750, 715, 1, i)));
    exp.add(math::exp(between(-2, 2, 2, i)));
    log.add(math::log(std::bit_cast<double>(synthetic::hash64(3, i) % 0x7ff0000000000000)));
    log.add(math::log(between(0.4, 2.5, 4, i)));
    pow.add(math::pow(between(0.1, 8, 5, i), between(-300, 300, 6, i)));
  }
  exp.print("numeric/exp");
  log.print("numeric/log");
  pow.print("numeric/pow");
}

void halves() {
  Hash hash;
  for (std::uint64_t i = 0; i < 65536; ++i) {
    hash.add(static_cast<float>(lk::float16::from_bits(static_cast<std::uint16_t>(i))));
    hash.add(static_cast<float>(lk::bfloat16::from_bits(static_cast<std::uint16_t>(i))));
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(synthetic::hash64(7, i)));
    hash.add(std::uint64_t{lk::float16(x).bits});
    hash.add(std::uint64_t{lk::bfloat16(x).bits});
  }
  hash.print("core/half");
}

struct RowHashes {
  Hash softmax, log_softmax, log_sum_exp, argmax, top_k;

  void add(lk::LogitsView row) {
    std::vector<float> out(row.size());
    for (const double temperature : {1.0, 0.7}) {
      softmax.add(lk::softmax(row, out, temperature));
      for (const float p : out) softmax.add(p);
    }
    log_softmax.add(lk::log_softmax(row, out));
    for (const float x : out) log_softmax.add(x);
    log_sum_exp.add(lk::log_sum_exp(row));
    argmax.add(std::uint64_t{lk::argmax(row)});
    for (const auto& [index, logit] : lk::top_k(row, 40)) {
      top_k.add(std::uint64_t{index});
      top_k.add(logit);
    }
  }
};

/// The row as float32, float16 and bfloat16.
void add_all_types(RowHashes& hashes, const std::vector<float>& row) {
  std::vector<lk::float16> half;
  std::vector<lk::bfloat16> brain;
  for (const float x : row) {
    half.emplace_back(x);
    brain.emplace_back(x);
  }
  hashes.add(row);
  hashes.add(half);
  hashes.add(brain);
}

void row_functions() {
  RowHashes hashes;
  for (std::size_t i = 0; i < 100; ++i) {
    auto row = synthetic::row(synthetic::kProfiles[i % 5], i, 1 + i * 37 % 3001);
    for (std::size_t id = 0; id < row.size(); ++id)
      if (synthetic::hash64(i, id) % 16 < i % 16) row[id] = -INFINITY;
    add_all_types(hashes, row);
  }
  add_all_types(hashes, synthetic::row(synthetic::kFlat, 8, 151936));
  hashes.softmax.print("numeric/softmax");
  hashes.log_softmax.print("numeric/log_softmax");
  hashes.log_sum_exp.print("numeric/log_sum_exp");
  hashes.argmax.print("numeric/argmax");
  hashes.top_k.print("numeric/top_k");
}

/// What 2,000 chains leave of their rows, and what is picked from it.
void random_chains() {
  Hash processed, picked;
  std::vector<float> out;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    chains::Numbers numbers(seed);
    const auto row = chains::row(numbers, seed);
    const lk::Chain chain = chains::chain(numbers, row.size());
    const lk::Request request = chains::request(numbers, seed, row.size());
    out.resize(row.size());
    const lk::Status status = chain.process(row, request, out);
    processed.add(static_cast<std::uint64_t>(status));
    if (status == lk::Status::ok)
      for (const float x : out) processed.add(x);
    for (const lk::Step& selector : {lk::Step(lk::Greedy()), lk::Step(lk::Multinomial())}) {
      const lk::Pick pick = lk::Pipeline(chain, selector).pick(row, request, {.logprob = true});
      picked.add(static_cast<std::uint64_t>(pick.status));
      picked.add(static_cast<std::uint64_t>(pick.token));
      picked.add(static_cast<std::uint64_t>(pick.id));
      picked.add(std::uint64_t{pick.survivors});
      picked.add(std::uint64_t{pick.rank});
      if (pick) picked.add(pick.logprob);
    }
  }
  processed.print("chains/process");
  picked.print("chains/pick");
}

/// Decisions on 2,000 rows, and what is fitted to them.
void decisions() {
  Hash decided, fitted;
  const lk::DecisionHead head({{"a", {3, 11, 14}}, {"b", {7}}, {"c", {12, 5}}});
  std::vector<double> scores;
  std::vector<int> labels;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const lk::Decision d = head.score(synthetic::row(synthetic::kProfiles[i % 5], i, 40), {.temperature = 1.3});
    for (const double p : d.probabilities) decided.add(p);
    for (const double x : {d.margin, d.entropy, d.mass}) decided.add(x);
    scores.insert(scores.end(), d.scores.begin(), d.scores.end());
    labels.push_back(synthetic::hash64(9, i) % 3 == 0 ? static_cast<int>(i % 3) : d.best);
  }
  const std::span<const double> x = scores;
  const std::span<const int> y = labels;
  const lk::Calibration c = lk::calibrate({x.first(3000), y.first(1000)}, {x.last(3000), y.last(1000)});
  for (const double figure : {c.temperature, c.before.ece, c.after.ece, c.after.brier, c.after.nll}) fitted.add(figure);
  const auto p = lk::label_probabilities(scores, 3, c.temperature);
  for (const lk::CoveragePoint& point : lk::coverage_accuracy(p, labels, lk::Certainty::entropy))
    for (const double figure : {point.threshold, point.coverage, point.accuracy}) fitted.add(figure);
  decided.print("decide/score");
  fitted.print("decide/fit");
}

int main() {
  random_numbers();
  scalar_math();
  halves();
  row_functions();
  random_chains();
  decisions();
}
