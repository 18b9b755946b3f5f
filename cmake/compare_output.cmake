# SPDX-License-Identifier: MIT
# cmake -D PROGRAM=... -D EXPECTED=... -P compare_output.cmake: PROGRAM must print what EXPECTED holds.
# Left out on both sides: lines with a time, that is a number, a blank and the unit us, ms or s ("212.4 us").
function(drop_times text)
  string(REGEX REPLACE "[^\n]*[0-9] (us|ms|s)([^a-zA-Z\n][^\n]*)?\n" "" kept "${${text}}")
  set(${text} "${kept}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE actual RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status} after\n${actual}")
endif()
file(READ ${EXPECTED} expected)
drop_times(actual)
drop_times(expected)
if(NOT actual STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed\n${actual}\nbut ${EXPECTED} holds\n${expected}")
endif()
