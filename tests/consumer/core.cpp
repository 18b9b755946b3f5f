// SPDX-License-Identifier: MIT
#include <logitkit/core/error.hpp>
#include <logitkit/random/uniform.hpp>

int main() { return logitkit::name(logitkit::Status::ok) != "ok"; }
