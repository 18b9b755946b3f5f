// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <functional>

namespace peers {

/// Probabilities of `size` logits, out of place.
using SoftmaxPeer = std::function<void(const float* in, float* out)>;

/// Eigen, compiled for the processor that compiles it (-march=native): the library chooses when it runs.
void eigen_softmax(const float* in, float* out, std::size_t size);

SoftmaxPeer onednn_softmax(std::size_t size);

}  // namespace peers
