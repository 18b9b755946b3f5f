// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include "logitkit/constrain/vocabulary.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How many of the bytes that must come next can safely be cut into tokens now. The tail that a longer token could span
/// is held back: with tokens `order` and `orderId`, forcing `order` would take `orderId` away from the model. Cost: a
/// few hundred trie steps.
inline std::size_t safe_to_force(const Vocabulary& vocabulary, std::string_view forced) {
  const detail::TokenTrie& trie = vocabulary.data()->trie;
  const std::size_t first = forced.size() - std::min(forced.size(), trie.max_depth());
  for (std::size_t i = first; i < forced.size(); ++i)
    if (trie.continues(forced.substr(i))) return i;
  return forced.size();
}

/// The tokens that `Matcher::forced_bytes` stand for, without the held back tail; to be forced with PrefixForce or
/// accepted one by one. `tokenize(bytes)` is the engine's own tokenizer and returns a vector of ids: only it knows how
/// a text is cut.
template <class Tokenize>
std::vector<TokenId> forced_tokens(const Vocabulary& vocabulary, std::string_view forced, const Tokenize& tokenize) {
  const std::size_t safe = safe_to_force(vocabulary, forced);
  std::vector<TokenId> tokens;
  std::size_t end = 0;
  for (const auto id : tokenize(forced)) {
    end += vocabulary.bytes(static_cast<TokenId>(id)).size();
    if (end > safe) break;
    tokens.push_back(static_cast<TokenId>(id));
  }
  return tokens;
}

LOGITKIT_NAMESPACE_END
