# SPDX-License-Identifier: Apache-2.0
# The cage itself. As root the same program runs a second time as an ordinary uid.
add_library(cage_support STATIC ../support/bpf_eval.cc ../support/cage_plan.cc)
target_link_libraries(cage_support PUBLIC ethos_options ethos_sandbox)
function(ethos_add_as_user NAME)
  find_program(SETPRIV setpriv)
  if(SETPRIV)
    add_test(NAME "${NAME} as an ordinary user"
      COMMAND ${SETPRIV} --reuid=65501 --regid=65501 --clear-groups $<TARGET_FILE:${NAME}> ${ARGN})
    # Without root setpriv cannot change the uid, and the run above was the ordinary user's already.
    set_tests_properties("${NAME} as an ordinary user" PROPERTIES TIMEOUT 300
      SKIP_REGULAR_EXPRESSION "^setpriv: ")
  endif()
endfunction()
function(ethos_add_cage_test NAME)
  ethos_add_test(NAME ${NAME} SOURCES ${ARGN} LIBS cage_support)
  ethos_add_as_user(${NAME})
endfunction()
# Root may list every directory.
ethos_add_as_user(policy_test "facts:*")
ethos_add_cage_test(cage_test cage_test.cc)
ethos_add_cage_test(cage_orphan_test cage_orphan_test.cc)
ethos_add_cage_test(staged_test staged_test.cc staged_end_test.cc staged_strangers_test.cc staged_copy_test.cc staged_rights_test.cc)
target_link_libraries(staged_test PRIVATE ethos_run)
ethos_add_cage_test(doctor_test doctor_test.cc)
ethos_add_test(NAME filter_test SOURCES filter_test.cc LIBS cage_support)
ethos_add_test(NAME cage_parts_test SOURCES audit_test.cc cage_parts_test.cc input_pump_test.cc kernel_text_test.cc LIBS cage_support)
include(../escape/escape.cmake)
