// SPDX-License-Identifier: MIT
// n samples of one prompt: Request::fork(stream).
#include <gtest/gtest.h>

#include <set>

#include "logitkit/logitkit.hpp"

namespace samples_test {

namespace lk = logitkit;
using Ids = std::vector<lk::TokenId>;

Ids sample(lk::Request request) {
  const std::vector<float> row(200, 1.0f);
  const lk::Pipeline pipeline = lk::Temperature(0.9) | lk::Multinomial();
  for (int i = 0; i < 8; ++i) request.accept(pipeline.pick(row, request));
  return {request.output().begin(), request.output().end()};
}

TEST(Samples, OfAPromptAreDistinctAndReproducible) {
  const lk::Request request({4, 2}, {.seed = 9});
  std::set<Ids> distinct;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Ids tokens = sample(request.fork(i));
    EXPECT_EQ(tokens, sample(lk::Request({4, 2}, {.seed = 9, .stream = i})));  // the number of siblings does not matter
    distinct.insert(tokens);
  }
  EXPECT_EQ(distinct.size(), 50u);
  EXPECT_EQ(sample(request.fork()), sample(request.fork(0)));
}

TEST(Samples, ShareThePromptsState) {
  const lk::Request request(Ids(1000, 3), {.seed = 9});
  lk::Request a = request.fork(1), b = request.fork(2);
  EXPECT_EQ(a.prompt().data(), b.prompt().data());
  EXPECT_EQ(&a.prompt_counts(), &b.prompt_counts());
  a.accept(5);
  EXPECT_TRUE(b.output().empty());
  EXPECT_EQ(b.output_counts().count(5), 0u);
}

TEST(Samples, MayPartLater) {
  lk::Request request({4, 2}, {.seed = 9});
  request.accept(7);
  lk::Request a = request.fork(1), b = request.fork(2);
  EXPECT_EQ(a.output()[0], 7);
  EXPECT_NE(sample(a), sample(b));
}

}  // namespace samples_test
