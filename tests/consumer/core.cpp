// SPDX-License-Identifier: MIT
#include <logitkit/logitkit.hpp>
#include <vector>

namespace lk = logitkit;

int main() {
  const std::vector<lk::TokenId> prompt = {1, 2};
  const std::vector<float> logits = {0.5f, 2.0f, 3.0f, 1.0f};
  const lk::Pipeline pipeline = lk::BanTokens({2}) | lk::Temperature(0.5) | lk::TopK(1) | lk::Multinomial();
  lk::Request request(prompt, {.seed = 42});
  return pipeline.pick(logits, request).token != 1;  // 2 is banned, 1 is the best that is left
}
