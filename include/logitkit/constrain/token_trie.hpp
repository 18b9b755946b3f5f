// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// The byte strings of a vocabulary as one flat trie in depth-first order: a walk reads it front to back and skips a
/// sub-tree by adding its size. Eight bytes a node.
class TokenTrie {
 public:
  static constexpr std::size_t kMaxTokenBytes = 255;  // the depth has 8 bits

  struct Node {
    std::uint32_t token_byte;  // token + 1 (0 = none) in the upper 24 bits, the byte that leads here in the lower 8
    std::uint32_t
        size_depth;  // nodes of the sub-tree, itself included, in the upper 24 bits, the depth (from 1) in the lower 8

    TokenId token() const { return static_cast<TokenId>(token_byte >> 8) - 1; }
    std::uint8_t byte() const { return static_cast<std::uint8_t>(token_byte); }
    std::uint32_t size() const { return size_depth >> 8; }
    std::uint32_t depth() const { return size_depth & 255; }
  };

  TokenTrie() = default;

  /// `bytes(id)` gives the text of each of `ids`. Of ids with the same text the first stands in the trie, the others go
  /// to `same`.
  template <class Bytes>
  TokenTrie(const std::vector<TokenId>& ids, const Bytes& bytes, std::vector<std::pair<TokenId, TokenId>>& same) {
    std::string_view previous;
    std::vector<std::uint32_t> path;  // nodes on the way to the previous token
    const auto close = [&](std::size_t depth) {
      for (; path.size() > depth; path.pop_back()) {
        const auto size = static_cast<std::uint32_t>(nodes_.size()) - path.back();
        nodes_[path.back()].size_depth |= size << 8;
      }
    };
    for (TokenId id : sorted(ids, bytes)) {
      const std::string_view text = bytes(id);
      if (text == previous) {
        same.emplace_back(nodes_.back().token(), id);
        continue;
      }
      const auto common = static_cast<std::size_t>(
          std::mismatch(text.begin(), text.end(), previous.begin(), previous.end()).first - text.begin());
      close(common);
      for (std::size_t d = common; d < text.size(); ++d) {
        path.push_back(static_cast<std::uint32_t>(nodes_.size()));
        nodes_.push_back({static_cast<std::uint8_t>(text[d]), static_cast<std::uint32_t>(d + 1)});
      }
      nodes_.back().token_byte |= static_cast<std::uint32_t>(id + 1) << 8;
      max_depth_ = std::max(max_depth_, text.size());
      previous = text;
    }
    close(0);
    nodes_.shrink_to_fit();
  }

  /// Some token begins with `text` and is longer.
  bool continues(std::string_view text) const {
    std::size_t at = 0, end = nodes_.size();
    for (char c : text) {
      while (at < end && nodes_[at].byte() != static_cast<std::uint8_t>(c)) at += nodes_[at].size();
      if (at >= end) return false;
      end = at + nodes_[at].size();
      ++at;
    }
    return at < end;
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  std::size_t max_depth() const { return max_depth_; }

 private:
  // most comparisons end in the first eight bytes, so these are kept beside the id
  template <class Bytes>
  static std::vector<TokenId> sorted(const std::vector<TokenId>& ids, const Bytes& bytes) {
    std::vector<std::pair<std::uint64_t, TokenId>> keys;
    keys.reserve(ids.size());
    for (TokenId id : ids) {
      const std::string_view text = bytes(id);
      std::uint64_t key = 0;
      for (std::size_t i = 0; i < 8; ++i) key = key << 8 | (i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0u);
      keys.emplace_back(key, id);
    }
    std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      const int order = bytes(a.second).compare(bytes(b.second));
      return order != 0 ? order < 0 : a.second < b.second;
    });
    std::vector<TokenId> out;
    out.reserve(keys.size());
    for (const auto& key : keys) out.push_back(key.second);
    return out;
  }

  std::vector<Node> nodes_;
  std::size_t max_depth_ = 0;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
