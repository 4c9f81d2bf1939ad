# SPDX-License-Identifier: Apache-2.0
# Hostile programs in the real cage. The program itself links nothing of the product.
add_executable(hostile
  ${CMAKE_CURRENT_LIST_DIR}/hostile.cc ${CMAKE_CURRENT_LIST_DIR}/hostile_files.cc
  ${CMAKE_CURRENT_LIST_DIR}/hostile_network.cc ${CMAKE_CURRENT_LIST_DIR}/hostile_process.cc
  ${CMAKE_CURRENT_LIST_DIR}/hostile_system.cc ${CMAKE_CURRENT_LIST_DIR}/hostile_walks.cc ${CMAKE_CURRENT_LIST_DIR}/hostile_memory.cc
  ${CMAKE_CURRENT_LIST_DIR}/hostile_quota.cc ${CMAKE_CURRENT_LIST_DIR}/hostile_host.cc)
target_include_directories(hostile PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(hostile PRIVATE Threads::Threads)
set_target_properties(hostile PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test-bin
  POSITION_INDEPENDENT_CODE ON)
add_library(escape_support STATIC ${CMAKE_CURRENT_LIST_DIR}/escape_run.cc)
target_link_libraries(escape_support PUBLIC cage_support)
target_compile_definitions(escape_support PRIVATE ETHOS_HOSTILE="$<TARGET_FILE:hostile>")
add_dependencies(escape_support hostile)
foreach(theme files host limits masks memory process quota streams system walks)
  ethos_add_cage_test(escape_${theme}_test ${CMAKE_CURRENT_LIST_DIR}/${theme}_test.cc)
  target_link_libraries(escape_${theme}_test PRIVATE escape_support)
endforeach()
