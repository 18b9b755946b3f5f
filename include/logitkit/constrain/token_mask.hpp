// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

#include "logitkit/constrain/state_table.hpp"
#include "logitkit/constrain/vocabulary.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// A remembered mask: a ready bitmap (or none) and some ids to add. Never changed after it was published.
struct MaskEntry {
  std::uint32_t room = kNoLimit;  // characters left to the state's limit; kNoLimit: more than a token can tell
  const std::uint32_t* base = nullptr;
  std::span<const TokenId> ids;
  MaskEntry* next = nullptr;

  void write(std::span<std::int32_t> words, std::size_t width) const {
    const std::size_t have = std::min(words.size(), (width + 31) / 32);
    if (base != nullptr)
      std::memcpy(words.data(), base, have * 4);
    else
      std::fill_n(words.begin(), have, 0);
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(have), words.end(), 0);
    for (TokenId id : ids) {
      const auto word = static_cast<std::size_t>(id) / 32;
      if (word < have) words[word] |= static_cast<std::int32_t>(1u << (id & 31));
    }
  }
};

/// Finds the tokens whose bytes lead somewhere from `from`: f(id) for each, in the order of their bytes. `skip`: tokens
/// that begin with such a byte are left out.
template <class F>
void walk_trie(StateTable& table, const TokenTrie& trie, Place from, const std::array<bool, 256>* skip, const F& f) {
  std::array<Place, TokenTrie::kMaxTokenBytes + 1> path;
  path[0] = from;
  const std::vector<TokenTrie::Node>& nodes = trie.nodes();
  for (std::size_t i = 0; i < nodes.size();) {
    const TokenTrie::Node node = nodes[i];
    const std::uint32_t depth = node.depth();
    if (depth == 1 && skip != nullptr && (*skip)[node.byte()]) {
      i += node.size();
      continue;
    }
    const Place next = table.step(path[depth - 1], node.byte());
    if (table.is_dead(next)) {
      i += node.size();
      continue;
    }
    if (node.token() >= 0) f(node.token());
    path[depth] = next;
    ++i;
  }
}

/// Computes and remembers masks in a state table.
class TokenMasks {
 public:
  static const MaskEntry& get(StateTable& table, const VocabularyData& vocabulary, Place place) {
    const std::uint32_t room = room_of(vocabulary, place);
    for (MaskEntry* entry = place.state->masks.load(std::memory_order_acquire); entry != nullptr; entry = entry->next)
      if (entry->room == room) return *entry;
    return compute(table, vocabulary, place, room);
  }

 private:
  static constexpr std::size_t kMaxSparse =
      256;  // a list costs 4 bytes an id and 0.5 ns to write, a bitmap V / 8 bytes

  static std::uint32_t room_of(const VocabularyData& vocabulary, Place place) {
    if (!place.state->counted || place.state->limit == kNoLimit) return kNoLimit;
    const std::uint32_t room = place.state->limit - place.count;
    return room >= vocabulary.trie.max_depth() + place.state->spread ? kNoLimit : room;
  }

  // The ready part of a mask, and the walk through the tokens that it does not speak of.
  template <class F>
  static const std::uint32_t* walk(StateTable& table, const VocabularyData& vocabulary, Place place, const F& f) {
    TextClass best = TextClass::none;
    std::uint32_t room = 0;  // characters that the best one takes
    bool others = false;
    for (const State::Config& config : place.state->configs) {
      const Node& node = table.grammar().nodes[config.node];
      others = others || node.absorbs != TextClass::plain;
      const std::uint32_t each = node.absorb_limit == kNoLimit     ? kNoLimit
                                 : node.absorb_limit < place.count ? 0
                                                                   : node.absorb_limit - place.count;
      if (std::pair(node.absorbs, each) > std::pair(best, room)) best = node.absorbs, room = each;
    }
    if (best == TextClass::plain && room > 0) {
      if (room >= vocabulary.trie.max_depth()) room = TextSlices::kAll;
      // beyond the room of a bounded string only other readings could take a plain token
      if (room == TextSlices::kAll || !others) {
        walk_trie(table, vocabulary.slices.rest(), place, nullptr, f);
        return vocabulary.slices.up_to(room, f);
      }
    } else if (best != TextClass::none && best != TextClass::plain) {
      const TextSlices::Ascii& slice = vocabulary.slices.ascii(best);
      if (room >= slice.longest) {
        walk_trie(table, vocabulary.trie, place, &slice.contains, f);
        walk_trie(table, slice.mixed, place, nullptr, f);
        return slice.mask.data();
      }
    }
    walk_trie(table, vocabulary.trie, place, nullptr, f);
    return nullptr;
  }

  LOGITKIT_NOINLINE static const MaskEntry& compute(StateTable& table, const VocabularyData& vocabulary, Place place,
                                                    std::uint32_t room) {
    std::vector<TokenId> ids;
    ids.reserve(1024);
    const auto add = [&](TokenId id) { ids.push_back(id); };
    const std::uint32_t* base = walk(table, vocabulary, place, add);
    if (!vocabulary.same.empty()) add_same(vocabulary, ids);
    if (place.state->has_tokens) add_terminals(table, vocabulary, place, ids);  // tokens by id, not by their bytes
    if (place.state->accepting) ids.insert(ids.end(), vocabulary.end_ids.begin(), vocabulary.end_ids.end());

    std::lock_guard lock(table.mutex());
    for (MaskEntry* entry = place.state->masks.load(std::memory_order_relaxed); entry != nullptr; entry = entry->next)
      if (entry->room == room) return *entry;
    auto* entry = new (table.allocate(sizeof(MaskEntry))) MaskEntry;
    entry->room = room;
    entry->base = base;
    if (ids.size() > kMaxSparse) {
      const std::size_t words = (vocabulary.size() + 31) / 32;
      auto* bitmap = static_cast<std::uint32_t*>(table.allocate(words * 4));
      if (base != nullptr)
        std::memcpy(bitmap, base, words * 4);
      else
        std::fill_n(bitmap, words, 0u);
      for (TokenId id : ids) bitmap[id >> 5] |= 1u << (id & 31);
      entry->base = bitmap;
    } else {
      auto* copy = static_cast<TokenId*>(table.allocate(ids.size() * sizeof(TokenId)));
      std::copy(ids.begin(), ids.end(), copy);
      entry->ids = {copy, ids.size()};
    }
    entry->next = place.state->masks.load(std::memory_order_relaxed);
    place.state->masks.store(entry, std::memory_order_release);
    return *entry;
  }

  static void add_terminals(const StateTable& table, const VocabularyData& vocabulary, Place place,
                            std::vector<TokenId>& ids) {
    for (const State::Config& config : place.state->configs) {
      const Node& node = table.grammar().nodes[config.node];
      for (std::uint32_t e = node.first_edge; e < node.last_edge; ++e) {
        const Edge& edge = table.grammar().edges[e];
        const auto named = static_cast<TokenId>(edge.arg);
        if (edge.kind == Edge::Kind::token) ids.push_back(named);
        if (edge.kind == Edge::Kind::other_token)
          for (TokenId id = 0; id < static_cast<TokenId>(vocabulary.size()); ++id)
            if (id != named && vocabulary.matches_text(id)) ids.push_back(id);
      }
    }
  }

  static void add_same(const VocabularyData& vocabulary, std::vector<TokenId>& ids) {
    std::vector<bool> found(vocabulary.size());
    for (TokenId id : ids) found[static_cast<std::size_t>(id)] = true;
    for (const auto& [first, other] : vocabulary.same)
      if (found[static_cast<std::size_t>(first)]) ids.push_back(other);
  }
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
