// SPDX-License-Identifier: MIT
#pragma once
// Seeded rows of scores with right answers, and the text of an error.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "logitkit/core/error.hpp"

namespace labelled_rows {

struct Rows {
  std::vector<double> values;
  std::vector<int> labels;
  std::size_t k = 0;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : words_(seed) {}
  double unit() { return static_cast<double>(words_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(unit() * static_cast<double>(n)); }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }

 private:
  std::mt19937_64 words_;
};

inline std::vector<long double> softmax(const double* scores, std::size_t k, long double temperature) {
  long double max = -INFINITY, sum = 0;
  for (std::size_t j = 0; j < k; ++j) max = std::max<long double>(max, scores[j]);
  std::vector<long double> p(k);
  for (std::size_t j = 0; j < k; ++j) sum += p[j] = std::exp((scores[j] - max) / temperature);
  for (long double& x : p) x /= sum;
  return p;
}

/// n rows whose right answers are drawn from softmax(scores / true_temperature).
inline Rows drawn(std::uint64_t seed, std::size_t n, std::size_t k, double spread, double true_temperature) {
  Generator random(seed);
  Rows rows{{}, {}, k};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < k; ++j) rows.values.push_back(spread * random.normal());
    const auto p = softmax(&rows.values[i * k], k, true_temperature);
    const double u = random.unit();
    std::size_t label = 0;
    for (long double sum = p[0]; label + 1 < k && sum <= u; sum += p[label]) ++label;
    rows.labels.push_back(static_cast<int>(label));
  }
  return rows;
}

/// Probabilities that are multiples of 1 / 8, so that ties and edges of bins are frequent.
inline Rows eighths(std::uint64_t seed, std::size_t n, std::size_t k) {
  Generator random(seed);
  Rows rows{{}, {}, k};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> p(k, 0.0);
    for (int part = 0; part < 8; ++part) p[random.below(k)] += 0.125;
    rows.values.insert(rows.values.end(), p.begin(), p.end());
    rows.labels.push_back(static_cast<int>(random.below(k)));
  }
  return rows;
}

inline std::size_t best(const Rows& rows, std::size_t i) {
  std::size_t first = 0;
  for (std::size_t j = 1; j < rows.k; ++j)
    if (rows.values[i * rows.k + j] > rows.values[i * rows.k + first]) first = j;
  return first;
}

/// What InvalidParameter says that f() throws.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const logitkit::InvalidParameter& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace labelled_rows
