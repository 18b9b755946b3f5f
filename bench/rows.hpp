// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace bench {

inline constexpr std::size_t kVocabulary = 151'936;

/// Rows that a benchmark reads: one alone (hot), or several in turn (rotating).
using Rows = std::span<const std::vector<float>>;

/// Different rows of one shape, made once:
///   typical, flat, very_flat  the profiles of tests/support/synthetic_rows.hpp; seeds 1, 2, …
///   flat_t15                  flat, divided by 1.5
///   ascending, descending     typical, sorted
///   all_equal                 one value
///   all_but_one_masked        -inf but for one id
///   narrow                    noise in [-1.6, 1.6]: nothing stands out
Rows rows(const std::string& shape, std::size_t vocabulary = kVocabulary, std::size_t count = 8);

}  // namespace bench
