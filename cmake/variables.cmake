# SPDX-License-Identifier: MIT
# What a user may set. Everything that is for this repository's own developers is on only where it is the top level.
option(LOGITKIT_BUILD_TESTS "Build the tests (GoogleTest, nlohmann/json)" ${PROJECT_IS_TOP_LEVEL})
option(LOGITKIT_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(LOGITKIT_BUILD_BENCH "Build logitkit_bench (Google Benchmark, nlohmann/json)" ${PROJECT_IS_TOP_LEVEL})
option(LOGITKIT_INSTALL "Add the install rules" ${PROJECT_IS_TOP_LEVEL})
option(LOGITKIT_BUILD_FUZZERS "Build the libFuzzer programs of tests/fuzz (clang)" OFF)
option(LOGITKIT_GET_DEPENDENCIES "Bring what is missing: apt-get as root, else FetchContent" OFF)

# A user's warnings are not for our headers.
if(NOT PROJECT_IS_TOP_LEVEL)
  set(logitkit_system SYSTEM)
endif()
