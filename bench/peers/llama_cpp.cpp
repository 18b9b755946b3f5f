// SPDX-License-Identifier: MIT
#include "peers/llama_cpp.hpp"

#include <cstdint>
#include <memory>

// The part of llama.cpp's C interface that is used here, as its llama.h documents it: released builds come without the
// header. Another layout shows as results that differ.
extern "C" {
struct llama_sampler;
struct llama_token_data {
  std::int32_t id;
  float logit, p;
};
struct llama_token_data_array {
  llama_token_data* data;
  std::size_t size;
  std::int64_t selected;  // an index
  bool sorted;
};
struct llama_sampler_chain_params {
  bool no_perf;
};
llama_sampler* llama_sampler_chain_init(llama_sampler_chain_params params);
void llama_sampler_chain_add(llama_sampler* chain, llama_sampler* sampler);  // which then belongs to the chain
llama_sampler* llama_sampler_init_top_k(std::int32_t k);
llama_sampler* llama_sampler_init_top_p(float p, std::size_t min_keep);
llama_sampler* llama_sampler_init_min_p(float p, std::size_t min_keep);
llama_sampler* llama_sampler_init_temp(float temperature);
llama_sampler* llama_sampler_init_dist(std::uint32_t seed);
void llama_sampler_apply(llama_sampler* chain, llama_token_data_array* candidates);
void llama_sampler_free(llama_sampler* chain);
}

namespace peers {

namespace {

struct State {
  std::unique_ptr<llama_sampler, decltype(&llama_sampler_free)> chain{llama_sampler_chain_init({.no_perf = true}),
                                                                      llama_sampler_free};
  std::vector<llama_token_data> candidates;
  llama_token_data_array array{};
};

ChainPeer make(const std::vector<llama_sampler*>& samplers) {
  const auto state = std::make_shared<State>();
  for (llama_sampler* sampler : samplers)
    if (sampler != nullptr) llama_sampler_chain_add(state->chain.get(), sampler);
  const auto pick = [=](const std::vector<float>& row) {
    state->candidates.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) state->candidates[i] = {static_cast<std::int32_t>(i), row[i], 0.0f};
    state->array = {state->candidates.data(), row.size(), -1, false};
    llama_sampler_apply(state->chain.get(), &state->array);
    return static_cast<int>(state->array.data[state->array.selected].id);
  };
  const auto kept = [=] {
    std::vector<Kept> all;
    for (std::size_t i = 0; i < state->array.size; ++i)
      all.push_back({state->array.data[i].id, state->array.data[i].p});
    return all;
  };
  return {pick, kept};
}

llama_sampler* top_k(const ChainParameters& p) { return p.k > 0 ? llama_sampler_init_top_k(p.k) : nullptr; }
llama_sampler* top_p(const ChainParameters& p) { return p.top_p < 1 ? llama_sampler_init_top_p(p.top_p, 1) : nullptr; }
llama_sampler* min_p(const ChainParameters& p) { return p.min_p > 0 ? llama_sampler_init_min_p(p.min_p, 1) : nullptr; }
llama_sampler* temperature(const ChainParameters& p) {
  return p.temperature != 1 ? llama_sampler_init_temp(p.temperature) : nullptr;
}

}  // namespace

ChainPeer llama_cpp_order(ChainParameters p) {
  return make({top_k(p), top_p(p), min_p(p), temperature(p), llama_sampler_init_dist(1)});
}
ChainPeer llama_cpp_temperature_first(ChainParameters p) {
  return make({temperature(p), top_k(p), top_p(p), min_p(p), llama_sampler_init_dist(1)});
}

}  // namespace peers
