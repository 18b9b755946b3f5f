// SPDX-License-Identifier: MIT
// How many of 151,936 tokens top-k, top-p and min-p keep at three temperatures, on a peaked row and on a flat one:
// top-k keeps as many whatever the model knows, top-p explodes where it knows little, min-p follows the best token.
#include <cstdio>
#include <logitkit/logitkit.hpp>
#include <string>
#include <vector>

#include "../tests/support/synthetic_rows.hpp"

namespace lk = logitkit;

int main() {
  const std::vector<double> temperatures = {0.7, 1.0, 1.5};
  const auto after = [](const lk::Step& truncation) {
    return [truncation](double t) { return (lk::Temperature(t) | truncation).spec(); };
  };
  for (const synthetic::Profile& profile : {synthetic::kPeaked, synthetic::kFlat}) {
    const std::vector<float> row = synthetic::row(profile, 1, 151936);
    const lk::Sweep sweep = lk::sweep(
        {{"top-k 50", after(lk::TopK(50))}, {"top-p 0.9", after(lk::TopP(0.9))}, {"min-p 0.1", after(lk::MinP(0.1))}},
        "temperature", temperatures, row);
    std::printf("%s row\n%s\n", std::string(profile.name).c_str(), lk::describe(sweep).c_str());
  }
  return 0;
}
