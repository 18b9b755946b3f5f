// SPDX-License-Identifier: MIT
#pragma once
#include <cctype>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/core/token.hpp"

namespace examples {

/// Words and punctuation marks as tokens, numbered in the order in which a text first uses them. The line break that
/// ends a story is a token too, the separator. Capitals belong to the start of a sentence and not to the word.
class WordTokenizer {
 public:
  explicit WordTokenizer(std::string_view text) {
    for (const std::string& word : split(text))
      if (ids_.emplace(word, static_cast<logitkit::TokenId>(words_.size())).second) words_.push_back(word);
    separator_ = ids_.at("\n");
  }

  std::size_t size() const { return words_.size(); }

  const std::string& word(logitkit::TokenId id) const { return words_.at(static_cast<std::size_t>(id)); }

  /// Stands before every story, and so ends the one before it.
  logitkit::TokenId separator() const { return separator_; }

  /// Separator first. Throws std::invalid_argument naming a word that the text did not have.
  std::vector<logitkit::TokenId> encode(std::string_view text) const {
    std::vector<logitkit::TokenId> ids = {separator_};
    for (const std::string& word : split(text)) {
      const auto found = ids_.find(word);
      if (found == ids_.end()) throw std::invalid_argument("no such word: " + word);
      ids.push_back(found->second);
    }
    return ids;
  }

  /// The text of `ids`, with spaces and capitals; a separator prints nothing.
  std::string decode(std::span<const logitkit::TokenId> ids) const {
    std::string text;
    bool new_sentence = true;
    for (logitkit::TokenId id : ids) {
      if (id == separator_) continue;
      std::string next = word(id);
      if (!is_mark(next[0]) && !text.empty()) text += ' ';
      if (new_sentence) next[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(next[0])));
      text += next;
      new_sentence = next == ".";
    }
    return text;
  }

 private:
  static bool is_mark(char c) { return c == '.' || c == ','; }

  static std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> words;
    bool new_word = true;
    for (char c : text) {
      if (c == ' ' || c == '\n' || is_mark(c)) {
        if (c != ' ') words.emplace_back(1, c);
        new_word = true;
        continue;
      }
      if (new_word) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      new_word = false;
    }
    return words;
  }

  std::vector<std::string> words_;
  std::map<std::string, logitkit::TokenId, std::less<>> ids_;
  logitkit::TokenId separator_;
};

}  // namespace examples
