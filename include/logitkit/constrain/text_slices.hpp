// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/token_trie.hpp"
#include "logitkit/constrain/utf8.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Classes of characters, each within the next, that many states of grammars loop on: a-z (identifiers), letters and
/// digits, what a URI has between % ? and #, and all that may stand unescaped in a JSON string.
enum class TextClass : std::uint8_t { none, lower, alphanumeric, uri, plain };

inline CodePointSet characters(TextClass text_class) {
  CodePointSet set;
  if (text_class >= TextClass::lower) set.add('a', 'z');
  if (text_class >= TextClass::alphanumeric) set.add({{'0', '9'}, {'A', 'Z'}});
  if (text_class >= TextClass::uri)
    for (char c : std::string_view("-._~!$&'()*+,;=:@/")) set.add(static_cast<char32_t>(c), static_cast<char32_t>(c));
  if (text_class == TextClass::plain) return {{0x20, '"' - 1}, {'"' + 1, '\\' - 1}, {'\\' + 1, kMaxCodePoint}};
  return set;
}

/// In a state that loops on a class all tokens of that class are allowed at once, so they are kept as ready bitmasks;
/// only the other tokens are walked. For plain text, where most tokens are and where lengths are bounded, there is a
/// mask per number of characters.
class TextSlices {
 public:
  static constexpr std::uint32_t kAll = 0xFFFFFFFF;

  /// The tokens of an ASCII class.
  struct Ascii {
    std::vector<std::uint32_t> mask;
    std::uint32_t longest = 0;         // characters
    std::array<bool, 256> contains{};  // tokens that begin with another byte are found in the whole trie,
    TokenTrie mixed;                   // tokens that begin in the class and leave it, here
  };

  TextSlices() = default;

  template <class Bytes>
  TextSlices(const std::vector<TokenId>& ids, const Bytes& bytes, std::size_t width) : words_((width + 31) / 32) {
    masks_.resize((kSteps + 1) * words_);
    std::array<TextClass, 128> class_of{};
    for (std::size_t i = 0; i < ascii_.size(); ++i) {
      ascii_[i].mask.resize(words_);
      const CodePointSet set = characters(ascii_class(i));
      for (std::size_t c = 0; c < 128; ++c) {
        ascii_[i].contains[c] = set.contains(static_cast<char32_t>(c));
        if (ascii_[i].contains[c] && class_of[c] == TextClass::none) class_of[c] = ascii_class(i);
      }
    }
    std::vector<TokenId> rest;
    std::array<std::vector<TokenId>, 3> mixed;
    for (TokenId id : ids) {
      const std::string_view text = bytes(id);
      const std::uint32_t length = plain_length(text);
      if (length == 0) {
        rest.push_back(id);
      } else {
        if (length > kSteps) long_.emplace_back(length, id);
        set(masks_.data() + (std::min(length, kSteps + 1) - 1) * words_, id);
      }
      TextClass widest = TextClass::lower;  // the smallest class that has all characters
      for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const TextClass each = byte < 128 ? class_of[byte] : TextClass::none;
        widest = each == TextClass::none ? TextClass::plain : std::max(widest, each);
      }
      for (std::size_t i = 0; i < ascii_.size(); ++i) {
        if (widest <= ascii_class(i)) {
          set(ascii_[i].mask.data(), id);
          ascii_[i].longest = std::max(ascii_[i].longest, length);
        } else if (ascii_[i].contains[static_cast<unsigned char>(text[0])]) {
          mixed[i].push_back(id);
        }
      }
    }
    for (std::size_t i = words_; i < masks_.size(); ++i) masks_[i] |= masks_[i - words_];
    std::sort(long_.begin(), long_.end());
    std::vector<std::pair<TokenId, TokenId>> same;
    rest_ = TokenTrie(rest, bytes, same);
    for (std::size_t i = 0; i < ascii_.size(); ++i) ascii_[i].mixed = TokenTrie(mixed[i], bytes, same);
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
  /// Of `lower`, `alphanumeric` or `uri`.
  const Ascii& ascii(TextClass text_class) const { return ascii_[static_cast<std::size_t>(text_class) - 1]; }

  /// Characters of a text that is plain, else 0.
  static std::uint32_t plain_length(std::string_view text) {
    std::uint32_t length = 0;
    for (std::size_t pos = 0; pos < text.size(); ++length) {
      const char32_t c = next_code_point(text, pos);
      if (c == kNoCodePoint || c < 0x20 || c == '"' || c == '\\') return 0;
    }
    return length;
  }

 private:
  static constexpr std::uint32_t kSteps = 32;

  static TextClass ascii_class(std::size_t i) { return static_cast<TextClass>(i + 1); }
  static void set(std::uint32_t* mask, TokenId id) { mask[id >> 5] |= 1u << (id & 31); }

  std::size_t words_ = 0;
  std::vector<std::uint32_t> masks_;  // row i: at most i + 1 characters; the last row: all
  std::vector<std::pair<std::uint32_t, TokenId>> long_;
  TokenTrie rest_;
  std::array<Ascii, 3> ascii_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
