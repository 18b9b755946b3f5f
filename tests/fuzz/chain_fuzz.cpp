// SPDX-License-Identifier: MIT
// Any chain over any row: the library and the plain program give the same bits.
#include <cstdio>
#include <cstdlib>

#include "property/planned_equals_plain.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  random_case::Source source(std::span<const std::uint8_t>(data, size));
  const auto c = random_case::random_case(source, random_case::random_size(source, 4096));
  if (const auto difference = planned_differs_from_plain(c)) {
    std::fprintf(stderr, "%s\n%s\n", c.text().c_str(), difference->c_str());
    std::abort();
  }
  return 0;
}
