// SPDX-License-Identifier: MIT
// How an engine calls the library: its own memory goes in (pointer, width, stride, dtype), token ids come out. Four
// requests share the batch, each with its own pipeline, and one of them fails without disturbing the others.
#include <cstdint>
#include <cstdio>
#include <logitkit/logitkit.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/corpus.hpp"
#include "common/ngram_model.hpp"
#include "common/word_tokenizer.hpp"

namespace lk = logitkit;

namespace {

/// What a forward pass leaves behind: one row of 16-bit logits per running sequence, padded to whole cache lines.
struct DeviceBatch {
  std::vector<lk::bfloat16> memory;
  std::size_t rows, width, stride;
};

/// Stands for the engine's model: n-grams, rounded to bfloat16 as an accelerator would hand them over.
class Model {
 public:
  explicit Model(const examples::WordTokenizer& tokenizer)
      : ngrams_(tokenizer.encode(examples::kCorpus), tokenizer.size()), width_(tokenizer.size()) {}

  DeviceBatch forward(const std::vector<lk::Request*>& requests) const {
    const std::size_t stride = (width_ + 31) / 32 * 32;
    DeviceBatch batch{std::vector<lk::bfloat16>(requests.size() * stride), requests.size(), width_, stride};
    for (std::size_t r = 0; r < requests.size(); ++r) {
      std::vector<lk::TokenId> history(requests[r]->prompt().begin(), requests[r]->prompt().end());
      history.insert(history.end(), requests[r]->output().begin(), requests[r]->output().end());
      const std::vector<float> row = ngrams_.row(history);
      for (std::size_t id = 0; id < width_; ++id) batch.memory[r * stride + id] = lk::bfloat16(row[id]);
    }
    return batch;
  }

 private:
  examples::NgramModel ngrams_;
  std::size_t width_;
};

/// One client of the server.
struct Sequence {
  std::string name;
  lk::Pipeline pipeline;
  lk::Request request;
  std::string error;
  bool running() const { return error.empty() && !request.is_finished() && request.output().size() < 30; }
};

/// One step of continuous batching: logits in, ids out, for whoever still runs.
void step(const Model& model, std::vector<Sequence*>& running) {
  std::vector<lk::Request*> requests;
  std::vector<const lk::Pipeline*> pipelines;
  for (Sequence* sequence : running) {
    requests.push_back(&sequence->request);
    pipelines.push_back(&sequence->pipeline);
  }
  const DeviceBatch batch = model.forward(requests);
  const lk::LogitsMatrix logits{batch.memory.data(), batch.rows, batch.width, batch.stride, lk::Dtype::bfloat16};

  // Stands for the engine's thread pool.
  const auto parallel_for = [](std::size_t count, const auto& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
    for (std::thread& thread : threads) thread.join();
  };
  std::vector<lk::Pick> picks(running.size());
  lk::pick_batch(pipelines, logits, requests, picks, parallel_for);
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (picks[i])
      requests[i]->accept(picks[i]);
    else
      running[i]->error = picks[i].message();
  }
  std::erase_if(running, [](const Sequence* sequence) { return !sequence->running(); });
}

}  // namespace

int main() {
  const examples::WordTokenizer tokenizer(examples::kCorpus);
  const Model model(tokenizer);
  lk::presets::VllmSamplingParams vllm;
  vllm.temperature = 0.9;
  vllm.top_p = 0.95;
  lk::presets::LlamaCppSampling llama_cpp;

  std::vector<Sequence> sequences;
  const auto submit = [&](std::string name, std::string_view prompt, lk::Pipeline pipeline) {
    lk::Request request(tokenizer.encode(prompt), {.seed = 7, .end_ids = {tokenizer.separator()}});
    sequences.push_back({std::move(name), std::move(pipeline), std::move(request), {}});
  };
  submit("greedy", "The old fisherman", lk::RepetitionPenalty(1.2) | lk::Greedy());
  submit("vLLM's order", "The keeper", lk::build(lk::presets::vllm(vllm)));
  submit("bans an id of another model", "The captain", lk::BanTokens({50256}) | lk::Multinomial());
  submit("llama.cpp's order", "In winter", lk::build(lk::presets::llama_cpp(llama_cpp)));

  std::vector<Sequence*> running;
  for (Sequence& sequence : sequences) running.push_back(&sequence);
  while (!running.empty()) step(model, running);

  for (const Sequence& sequence : sequences) {
    std::vector<lk::TokenId> ids(sequence.request.prompt().begin(), sequence.request.prompt().end());
    ids.insert(ids.end(), sequence.request.output().begin(), sequence.request.output().end());
    std::printf("%s:\n  %s\n", sequence.name.c_str(), tokenizer.decode(ids).c_str());
    if (!sequence.error.empty()) std::printf("  failed: %s\n", sequence.error.c_str());
  }
}
