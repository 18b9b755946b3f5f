// SPDX-License-Identifier: MIT
// The same wish in the order of three engines: what survives, what is told, what it costs.
//   demo                                                      with n-grams that are counted at start
//   demo --model stories260K.bin --tokenizer tok512.bin       with a real transformer
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <limits>
#include <logitkit/logitkit.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "../bench/read_pass.hpp"
#include "../tests/support/synthetic_rows.hpp"
#include "common/text_model.hpp"

namespace lk = logitkit;

namespace {

struct Engine {
  const char* name;
  lk::Spec spec;
};

/// Hugging Face, vLLM and llama.cpp with the same parameters. Each brings its own order.
std::vector<Engine> engines(double temperature, double top_p, double min_p) {
  const auto fill = [&](auto params) {
    params.temperature = temperature;
    params.top_k = 0;
    params.top_p = top_p;
    params.min_p = min_p;
    return params;
  };
  lk::presets::GenerationConfig sampling;
  sampling.do_sample = true;
  return {{"Hugging Face", lk::presets::huggingface(fill(sampling))},
          {"vLLM", lk::presets::vllm(fill(lk::presets::VllmSamplingParams{}))},
          {"llama.cpp", lk::presets::llama_cpp(fill(lk::presets::LlamaCppSampling{}))}};
}

/// The ids that are left after every step, one line each.
std::vector<std::string> survivors(const Engine& engine, const std::vector<float>& logits) {
  const lk::Request request({4, 2}, {.seed = 1});
  std::vector<std::string> lines = {engine.name};
  std::size_t left = logits.size();
  lk::Spec so_far;
  for (const lk::Step& step : engine.spec) {
    if (step.is_selector()) break;
    if (step.type() == "allow_mask") continue;  // for constraints, and the request has none
    so_far.steps.push_back(step);
    std::string line(step.type());
    line.resize(13, ' ');
    left = 0;
    const std::vector<float> processed = lk::build_chain(so_far).process(logits, request);
    for (std::size_t id = 0; id < processed.size(); ++id) {
      const bool in = processed[id] > -std::numeric_limits<float>::infinity();
      line += in ? " " + std::to_string(id) : " .";
      left += in;
    }
    lines.push_back(line);
  }
  lines.push_back(std::to_string(left) + " survive");
  return lines;
}

void show_survivors() {
  std::puts("1. Six tokens, logits 3.0 2.4 2.0 1.0 0.4 -0.5; temperature 1.5, top-p 0.9, min-p 0.1\n");
  const std::vector<float> logits = {3.0f, 2.4f, 2.0f, 1.0f, 0.4f, -0.5f};
  std::vector<std::vector<std::string>> columns;
  for (const Engine& engine : engines(1.5, 0.9, 0.1)) columns.push_back(survivors(engine, logits));
  for (std::size_t line = 0; line < columns[0].size(); ++line)
    std::printf("   %-30s %-30s %s\n", columns[0][line].c_str(), columns[1].at(line).c_str(),
                columns[2].at(line).c_str());
}

/// Prints `text` in lines of at most 100 characters.
void print_wrapped(std::string_view text) {
  while (!text.empty()) {
    std::size_t end = text.size() <= 100 ? text.size() : text.substr(0, 101).rfind(' ');
    if (const std::size_t line_break = text.substr(0, end).find('\n'); line_break < end) end = line_break;
    std::printf("   %.*s\n", static_cast<int>(end), text.data());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Part 2: token by token through each order, with the same seed.
void tell_stories(examples::TextModel& model) {
  std::printf("\n2. Told by %s from one seed; temperature 1.2, top-p 0.9, min-p 0.05\n", model.name.c_str());
  for (const Engine& engine : engines(1.2, 0.9, 0.05)) {
    const lk::Pipeline pipeline = lk::build(engine.spec);
    std::vector<lk::TokenId> history = model.encode(model.opening);
    lk::Request request(history, {.seed = 2, .end_ids = {model.separator}});
    while (request.output().size() < 60 && !request.is_finished()) {
      const lk::Pick pick = pipeline.pick(model.next(history), request);
      if (!pick) throw std::runtime_error(pick.message());
      request.accept(pick);
      history.push_back(pick.token);
    }
    std::printf("\n   %s\n", engine.name);
    print_wrapped(model.decode(history) + (request.is_finished() ? "" : " ..."));
  }
}

/// The fastest of many calls, in microseconds.
template <class F>
double microseconds(F call) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 300; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

/// Part 3: the cost of choosing one token, beside that of reading the row once.
void show_cost() {
  const std::vector<float> row = synthetic::row(synthetic::kTypical, 1, 151936);
  std::puts("\n3. Choosing one of 151,936 tokens, one thread; temperature 0.7, top-p 0.9, min-p 0.05\n");
  volatile float sink = 0;
  const double read = microseconds([&] { sink = read_pass::largest(row); });
  std::printf("   reading the row once %7.1f us     (%s)\n", read, std::string(lk::name(lk::active_isa())).c_str());
  const lk::Request request({4, 2}, {.seed = 1});
  for (const Engine& engine : engines(0.7, 0.9, 0.05)) {
    const lk::Pipeline pipeline = lk::build(engine.spec);
    volatile lk::TokenId token = 0;
    const double time = microseconds([&] { token = pipeline.pick(row, request).token; });
    std::printf("   %-20s %7.1f us = %4.1f read passes\n", engine.name, time, time / read);
  }
}

int run(int argc, char** argv) {
  std::string model, tokenizer;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--model") model = argv[i + 1];
    if (std::string_view(argv[i]) == "--tokenizer") tokenizer = argv[i + 1];
  }
  if (argc != (model.empty() ? 1 : 5) || model.empty() != tokenizer.empty()) {
    std::puts("usage: demo [--model stories260K.bin --tokenizer tok512.bin]");
    return 2;
  }
  examples::TextModel text_model =
      model.empty() ? examples::train_ngrams() : examples::load_story_model(model, tokenizer);
  show_survivors();
  tell_stories(text_model);
  show_cost();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::printf("demo: %s\n", error.what());
    return 1;
  }
}
