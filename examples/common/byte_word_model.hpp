// SPDX-License-Identifier: MIT
#pragma once
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "logitkit/constrain/vocabulary.hpp"
#include "ngram_model.hpp"
#include "word_tokenizer.hpp"

namespace examples {

/// The n-gram model over a vocabulary like that of a real model: every byte is a token, so any text can be spelled, and
/// so are the words of the stories with a blank before them. The model knows words only; bytes are unlikely, letters
/// less so than the rest.
class ByteWordModel {
 public:
  ByteWordModel() : tokenizer_(kCorpus), ngrams_(tokenizer_.encode(kCorpus), tokenizer_.size()) {}

  logitkit::TokenId end_id() const { return kBytes + tokenizer_.separator(); }
  logitkit::Vocabulary vocabulary() const {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < kBytes; ++byte) tokens.push_back(std::string(1, static_cast<char>(byte)));
    for (std::size_t id = 0; id < tokenizer_.size(); ++id)
      tokens.push_back(' ' + tokenizer_.word(static_cast<logitkit::TokenId>(id)));
    return logitkit::Vocabulary(tokens, {.end_ids = {end_id()}});
  }

  /// Logits of the token after `output`.
  std::vector<float> row(std::span<const logitkit::TokenId> output) const {
    std::vector<logitkit::TokenId> words{tokenizer_.separator()};
    for (logitkit::TokenId id : output)
      if (id >= kBytes) words.push_back(id - kBytes);
    std::vector<float> row;
    for (int byte = 0; byte < kBytes; ++byte) row.push_back(byte >= 'a' && byte <= 'z' ? -6.0f : -8.0f);
    const std::vector<float> known = ngrams_.row(words);
    row.insert(row.end(), known.begin(), known.end());
    return row;
  }

 private:
  static constexpr logitkit::TokenId kBytes = 256;
  WordTokenizer tokenizer_;
  NgramModel ngrams_;
};

}  // namespace examples
