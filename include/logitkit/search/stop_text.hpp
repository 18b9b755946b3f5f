// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/core/error.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Looks for stop texts in a text that arrives in pieces (the bytes of one token after the other), also across their
/// borders, and says how much of it may be shown. A value: a copy is a fork.
///   match  the stop text that is complete first; of several at the same byte the first listed. The text is cut where
///          it begins
///   bytes  whatever they are: a cut may fall inside a character only if a stop text begins there
///   cost   O(bytes * texts), whatever repeats in them
class StopText {
 public:
  /// Throws InvalidParameter if one of the texts is empty.
  explicit StopText(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (const std::string& text : texts_) {
      if (text.empty()) detail::fail(InvalidParameter("stop text: a text is empty, allowed is at least one byte"));
      borders_.push_back(borders_of(text));
    }
    matched_.resize(texts_.size());
  }

  /// Takes the next piece; true if the text has stopped, and then nothing is taken any more.
  bool append(std::string_view bytes) {
    if (stopped_) return true;
    pieces_.push_back(size_);
    for (const char byte : bytes) {
      ++size_;
      for (std::size_t i = 0; i < texts_.size(); ++i) {
        advance(i, byte);
        if (matched_[i] < texts_[i].size() || stopped_) continue;
        stopped_ = true;
        which_ = i;
      }
      if (stopped_) break;
    }
    return stopped_;
  }

  /// Whether a stop text was found.
  bool stopped() const { return stopped_; }
  /// The index of the stop text that was found.
  std::size_t which() const { return which_; }
  /// So many of the first bytes will not become part of a stop text. Never falls; once stopped it is where the stop
  /// text begins.
  std::size_t safe() const {
    if (stopped_) return size_ - texts_[which_].size();
    return size_ - (matched_.empty() ? 0 : *std::max_element(matched_.begin(), matched_.end()));
  }
  /// How many pieces have a byte before safe(), or none at all but stand before one that has: the tokens to keep.
  std::size_t pieces() const {
    return static_cast<std::size_t>(std::lower_bound(pieces_.begin(), pieces_.end(), safe()) - pieces_.begin());
  }

 private:
  /// For every length of a match: the longest shorter one that ends at the same byte (Knuth, Morris, Pratt).
  static std::vector<std::size_t> borders_of(std::string_view text) {
    std::vector<std::size_t> borders(text.size() + 1);
    for (std::size_t i = 1, match = 0; i < text.size(); ++i) {
      while (match > 0 && text[i] != text[match]) match = borders[match];
      match += text[i] == text[match] ? 1 : 0;
      borders[i + 1] = match;
    }
    return borders;
  }
  void advance(std::size_t i, char byte) {
    std::size_t& match = matched_[i];
    while (match > 0 && texts_[i][match] != byte) match = borders_[i][match];
    match += texts_[i][match] == byte ? 1 : 0;
  }

  std::vector<std::string> texts_;
  std::vector<std::vector<std::size_t>> borders_;
  std::vector<std::size_t> matched_;  // so many first bytes of each text end the present one
  std::vector<std::size_t> pieces_;   // where each piece begins
  std::size_t size_ = 0, which_ = 0;
  bool stopped_ = false;
};

LOGITKIT_NAMESPACE_END
