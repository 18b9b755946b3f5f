// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "peers/chain_peer.hpp"

/// What one writes first, with the standard library alone: copy the row, sort, cut, draw.
namespace peers::naive {

/// full: all candidates at first; partial: top-k only what it keeps.
enum class Sort { full, partial };

class Sampler {
 public:
  Sampler(ChainParameters parameters, Sort sort) : parameters_(parameters), sort_(sort) {}

  int hf_order(const std::vector<float>& row) {
    copy(row);
    temperature();
    top_k();
    top_p();
    min_p();
    return draw();
  }
  int vllm_order(const std::vector<float>& row) {
    copy(row);
    temperature();
    min_p();
    top_k();
    top_p();
    return draw();
  }
  int llama_cpp_order(const std::vector<float>& row) {
    copy(row);
    top_k();
    top_p();
    min_p();
    temperature();
    return draw();
  }
  const std::vector<Kept>& kept() const { return kept_; }

 private:
  struct Candidate {
    float logit;
    int id;
  };
  static bool is_before(const Candidate& a, const Candidate& b) {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
  }

  void copy(const std::vector<float>& row) {
    candidates_.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) candidates_[i] = {row[i], static_cast<int>(i)};
    if (sort_ == Sort::full) std::sort(candidates_.begin(), candidates_.end(), is_before);
  }
  void temperature() {
    for (Candidate& c : candidates_) c.logit /= parameters_.temperature;
  }
  void top_k() {
    const auto k = std::min(static_cast<std::size_t>(parameters_.k), candidates_.size());
    if (sort_ == Sort::partial)
      std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(k), candidates_.end(),
                        is_before);
    candidates_.resize(k);
  }
  void top_p() {
    softmax();
    float mass = 0;
    std::size_t n = 0;
    while (n < kept_.size() && mass < parameters_.top_p) mass += kept_[n++].probability;
    candidates_.resize(n);
  }
  void min_p() {
    const float best = std::min_element(candidates_.begin(), candidates_.end(), is_before)->logit;
    const float least = best + std::log(parameters_.min_p);
    std::erase_if(candidates_, [least](const Candidate& c) { return c.logit < least; });
  }
  void softmax() {
    const float best = std::min_element(candidates_.begin(), candidates_.end(), is_before)->logit;
    kept_.clear();
    float sum = 0;
    for (const Candidate& c : candidates_) {
      kept_.push_back({c.id, std::exp(c.logit - best)});
      sum += kept_.back().probability;
    }
    for (Kept& k : kept_) k.probability /= sum;
  }
  int draw() {
    softmax();
    float rest = std::uniform_real_distribution<float>()(generator_);
    for (const Kept& k : kept_)
      if ((rest -= k.probability) < 0) return k.id;
    return kept_.back().id;
  }

  ChainParameters parameters_;
  Sort sort_;
  std::vector<Candidate> candidates_;
  std::vector<Kept> kept_;
  std::mt19937 generator_;
};

/// One of the three orders: naive::chain(&Sampler::hf_order, …).
inline ChainPeer chain(int (Sampler::*order)(const std::vector<float>&), ChainParameters parameters, Sort sort) {
  const auto sampler = std::make_shared<Sampler>(parameters, sort);
  return {[=](const std::vector<float>& row) { return ((*sampler).*order)(row); }, [=] { return sampler->kept(); }};
}

}  // namespace peers::naive
