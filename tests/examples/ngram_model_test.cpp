// SPDX-License-Identifier: MIT
#include "../../examples/common/ngram_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../examples/common/corpus.hpp"
#include "../../examples/common/word_tokenizer.hpp"

namespace ngram_model_test {

using Ids = std::vector<logitkit::TokenId>;

TEST(WordTokenizer, TextComesBackWithItsCapitalsAndWithoutItsLineBreaks) {
  const examples::WordTokenizer tokenizer("A dog, a cat.\nThe dog sang.\n");
  EXPECT_EQ(tokenizer.size(), 8u);  // a dog , cat . \n the sang
  EXPECT_EQ(tokenizer.separator(), 5);
  const Ids ids = tokenizer.encode("The cat, a dog.");
  EXPECT_EQ(ids, (Ids{5, 6, 3, 2, 0, 1, 4}));
  EXPECT_EQ(tokenizer.decode(ids), "The cat, a dog.");
  EXPECT_THROW(tokenizer.encode("The bird sang."), std::invalid_argument);
}

TEST(WordTokenizer, TheCorpusComesBack) {
  const examples::WordTokenizer tokenizer(examples::kCorpus);
  std::string expected(examples::kCorpus);
  expected.pop_back();
  for (char& c : expected) c = c == '\n' ? ' ' : c;
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(examples::kCorpus)), expected);
}

TEST(NgramModel, BacksOffFromWhatItCounted) {
  const examples::NgramModel model(Ids{2, 1, 2, 3}, 4);
  const auto p = [&](const Ids& history, std::size_t id) { return std::exp(model.row(history)[id]); };
  // Three distinct tokens in four, so a quarter each of three observations lets the uniform 1/4 in:
  // (count + 0.75 / 4) / 4.75.
  EXPECT_NEAR(p({}, 2), 2.1875 / 4.75, 1e-6);
  EXPECT_NEAR(p({}, 3), 0.25, 1e-6);
  EXPECT_NEAR(p({}, 0), 0.1875 / 4.75, 1e-6);
  // A token that never had a follower says nothing.
  EXPECT_EQ(model.row(Ids{0}), model.row({}));
  // 2 was followed once by 1 and once by 3: (1 + 0.5 * 0.25) / 2.5.
  EXPECT_NEAR(p({0, 2}, 3), 0.45, 1e-6);
  // And 1, 2 only by 3: (1 + 0.25 * 0.45) / 1.25.
  EXPECT_NEAR(p({0, 1, 2}, 3), 0.89, 1e-6);
}

TEST(NgramModel, EveryRowIsADistribution) {
  const examples::WordTokenizer tokenizer(examples::kCorpus);
  const Ids text = tokenizer.encode(examples::kCorpus);
  const examples::NgramModel model(text, tokenizer.size());
  for (std::size_t length = 0; length < text.size(); length += 7) {
    double sum = 0;
    for (float logit : model.row(std::span(text).first(length))) sum += std::exp(static_cast<double>(logit));
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

}  // namespace ngram_model_test
