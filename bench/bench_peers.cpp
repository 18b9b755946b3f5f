// SPDX-License-Identifier: MIT
// Peer/<peer>/<case>: what others take for the same result. The counter `times_slower` is their time over ours, which
// takes turns with theirs.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "harness.hpp"
#include "peers/naive.hpp"
#include "picks.hpp"
#ifdef LOGITKIT_PEER_LLAMA_CPP
#include "peers/llama_cpp.hpp"
#endif
#if defined(LOGITKIT_PEER_EIGEN) || defined(LOGITKIT_PEER_ONEDNN)
#include "peers/softmax_peer.hpp"
#endif

namespace bench {

namespace {

namespace lk = logitkit;

/// How the tokens that a peer draws from, or their probabilities, differ from ours.
std::string difference_from_ours(const std::vector<peers::Kept>& kept, const lk::Pipeline& ours,
                                 const std::vector<float>& row) {
  std::vector<float> p = ours.process(row, fresh());
  lk::softmax(p, p);
  std::size_t survivors = 0;
  for (const float x : p) survivors += x > 0 ? 1 : 0;
  if (survivors != kept.size())
    return std::to_string(kept.size()) + " survive there, here " + std::to_string(survivors);
  for (const auto& [id, probability] : kept)
    if (const float x = p[static_cast<std::size_t>(id)]; !(std::abs(probability - x) <= 1e-4f * x))
      return "id " + std::to_string(id) + " has probability " + std::to_string(probability) + " there, here " +
             std::to_string(x);
  return "";
}

void add_chain(const std::string& name, const std::function<peers::ChainPeer()>& make_peer, const lk::Pipeline& ours) {
  add("Peer/" + name, "typical", [=](Rows over) -> Work {
    const peers::ChainPeer peer = make_peer();
    return {.run = [=](std::size_t row) { benchmark::DoNotOptimize(peer.pick(over[row])); },
            .difference =
                [=](std::size_t row) {
                  peer.pick(over[row]);
                  return difference_from_ours(peer.kept(), ours, over[row]);
                },
            .rival = pick_work(ours, fresh(), over).run,
            .rival_counter = "times_slower"};
  });
}

void add_naive() {
  using peers::naive::Sampler, peers::naive::Sort;
  const lk::Temperature t(0.7);
  const lk::TopK k(20);
  const lk::TopP p(0.8);
  const lk::MinP min_p(0.05);
  const lk::Multinomial draw;
  const peers::ChainParameters chat_parameters{.temperature = 0.7f, .k = 20, .top_p = 0.8f, .min_p = 0.05f};
  const auto add_order = [=](const std::string& name, auto order, const lk::Pipeline& ours) {
    for (const auto& [sort_name, sort] : {std::pair{"sort", Sort::full}, {"partial_sort", Sort::partial}})
      add_chain(
          name + "_" + sort_name + "/chat",
          [=, sort = sort] { return peers::naive::chain(order, chat_parameters, sort); }, ours);
  };
  add_order("naive_hf", &Sampler::hf_order, t | k | p | min_p | draw);
  add_order("naive_vllm", &Sampler::vllm_order, t | min_p | k | p | draw);
  add_order("naive_llama_cpp", &Sampler::llama_cpp_order, k | p | min_p | t | draw);
}

#ifdef LOGITKIT_PEER_LLAMA_CPP
void add_llama_cpp() {
  using namespace lk;
  const auto in_its_order = [](peers::ChainParameters p) { return [=] { return peers::llama_cpp_order(p); }; };
  add_chain("llama_cpp/chat", in_its_order({.temperature = 0.7f, .k = 20, .top_p = 0.8f, .min_p = 0.05f}),
            TopK(20) | TopP(0.8) | MinP(0.05) | Temperature(0.7) | Multinomial());
  add_chain("llama_cpp/llama_default", in_its_order({.temperature = 0.8f, .k = 40, .top_p = 0.95f, .min_p = 0.05f}),
            TopK(40) | TopP(0.95) | MinP(0.05) | Temperature(0.8) | Multinomial());
  add_chain("llama_cpp/min_p", in_its_order({.min_p = 0.05f}), MinP(0.05) | Multinomial());
  add_chain("llama_cpp/top_p", in_its_order({.top_p = 0.9f}), TopP(0.9) | Multinomial());
  add_chain(
      "llama_cpp/hf_order",
      [] { return peers::llama_cpp_temperature_first({.temperature = 0.7f, .k = 50, .top_p = 0.9f, .min_p = 0.1f}); },
      Temperature(0.7) | TopK(50) | TopP(0.9) | MinP(0.1) | Multinomial());
}
#endif

#if defined(LOGITKIT_PEER_EIGEN) || defined(LOGITKIT_PEER_ONEDNN)
void add_softmax(const std::string& peer, const std::function<peers::SoftmaxPeer(std::size_t)>& make) {
  for (const char* profile : {"typical", "flat"})
    add("Peer/" + peer + "/softmax", profile, [=](Rows over) -> Work {
      struct Outputs {
        std::vector<float> theirs, ours;
      };
      const auto out = std::make_shared<Outputs>();
      out->theirs.resize(over[0].size());
      out->ours.resize(over[0].size());
      const auto softmax = make(over[0].size());
      const Call run = [=](std::size_t row) { softmax(over[row].data(), out->theirs.data()); };
      const Call ours = [=](std::size_t row) { benchmark::DoNotOptimize(lk::softmax(over[row], out->ours)); };
      const auto difference = [=](std::size_t row) -> std::string {
        run(row);
        ours(row);
        for (std::size_t id = 0; id < out->ours.size(); ++id)
          if (std::abs(out->theirs[id] - out->ours[id]) > 1e-7f + 1e-4f * out->ours[id])
            return "probability of id " + std::to_string(id);
        return "";
      };
      return {.run = run, .difference = difference, .rival = ours, .rival_counter = "times_slower"};
    });
}
#endif

}  // namespace

void add_peers() {
  add_naive();
#ifdef LOGITKIT_PEER_EIGEN
  add_softmax("eigen", [](std::size_t size) -> peers::SoftmaxPeer {
    return [size](const float* in, float* out) { peers::eigen_softmax(in, out, size); };
  });
#endif
#ifdef LOGITKIT_PEER_ONEDNN
  add_softmax("onednn", peers::onednn_softmax);
#endif
#ifdef LOGITKIT_PEER_LLAMA_CPP
  add_llama_cpp();
#endif
}

}  // namespace bench
