// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/synthetic_rows.hpp"

namespace bench {

inline constexpr std::size_t kVocabulary = 151'936;

/// Rows that a benchmark reads: the first alone (hot), or all in turn (rotating).
using Rows = std::span<const std::vector<float>>;

/// Eight different rows of a profile of support/synthetic_rows.hpp, or of `flat_t15`: flat, divided by 1.5. Made once.
inline Rows rows(const std::string& profile, std::size_t vocabulary = kVocabulary) {
  static std::map<std::pair<std::string, std::size_t>, std::array<std::vector<float>, 8>> made;
  const auto [place, is_new] = made.try_emplace({profile, vocabulary});
  if (!is_new) return place->second;
  const bool warm = profile == "flat_t15";
  const auto* shape = std::find_if(std::begin(synthetic::kProfiles), std::end(synthetic::kProfiles),
                                   [&](const auto& p) { return p.name == (warm ? "flat" : profile); });
  if (shape == std::end(synthetic::kProfiles)) throw std::invalid_argument("no profile " + profile);
  for (std::uint64_t seed = 0; std::vector<float> & row : place->second) {
    row = synthetic::row(*shape, ++seed, vocabulary);
    if (warm)
      for (float& x : row) x /= 1.5f;
  }
  return place->second;
}

}  // namespace bench
