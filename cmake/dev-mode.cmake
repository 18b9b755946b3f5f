# SPDX-License-Identifier: MIT
# Tests, examples and benchmarks of this repository. Warnings are theirs alone; .ci/run makes them errors.
find_package(Threads REQUIRED)
find_program(LOGITKIT_CCACHE ccache)
mark_as_advanced(LOGITKIT_CCACHE)
if(LOGITKIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LOGITKIT_CCACHE})
endif()

# logitkit_program(name source...): a program in bin/, with the warnings on.
function(logitkit_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE logitkit::logitkit Threads::Threads)
  target_compile_options(${name} PRIVATE
    $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

enable_testing()
if(LOGITKIT_BUILD_TESTS)
  add_subdirectory(tests)
endif()
if(LOGITKIT_BUILD_TESTS OR LOGITKIT_BUILD_FUZZERS)
  add_subdirectory(tests/fuzz)
endif()
if(LOGITKIT_BUILD_EXAMPLES)
  add_subdirectory(examples)
endif()
if(LOGITKIT_BUILD_BENCH)
  add_subdirectory(bench)
endif()
