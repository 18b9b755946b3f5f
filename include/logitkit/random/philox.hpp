// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>

#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a bijection of the 128-bit
/// counter for every key, so that any draw is computed on its own, without a generator that has to be advanced.
/// Words are given lowest first. Same output as Random123's `philox4x32`, curand and PyTorch.
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t odd = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(odd >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(odd),
               static_cast<std::uint32_t>(even >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(even)};
    key[0] += 0x9E3779B9;  // golden ratio
    key[1] += 0xBB67AE85;  // sqrt(3) - 1
  }
  return counter;
}

LOGITKIT_NAMESPACE_END
