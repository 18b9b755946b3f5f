// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/token_trie.hpp"
#include "logitkit/constrain/utf8.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Most tokens hold nothing but whole characters that may stand unescaped in a JSON string. Inside a string all of them
/// are allowed at once (as far as a length bound lets them), so they are kept as ready bitmasks by number of
/// characters; only the rest of the vocabulary, a trie of a few thousand tokens, is walked.
class TextSlices {
 public:
  static constexpr std::uint32_t kAll = 0xFFFFFFFF;

  TextSlices() = default;

  template <class Bytes>
  TextSlices(const std::vector<TokenId>& ids, const Bytes& bytes, std::size_t width) : words_((width + 31) / 32) {
    masks_.resize((kSteps + 1) * words_);
    std::vector<TokenId> rest;
    for (TokenId id : ids) {
      const std::uint32_t length = plain_length(bytes(id));
      if (length == 0) {
        rest.push_back(id);
        continue;
      }
      if (length > kSteps) long_.emplace_back(length, id);
      set(masks_.data() + (std::min(length, kSteps + 1) - 1) * words_, id);
    }
    for (std::size_t i = words_; i < masks_.size(); ++i) masks_[i] |= masks_[i - words_];
    std::sort(long_.begin(), long_.end());
    std::vector<std::pair<TokenId, TokenId>> same;
    rest_ = TokenTrie(rest, bytes, same);
  }

  /// The plain tokens of at most `characters` (>= 1) characters: a ready mask, and f(id) for those that are longer than
  /// the masks count.
  template <class F>
  const std::uint32_t* up_to(std::uint32_t characters, const F& f) const {
    if (characters == kAll) return masks_.data() + kSteps * words_;
    for (const auto& [length, id] : long_) {
      if (length > characters) break;
      f(id);
    }
    return masks_.data() + (std::min(characters, kSteps) - 1) * words_;
  }
  /// All tokens that are not plain.
  const TokenTrie& rest() const { return rest_; }

  /// Characters of a text that is plain, else 0.
  static std::uint32_t plain_length(std::string_view text) {
    std::uint32_t length = 0;
    for (std::size_t pos = 0; pos < text.size(); ++length) {
      const char32_t c = next_code_point(text, pos);
      if (c == kNoCodePoint || !is_plain(c)) return 0;
    }
    return length;
  }
  static bool is_plain(char32_t c) { return c >= 0x20 && c != '"' && c != '\\'; }

 private:
  static constexpr std::uint32_t kSteps = 32;

  static void set(std::uint32_t* mask, TokenId id) { mask[id >> 5] |= 1u << (id & 31); }

  std::size_t words_ = 0;
  std::vector<std::uint32_t> masks_;  // row i: at most i + 1 characters; the last row: all
  std::vector<std::pair<std::uint32_t, TokenId>> long_;
  TokenTrie rest_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
