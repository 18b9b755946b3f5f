// SPDX-License-Identifier: MIT
#pragma once
#include "peers/chain_peer.hpp"

namespace peers {

/// llama.cpp's sampler chain, with filling the candidate array, as its own sampling entry point does.
ChainPeer llama_cpp_order(ChainParameters parameters);
ChainPeer llama_cpp_temperature_first(ChainParameters parameters);

}  // namespace peers
