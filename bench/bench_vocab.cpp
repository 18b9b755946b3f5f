// SPDX-License-Identifier: MIT
// Vocab/<V>: Pick/chat at other widths, each in read passes of its own.
#include "harness.hpp"
#include "picks.hpp"

namespace bench {

void add_vocab() {
  for (const std::size_t vocabulary : {32'000u, 128'256u, 151'936u, 262'144u, 1'048'576u})
    add(
        "Vocab/" + std::to_string(vocabulary), "typical", [](Rows over) { return pick_work(chat(), fresh(), over); },
        vocabulary);
}

}  // namespace bench
