// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>

#include "harness.hpp"
#include "logitkit/logitkit.hpp"

namespace bench {

/// pipeline.pick over the rows, compared with the plain program.
///   dtype  what the rows are rounded to
///   plain  a pipeline that means the same in steps that the plain program knows; without it, the pipeline itself
Work pick_work(const logitkit::Pipeline& pipeline, const logitkit::Request& request, Rows rows,
               logitkit::Dtype dtype = logitkit::Dtype::float32,
               const std::optional<logitkit::Pipeline>& plain = std::nullopt);

/// How a pick differs from the plain program's for the same row of float32; empty: not at all.
std::string difference_from_plain(const logitkit::Pick& pick, const logitkit::Pipeline& pipeline,
                                  const std::vector<float>& row, const logitkit::Request& request);

/// A request without a history, seed 1.
inline logitkit::Request fresh() { return logitkit::Request{{}, {.seed = 1}}; }

/// `count` ids all over the vocabulary.
logitkit::TokenIds spread_ids(std::size_t count);

/// A prompt of 4,096 tokens with 1,000 distinct ids: each once, the rest drawn by Zipf's law.
logitkit::Request long_history();

/// T 0.7, top-k 20, top-p 0.8, min-p 0.05, multinomial.
logitkit::Pipeline chat();

}  // namespace bench
