// SPDX-License-Identifier: MIT
#include "two_isas.hpp"

std::vector<float> native_numbers() { return numbers(); }
