// SPDX-License-Identifier: MIT
// Real next-word rows, with their massive ties, through every preset: what the library plans equals the plain program.
#include <gtest/gtest.h>

#include <fstream>

#include "property/planned_equals_plain.hpp"
#include "support/data_folder.hpp"

namespace real_rows_test {

namespace lk = logitkit;
constexpr std::size_t kRows = 24, kWidth = 72547;

std::vector<lk::Decoding> decodings() {
  std::vector<lk::Decoding> list;
  lk::presets::GenerationConfig hf;
  hf.repetition_penalty = 1.2;
  list.push_back(lk::presets::huggingface(hf));
  hf.do_sample = true;
  hf.temperature = 1.5;
  hf.top_p = 0.95;
  list.push_back(lk::presets::huggingface(hf));
  hf.top_k = 0;
  hf.min_p = 0.001;
  hf.typical_p = 0.9;
  hf.renormalize_logits = true;
  list.push_back(lk::presets::huggingface(hf));

  lk::presets::VllmSamplingParams vllm;
  vllm.frequency_penalty = 0.4;
  vllm.presence_penalty = 0.3;
  vllm.repetition_penalty = 1.2;
  vllm.logit_bias = {{65038, 2.5}, {2245, -100}};
  vllm.temperature = 0;
  list.push_back(lk::presets::vllm(vllm));
  vllm.temperature = 1.3;
  vllm.top_k = 5000;
  vllm.top_p = 0.97;
  vllm.min_p = 0.0001;
  list.push_back(lk::presets::vllm(vllm));
  vllm.top_k = 0;
  vllm.min_p = 0;
  list.push_back(lk::presets::vllm(vllm));

  lk::presets::LlamaCppSampling llama;
  list.push_back(lk::presets::llama_cpp(llama));
  llama.seed = 42;
  llama.repeat_penalty = 1.1;
  llama.repeat_last_n = 8;
  llama.frequency_penalty = 0.2;
  llama.dry_multiplier = 0.8;
  llama.xtc_probability = 0.5;
  llama.top_n_sigma = 2;
  llama.typical_p = 0.9;
  list.push_back(lk::presets::llama_cpp(llama));
  llama.mirostat = 2;
  list.push_back(lk::presets::llama_cpp(llama));
  return list;
}

TEST(RealRows, EqualThePlainProgramInEveryPreset) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: " << kRows << " real rows are not checked";
  std::ifstream file(*folder + "/real_logits_en_trigram.bin", std::ios::binary);
  for (std::size_t i = 0; i < kRows; ++i) {
    random_case::Case c;
    c.row.resize(kWidth);
    file.read(reinterpret_cast<char*>(c.row.data()), kWidth * sizeof(float));
    ASSERT_TRUE(file);
    c.request = lk::Request({7, 65007, 72121, 65038, 2245, 65038}, {.seed = i});
    for (const lk::TokenId id : {72121, 65038, 2245, 72121}) c.request.accept(id);
    c.logprob = true;
    c.tokens = 2;
    const std::vector<lk::Decoding> all = decodings();
    for (std::size_t j = i % 3; j < all.size(); j += 3) {  // a third of them for each row: the plain program sorts
      c.steps = all[j].spec.steps;
      c.selector = c.steps.back();
      c.steps.pop_back();
      EXPECT_EQ(planned_differs_from_plain(c), std::nullopt) << "row " << i << "\n" << lk::describe(all[j]);
    }
  }
}

}  // namespace real_rows_test
