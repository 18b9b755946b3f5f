// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The length of the first of `sequences` that the output ends with, 0 if it ends with none. Empty ones match nothing.
inline std::size_t stop_sequence_at_end(std::span<const TokenId> output,
                                        std::span<const std::vector<TokenId>> sequences) {
  for (const std::vector<TokenId>& sequence : sequences)
    if (!sequence.empty() && sequence.size() <= output.size() &&
        std::equal(sequence.begin(), sequence.end(), output.end() - static_cast<std::ptrdiff_t>(sequence.size())))
      return sequence.size();
  return 0;
}

LOGITKIT_NAMESPACE_END
