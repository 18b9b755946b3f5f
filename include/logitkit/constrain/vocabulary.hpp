// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/text_slices.hpp"
#include "logitkit/constrain/token_trie.hpp"
#include "logitkit/core/error.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How the ids of a vocabulary are meant.
struct VocabularyOptions {
  std::int64_t size = 0;                  ///< width of the logits row; 0 = as many as there are tokens
  std::vector<TokenId> special_ids = {};  ///< never match text; their bytes, if given, are their names
  std::vector<TokenId> end_ids =
      {};  ///< end the sequence; all of them are allowed exactly when the constraint is complete
};

namespace detail {

struct VocabularyData {
  std::string bytes;                   // all tokens, one after the other
  std::vector<std::uint32_t> offsets;  // size + 1
  std::vector<bool> special;
  std::vector<TokenId> special_ids, end_ids;  // sorted; special_ids includes end_ids
  TokenTrie trie;
  TextSlices slices;
  std::vector<std::pair<TokenId, TokenId>> same;  // (id in the trie, another id with the same bytes), sorted
  std::array<bool, 256> has_byte{};

  std::size_t size() const { return special.size(); }
  std::string_view text(TokenId id) const {
    const auto i = static_cast<std::size_t>(id);
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  bool matches_text(TokenId id) const {
    const std::size_t length = text(id).size();
    return !special[static_cast<std::size_t>(id)] && length > 0 && length <= TokenTrie::kMaxTokenBytes;
  }
};

}  // namespace detail

/// The tokens as byte strings, with what constraints need of them: a byte trie and slices of plain text. Set up once
/// (about 40 ms and 5 MB for 152,000 tokens), immutable, cheap to copy, shared by threads.
///
/// A token is bytes, not text: many are not valid UTF-8 alone. Byte-level spellings (`Ġ` for a space) must be undone
/// first, see `undo_byte_level_spelling`. Empty tokens, ids past the last token and tokens over 255 bytes never match;
/// several ids may share one byte string.
class Vocabulary {
 public:
  /// `tokens[id]` are the bytes of `id`. Throws InvalidParameter for an id outside the width.
  explicit Vocabulary(std::span<const std::string> tokens, const VocabularyOptions& options = {})
      : data_(std::make_shared<const detail::VocabularyData>(prepare(tokens, options))) {}
  explicit Vocabulary(const std::vector<std::string>& tokens, const VocabularyOptions& options = {})
      : Vocabulary(std::span<const std::string>(tokens), options) {}

  /// Width of the logits row, V.
  std::size_t size() const { return data_->size(); }
  /// Words of a bitmask row: ceil(V / 32).
  std::size_t mask_words() const { return (size() + 31) / 32; }
  /// The bytes of a token; the name of a special one; empty for an id outside 0..V-1.
  std::string_view bytes(TokenId id) const {
    return id >= 0 && static_cast<std::size_t>(id) < size() ? data_->text(id) : std::string_view();
  }
  bool is_special(TokenId id) const {
    return id >= 0 && static_cast<std::size_t>(id) < size() && data_->special[static_cast<std::size_t>(id)];
  }
  /// Ascending.
  const std::vector<TokenId>& end_ids() const { return data_->end_ids; }

  /// The bytes that no token contains, ascending. A constraint that needs one of them cannot be compiled, one that
  /// could use it goes without. While every byte that occurs in a token is also a token by itself, a constraint never
  /// runs into a dead end.
  std::string missing_bytes() const {
    std::string missing;
    for (std::size_t b = 0; b < 256; ++b)
      if (!data_->has_byte[b]) missing.push_back(static_cast<char>(static_cast<unsigned char>(b)));
    return missing;
  }

  /// The special token of that name, kNoToken if there is none.
  TokenId find_special(std::string_view name) const {
    for (TokenId id : data_->special_ids)
      if (!name.empty() && data_->text(id) == name) return id;
    return kNoToken;
  }
  /// The lowest token with exactly these bytes, ordinary ones first, then special names; kNoToken if there is none.
  /// O(V).
  TokenId find(std::string_view text) const {
    if (!text.empty())
      for (TokenId id = 0; id < static_cast<TokenId>(size()); ++id)
        if (!data_->special[static_cast<std::size_t>(id)] && data_->text(id) == text) return id;
    return find_special(text);
  }

  const std::shared_ptr<const detail::VocabularyData>& data() const { return data_; }

 private:
  static detail::VocabularyData prepare(std::span<const std::string> tokens, const VocabularyOptions& options) {
    constexpr std::int64_t kMaxSize = (1 << 24) - 2;  // the trie keeps ids in 24 bits
    const std::int64_t given = static_cast<std::int64_t>(tokens.size());
    const std::int64_t size = options.size == 0 ? given : options.size;
    if (size <= 0 || size < given || size > kMaxSize)
      detail::fail(InvalidParameter("size = " + std::to_string(size) + ": must be at least the number of tokens (" +
                                    std::to_string(given) + "), at least 1 and at most " + std::to_string(kMaxSize)));
    detail::VocabularyData data;
    data.special.resize(static_cast<std::size_t>(size));
    const auto mark = [&](const std::vector<TokenId>& ids, const char* name) {
      for (TokenId id : ids) {
        if (id < 0 || id >= size)
          detail::fail(InvalidParameter(std::string(name) + " has " + std::to_string(id) + ": must be in [0, " +
                                        std::to_string(size) + ")"));
        data.special[static_cast<std::size_t>(id)] = true;
      }
    };
    mark(options.special_ids, "special_ids");
    mark(options.end_ids, "end_ids");
    data.end_ids = options.end_ids;
    std::sort(data.end_ids.begin(), data.end_ids.end());
    data.end_ids.erase(std::unique(data.end_ids.begin(), data.end_ids.end()), data.end_ids.end());

    std::size_t total = 0;
    for (const std::string& token : tokens) total += token.size();
    data.bytes.reserve(total);
    data.offsets.reserve(static_cast<std::size_t>(size) + 1);
    for (const std::string& token : tokens) {
      data.offsets.push_back(static_cast<std::uint32_t>(data.bytes.size()));
      data.bytes += token;
    }
    data.offsets.resize(static_cast<std::size_t>(size) + 1, static_cast<std::uint32_t>(data.bytes.size()));

    std::vector<TokenId> ids;
    ids.reserve(static_cast<std::size_t>(size));
    for (TokenId id = 0; id < size; ++id) {
      if (data.special[static_cast<std::size_t>(id)]) data.special_ids.push_back(id);
      if (!data.matches_text(id)) continue;
      ids.push_back(id);
      for (char c : data.text(id)) data.has_byte[static_cast<unsigned char>(c)] = true;
    }
    const auto text = [&](TokenId id) { return data.text(id); };
    data.trie = detail::TokenTrie(ids, text, data.same);
    data.slices = detail::TextSlices(ids, text, data.size());
    return data;
  }

  std::shared_ptr<const detail::VocabularyData> data_;
};

LOGITKIT_NAMESPACE_END
