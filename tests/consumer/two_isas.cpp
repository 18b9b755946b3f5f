// SPDX-License-Identifier: MIT
#include "two_isas.hpp"

int main() { return baseline_numbers() != native_numbers(); }
