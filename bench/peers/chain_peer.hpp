// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <vector>

namespace peers {

/// A token that is still in the running at the end of a chain, and its probability.
struct Kept {
  int id = 0;
  float probability = 0;
};

/// A sampling chain of somebody else's.
struct ChainPeer {
  std::function<int(const std::vector<float>& row)> pick;
  std::function<std::vector<Kept>()> kept;  ///< what the last pick chose from, in any order
};

/// The parameters that all chains here have; in which order they act is the chain's own.
struct ChainParameters {
  float temperature = 1;
  int k = 0;  ///< 0 = off
  float top_p = 1, min_p = 0;
};

}  // namespace peers
