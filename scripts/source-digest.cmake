# SPDX-License-Identifier: Apache-2.0
# Which sources a program was built from: 16 hex digits over the files that make it, the same whether they came
# from git or from an archive, and wherever they lie. No time, no host, no revision.
#   cmake -DROOT=DIR -DFOLDERS="verify" [-DHEADER=FILE -DNAME=MACRO] -P source-digest.cmake
# Prints the digest, or keeps it in a header that changes only when it does.
cmake_minimum_required(VERSION 3.25)
set(list "")
foreach(folder ${FOLDERS})
  file(GLOB_RECURSE found RELATIVE ${ROOT} LIST_DIRECTORIES false
    ${ROOT}/${folder}/*.cc ${ROOT}/${folder}/*.c ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.in ${ROOT}/${folder}/*.ld
    ${ROOT}/${folder}/*.cmake ${ROOT}/${folder}/*.json ${ROOT}/${folder}/*.S ${ROOT}/${folder}/CMakeLists.txt)
  list(APPEND list ${found})
endforeach()
list(APPEND list CMakeLists.txt)
list(SORT list)
set(sums "")
foreach(file ${list})
  file(SHA256 ${ROOT}/${file} sum)
  string(APPEND sums "${sum}  ${file}\n")
endforeach()
string(SHA256 digest "${sums}")
string(SUBSTRING ${digest} 0 16 digest)
if(NOT HEADER)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${digest})
  return()
endif()
set(text "// Made by scripts/source-digest.cmake.\n#define ${NAME} \"${digest}\"\n")
set(old "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
