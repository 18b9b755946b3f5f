// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus.hpp"
#include "ngram_model.hpp"
#include "story_model.hpp"
#include "story_tokenizer.hpp"
#include "word_tokenizer.hpp"

namespace examples {

/// A model with its tokenizer, as a program that writes text sees it.
struct TextModel {
  std::string name;
  std::string opening;          ///< a text that the model knows how to continue
  logitkit::TokenId separator;  ///< stands before every story, so it ends one too
  std::function<std::vector<logitkit::TokenId>(std::string_view)> encode;
  std::function<std::string(std::span<const logitkit::TokenId>)> decode;
  /// Logits of the token after `history`, which is not empty; cheap where it begins as the last call's did.
  std::function<std::vector<float>(std::span<const logitkit::TokenId> history)> next;
};

/// N-grams, trained here and now on the stories of corpus.hpp.
inline TextModel train_ngrams() {
  const auto tokenizer = std::make_shared<WordTokenizer>(kCorpus);
  const auto model = std::make_shared<NgramModel>(tokenizer->encode(kCorpus), tokenizer->size());
  return {
      "n-grams",
      "The old fisherman",
      tokenizer->separator(),
      [=](std::string_view text) { return tokenizer->encode(text); },
      [=](std::span<const logitkit::TokenId> ids) { return tokenizer->decode(ids); },
      [=](std::span<const logitkit::TokenId> history) { return model->row(history); },
  };
}

/// The transformer in `model_path`, with its tokenizer.
inline TextModel load_story_model(const std::string& model_path, const std::string& tokenizer_path) {
  const auto tokenizer = std::make_shared<StoryTokenizer>(tokenizer_path);
  const auto model = std::make_shared<StoryModel>(model_path);
  return {
      model_path,
      "Once upon a time",
      StoryTokenizer::kSeparator,
      [=](std::string_view text) { return tokenizer->encode(text); },
      [=](std::span<const logitkit::TokenId> ids) { return tokenizer->decode(ids); },
      [=, fed = std::vector<logitkit::TokenId>{}](std::span<const logitkit::TokenId> history) mutable {
        // What is the same as before need not be computed again, up to the last token, whose logits are wanted.
        const auto same = std::mismatch(fed.begin(), fed.end(), history.begin(), history.end() - 1).first;
        fed.erase(same, fed.end());
        model->rewind(fed.size());
        std::span<const float> logits;
        for (logitkit::TokenId token : history.subspan(fed.size())) {
          logits = model->forward(token);
          fed.push_back(token);
        }
        return std::vector<float>(logits.begin(), logits.end());
      },
  };
}

}  // namespace examples
