// SPDX-License-Identifier: MIT
#include <logitkit/core/token.hpp>
#include <logitkit/numeric/argmax.hpp>
#include <vector>

int main() {
  const std::vector<float> logits = {0.5f, 2.0f, 3.0f, 1.0f};
  return logitkit::argmax(logits) != 2;
}
