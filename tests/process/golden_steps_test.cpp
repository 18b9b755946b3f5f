// SPDX-License-Identifier: MIT
// Every step and selector against what Hugging Face, vLLM and llama.cpp made of the same rows. Cases where the library
// decides otherwise are listed here with what it does.
#include "support/golden_steps.hpp"

#include <gtest/gtest.h>

namespace golden_steps_test {

using golden::Json;
namespace lk = logitkit;

/// Case -> what ours gives instead.
using Differences = std::map<std::string, std::string>;

template <class StepsOf>
int run_all(const std::string& engine, std::initializer_list<const char*> files, double tolerance,
            const Differences& differences, StepsOf steps_of) {
  int passed = 0;
  for (const char* file : files) {
    for (const Json& c : golden::cases(engine, file)) {
      const std::string name = c["name"];
      Json steps = Json::array();
      bool is_offered = true;
      for (const Json& step : c["pipeline"]) {
        const std::optional<Json> ours = steps_of(step);
        is_offered = is_offered && ours.has_value();
        if (ours) steps.insert(steps.end(), ours->begin(), ours->end());
      }
      if (!is_offered) continue;
      const auto other = differences.find(name);
      EXPECT_EQ(golden::run_case(c, steps, tolerance), other == differences.end() ? "" : other->second)
          << engine << " " << name << " " << steps.dump();
      ++passed;
    }
  }
  return passed;
}

TEST(GoldenSteps, HuggingFace) {
  const Differences differences = {
      {"top_k_with_pos_inf", "invalid_logits"},
      {"min_length_eos_outside_vocab_ignored", "id_out_of_range"},
      {"suppress_outside_vocab_ignored", "id_out_of_range"},
      {"temperature_tiny_overflows_to_inf", "step 0: temperature: temperature is 1e-37, allowed is 1e-30 to 3e+38"},
      {"top_p_one_direct_drops_underflow", "id 2 is -200.000000, not -inf"},  // top_p 1 changes nothing
      {"exp_decay_on_masked_eos_is_nan", "id 0 is -inf, not nan"},            // what is masked stays masked
  };
  EXPECT_EQ(run_all("hf", {"processors", "large_vocab"}, 2e-6, differences, golden::hf_steps), 293);
}

TEST(GoldenSteps, Vllm) {
  const auto steps_of = [](const Json& step) { return std::optional<Json>(golden::vllm_steps(step)); };
  EXPECT_EQ(run_all("vllm", {"single_steps", "pipelines", "large_vocab"}, 3e-6, {}, steps_of), 164);
}

TEST(GoldenSteps, LlamaCpp) {
  const Differences differences = {
      {"logit_bias_after_top_k_is_not_resorted", "id 1 is -inf, not 3.000000"},  // a stale flag of the engine
  };
  const auto steps_of = [](const Json& step) { return std::optional<Json>(golden::llama_cpp_steps(step)); };
  const auto files = {"chains",      "dist_sequences", "dry",          "mirostat",           "penalties",
                      "temperature", "truncation",     "vocab_151936", "vocab_151936_tokens"};
  EXPECT_EQ(run_all("llama_cpp", files, 2e-6, differences, steps_of), 309);
}

TEST(GoldenSteps, RaceOfVllm) {
  for (const Json& c : golden::cases("vllm", "sampling_race")) {
    const auto noise = c["exp_noise"].get<std::vector<float>>();
    const lk::Pipeline race = lk::ExponentialRace::with_noise(noise);
    EXPECT_EQ(race.pick(golden::row(c["logits"]), lk::Request({7}, {.seed = 1})).token, c["expect"]["token"].get<int>())
        << c["name"];
  }
}

}  // namespace golden_steps_test
