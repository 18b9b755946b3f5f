// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/core/token.hpp"
#include "read_file.hpp"

namespace examples {

/// Byte-pair tokenizer in the file format of llama2.c (for example tok512.bin).
class StoryTokenizer {
 public:
  static constexpr logitkit::TokenId kSeparator = 1;  ///< stands before every story, and so ends the one before it

  /// Throws std::runtime_error where the file cannot be read or is cut off.
  explicit StoryTokenizer(const std::string& path) {
    const std::vector<char> bytes = read_file(path);
    std::size_t at = sizeof(std::int32_t);  // the longest piece's length comes first; nobody needs it
    const auto read = [&](void* to, std::size_t count) {
      if (at + count > bytes.size()) throw std::runtime_error(path + " is cut off");
      std::memcpy(to, bytes.data() + at, count);
      at += count;
    };
    while (at < bytes.size()) {
      float score;
      std::int32_t length;
      read(&score, sizeof score);
      read(&length, sizeof length);
      std::string piece(static_cast<std::size_t>(length), '\0');
      read(piece.data(), piece.size());
      // A piece like <0x0A> means a byte and is never found by its spelling.
      const auto id = static_cast<logitkit::TokenId>(pieces_.size());
      if (id >= kFirstByte + 256) ids_.emplace(piece, id);
      pieces_.push_back(std::move(piece));
      scores_.push_back(score);
    }
    if (pieces_.size() < kFirstByte + 256) throw std::runtime_error(path + " is cut off");
  }

  std::size_t size() const { return pieces_.size(); }

  /// Separator first, then the pieces that are left when the best-scored neighbours have been merged again and again.
  std::vector<logitkit::TokenId> encode(std::string_view text) const {
    std::vector<logitkit::TokenId> ids = {kSeparator};
    if (!text.empty()) append(" ", ids);
    while (!text.empty()) {
      const std::size_t length = std::min(character_length(text[0]), text.size());
      append(text.substr(0, length), ids);
      text.remove_prefix(length);
    }
    while (merge_best_pair(ids)) {
    }
    return ids;
  }

  /// The text of `ids`; the separator itself prints nothing.
  std::string decode(std::span<const logitkit::TokenId> ids) const {
    std::string text;
    bool at_start = false;
    for (logitkit::TokenId id : ids) {
      if (id >= kFirstByte && id < kFirstByte + 256) {
        text += static_cast<char>(id - kFirstByte);
      } else if (id >= kFirstByte) {
        const std::string_view piece = pieces_[static_cast<std::size_t>(id)];
        text += piece.substr(at_start && piece.starts_with(' ') ? 1 : 0);
      }
      at_start = id == kSeparator;
    }
    return text;
  }

 private:
  static constexpr logitkit::TokenId kFirstByte = 3;

  static std::size_t character_length(char first) {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  }

  void append(std::string_view character, std::vector<logitkit::TokenId>& ids) const {
    if (const auto found = ids_.find(character); found != ids_.end()) {
      ids.push_back(found->second);
    } else {
      for (char byte : character) ids.push_back(static_cast<unsigned char>(byte) + kFirstByte);
    }
  }

  bool merge_best_pair(std::vector<logitkit::TokenId>& ids) const {
    float best_score = -std::numeric_limits<float>::infinity();
    std::size_t best = 0;
    logitkit::TokenId merged = logitkit::kNoToken;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto found = ids_.find(piece(ids[i]) + piece(ids[i + 1]));
      if (found == ids_.end() || scores_[static_cast<std::size_t>(found->second)] <= best_score) continue;
      best_score = scores_[static_cast<std::size_t>(found->second)];
      best = i;
      merged = found->second;
    }
    if (merged == logitkit::kNoToken) return false;
    ids[best] = merged;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    return true;
  }

  const std::string& piece(logitkit::TokenId id) const { return pieces_[static_cast<std::size_t>(id)]; }

  std::vector<std::string> pieces_;
  std::vector<float> scores_;
  std::map<std::string, logitkit::TokenId, std::less<>> ids_;
};

}  // namespace examples
