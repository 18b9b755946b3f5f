// SPDX-License-Identifier: MIT
#include "rows.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

#include "support/synthetic_rows.hpp"

namespace bench {

namespace {

std::vector<float> make_row(const std::string& shape, std::uint64_t seed, std::size_t vocabulary) {
  std::vector<float> row;
  if (shape == "flat_t15") {
    row = synthetic::row(synthetic::kFlat, seed, vocabulary);
    for (float& x : row) x /= 1.5f;
  } else if (shape == "ascending" || shape == "descending") {
    row = synthetic::row(synthetic::kTypical, seed, vocabulary);
    std::sort(row.begin(), row.end());
    if (shape == "descending") std::reverse(row.begin(), row.end());
  } else if (shape == "all_equal") {
    row.assign(vocabulary, static_cast<float>(seed));
  } else if (shape == "all_but_one_masked") {
    row.assign(vocabulary, -std::numeric_limits<float>::infinity());
    row[synthetic::hash64(seed, 0) % vocabulary] = 1;
  } else if (shape == "narrow") {
    row = synthetic::clt4(vocabulary, seed, 0.2);
  } else {
    const auto& all = synthetic::kProfiles;
    const auto* profile = std::find_if(std::begin(all), std::end(all), [&](const auto& p) { return p.name == shape; });
    if (profile == std::end(all)) throw std::invalid_argument("no rows are called " + shape);
    row = synthetic::row(*profile, seed, vocabulary);
  }
  return row;
}

}  // namespace

Rows rows(const std::string& shape, std::size_t vocabulary, std::size_t count) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t>, std::vector<std::vector<float>>> made;
  auto& found = made[{shape, vocabulary, count}];
  while (found.size() < count) found.push_back(make_row(shape, found.size() + 1, vocabulary));
  return found;
}

}  // namespace bench
