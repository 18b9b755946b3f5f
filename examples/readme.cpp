// SPDX-License-Identifier: MIT
// The program of README.md.
#include <cmath>
#include <cstdio>
#include <logitkit/logitkit.hpp>
#include <vector>

namespace lk = logitkit;

int main() {
  const std::vector<float> logits = {3.0f, 2.4f, 2.0f, 1.0f, 0.4f, -0.5f};  // a row of your model
  lk::presets::VllmSamplingParams params;                                   // vLLM's own names, defaults and order
  params.temperature = 1.5;
  params.top_p = 0.9;
  params.min_p = 0.1;
  const lk::Spec spec = lk::presets::vllm(params);  // plain data: print it, edit it, keep it as JSON
  const lk::Pipeline pipeline = lk::build(spec);
  lk::Request request({4, 2}, {.seed = 42});  // the prompt, and all that the draws depend on

  const lk::Pick pick = pipeline.pick(logits, request, {.logprob = true});
  if (!pick) return std::puts(pick.message().c_str());
  request.accept(pick);
  std::printf("%stoken %d, probability %.3f, rank %zu of %zu left\n", lk::describe(spec).c_str(), pick.token,
              std::exp(pick.logprob), pick.rank, pick.survivors);
}
