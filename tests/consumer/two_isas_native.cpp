// SPDX-License-Identifier: MIT
#include "two_isas.hpp"

std::vector<double> native_numbers() { return numbers(); }
