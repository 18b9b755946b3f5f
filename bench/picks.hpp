// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>

#include "harness.hpp"
#include "logitkit/logitkit.hpp"

namespace bench {

/// pipeline.pick over the rows, compared with the plain program.
Work pick_work(const logitkit::Pipeline& pipeline, const logitkit::Request& request, Rows rows);

/// A prompt of 4,096 tokens with 1,000 distinct ids: each once, the rest drawn by Zipf's law.
logitkit::Request long_history();

/// T 0.7, top-k 20, top-p 0.8, min-p 0.05, multinomial.
logitkit::Pipeline chat();

}  // namespace bench
