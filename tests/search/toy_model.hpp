// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "logitkit/logitkit.hpp"
#include "support/synthetic_rows.hpp"

/// A model that answers any history: random logits that depend on all of it. On a grid, where ties are wanted.
struct ToyModel {
  std::size_t vocabulary = 5;
  std::uint64_t seed = 1;
  double scale = 1;
  double grid = 0;

  std::vector<float> operator()(std::span<const logitkit::TokenId> prompt,
                                std::span<const logitkit::TokenId> output) const {
    std::uint64_t key = seed;
    for (const auto part : {prompt, output})
      for (const logitkit::TokenId token : part) key = synthetic::hash64(key, static_cast<std::uint64_t>(token));
    std::vector<float> row(vocabulary);
    for (std::size_t id = 0; id < vocabulary; ++id) {
      const double x = scale * synthetic::noise(key, id);
      row[id] = static_cast<float>(grid > 0 ? std::round(x / grid) * grid : x);
    }
    return row;
  }
  std::vector<float> operator()(const logitkit::Request& request) const {
    return (*this)(request.prompt(), request.output());
  }

  /// A row for each live hypothesis.
  std::vector<std::vector<float>> rows(const logitkit::BeamSearch& beams) const {
    std::vector<std::vector<float>> rows;
    for (std::size_t i = 0; i < beams.live().size(); ++i) rows.push_back((*this)(beams.request(i)));
    return rows;
  }
  logitkit::Status advance(logitkit::BeamSearch& beams) const {
    const auto all = rows(beams);
    return beams.advance(std::vector<logitkit::LogitsView>(all.begin(), all.end()));
  }
  /// All steps of a search.
  logitkit::Status finish(logitkit::BeamSearch& beams) const {
    logitkit::Status status = logitkit::Status::ok;
    while (status == logitkit::Status::ok && !beams.done()) status = advance(beams);
    return status;
  }
};
