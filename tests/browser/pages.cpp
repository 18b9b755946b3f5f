// SPDX-License-Identifier: MIT
// Writes one page of each kind into the folder of the first argument.
#include <fstream>
#include <logitkit/json.hpp>
#include <logitkit/json/compare_html.hpp>
#include <logitkit/json/trace_html.hpp>
#include <string>
#include <vector>

#include "support/synthetic_rows.hpp"

namespace lk = logitkit;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto write = [folder = std::string(argv[1])](const char* name, const std::string& html) {
    std::ofstream(folder + "/" + name) << html;
  };
  const std::vector<float> row = synthetic::row(synthetic::kOpen, 3, 20000);
  const lk::Request request({4, 2}, {.seed = 42});
  const auto fill = [](auto params) {
    params.temperature = 1.5;
    params.top_k = 50;
    params.top_p = 0.9;
    params.min_p = 0.1;
    return params;
  };
  lk::presets::GenerationConfig sampling;
  sampling.do_sample = true;
  const std::vector<lk::NamedSpec> specs = {
      {"Hugging Face", lk::presets::huggingface(fill(sampling))},
      {"vLLM", lk::presets::vllm(fill(lk::presets::VllmSamplingParams{}))},
      {"llama.cpp <b>", lk::presets::llama_cpp(fill(lk::presets::LlamaCppSampling{}))}};

  // Texts that a page must not take for its own.
  const auto text = [](lk::TokenId id) {
    const char* const kTexts[] = {"</script>", "<i>&\"", " the", "\xC3\xA4\xE2\x82\xAC", "\n"};
    return std::string(kTexts[id % 5]);
  };
  const lk::Pipeline pipeline =
      lk::LogitBias({{7, 1.0}}) | lk::Temperature(1.5) | lk::TopK(50) | lk::TopP(0.9) | lk::Multinomial();
  write("trace.html", lk::to_html(lk::trace(pipeline, row, request, {.text = text})));
  write("greedy.html", lk::to_html(lk::trace(lk::TopK(5) | lk::Greedy(), row, request, {.text = text})));
  write("compare.html", lk::to_html(lk::compare(specs, row, request, {.text = text})));

  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) values.push_back(i / 10.0);
  const auto vllm = [](double t) {
    lk::presets::VllmSamplingParams params;
    params.temperature = t;
    params.min_p = 0.1;
    return lk::presets::vllm(params).spec;
  };
  const auto top_p = [](double t) { return (lk::Temperature(t) | lk::TopP(0.9)).spec(); };
  write("sweep.html",
        lk::to_html(lk::sweep({{"vLLM, min-p 0.1", vllm}, {"top-p 0.9", top_p}}, "temperature", values, row)));
  return 0;
}
