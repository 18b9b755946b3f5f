// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "logitkit/core/token_counts.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// "There is none": larger than every position.
inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

/// For every position of a sequence the one before it that holds the same token, and for every token its last
/// position. `base` is the index of what comes before the sequence (the prompt's, for the output), or null.
class PositionLinks {
 public:
  /// Links ids[linked...]; `counts` are theirs, which give every token a place.
  void extend(std::span<const TokenId> ids, const TokenCounts& counts, const PositionLinks* base,
              const TokenCounts* base_counts, std::size_t offset) {
    for (std::size_t i = previous_.size(); i < ids.size(); ++i) {
      const std::size_t place = counts.place(ids[i]);
      if (place >= last_.size()) last_.resize(counts.ids().size(), kNowhere);
      std::uint32_t& last = last_[place];
      previous_.push_back(last != kNowhere || base == nullptr ? last : base->last(ids[i], *base_counts));
      last = static_cast<std::uint32_t>(offset + i);
    }
  }
  /// Forgets positions past `size`; `ids` still hold them.
  void shrink(std::span<const TokenId> ids, const TokenCounts& counts, std::size_t size) {
    while (previous_.size() > size) {
      const std::uint32_t previous = previous_.back();  // perhaps the base's last
      previous_.pop_back();
      last_[counts.place(ids[previous_.size()])] = previous;
    }
  }

  /// The last position of a token, kNowhere if it does not occur.
  std::uint32_t last(TokenId id, const TokenCounts& counts) const {
    const std::size_t place = counts.place(id);
    return place < last_.size() ? last_[place] : kNowhere;
  }
  std::uint32_t previous(std::size_t i) const { return previous_[i]; }

 private:
  std::vector<std::uint32_t> previous_;  // positions in the whole history
  std::vector<std::uint32_t> last_;      // by the token's place in its counts
};

}  // namespace detail

/// Prompt and output as one sequence, with links between the positions of equal tokens, so that what repeats is found
/// without reading what does not. Valid until the request changes.
class History {
 public:
  History(std::span<const TokenId> prompt, const TokenCounts& prompt_counts, const detail::PositionLinks& prompt_links,
          std::span<const TokenId> output, const TokenCounts& output_counts, const detail::PositionLinks& output_links)
      : prompt_(prompt),
        output_(output),
        prompt_counts_(&prompt_counts),
        output_counts_(&output_counts),
        prompt_links_(&prompt_links),
        output_links_(&output_links) {}

  std::size_t size() const { return prompt_.size() + output_.size(); }
  TokenId operator[](std::size_t position) const {
    return position < prompt_.size() ? prompt_[position] : output_[position - prompt_.size()];
  }
  /// The token `back` positions before the end; 0 is the last.
  TokenId from_end(std::size_t back) const { return (*this)[size() - 1 - back]; }

  /// The last position of a token; detail::kNowhere, which is past every position, if there is none.
  std::size_t last(TokenId id) const {
    const std::uint32_t in_output = output_links_->last(id, *output_counts_);
    return in_output != detail::kNowhere ? in_output : prompt_links_->last(id, *prompt_counts_);
  }
  /// The position before this one that holds the same token.
  std::size_t previous(std::size_t position) const {
    return position < prompt_.size() ? prompt_links_->previous(position)
                                     : output_links_->previous(position - prompt_.size());
  }
  std::uint32_t count(TokenId id) const { return prompt_counts_->count(id) + output_counts_->count(id); }

 private:
  std::span<const TokenId> prompt_, output_;
  const TokenCounts *prompt_counts_, *output_counts_;
  const detail::PositionLinks *prompt_links_, *output_links_;
};

LOGITKIT_NAMESPACE_END
