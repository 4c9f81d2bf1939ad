// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/file_rights.h"
#include "sandbox/path_walk.h"
#include "sandbox/plan.h"

// What execve(2) and open(2) look at in a file before they answer, looked at beforehand.
namespace ethos::sandbox {

// False when the kernel answers EACCES whatever the cage grants: no regular file, or one that the
// tool's ids give no right to execute.
[[nodiscard]] bool may_start(const Place& file, const Identity& identity);

// The same for reading a file or listing a directory, of whatever kind.
[[nodiscard]] bool may_read(const Place& file, const Identity& identity);
// Whether the tool's ids may search each directory that the absolute `path` leads through, over
// links too, below the cage's `root`. What is not there, or lies behind links of /proc, is passed.
// Nothing: the path takes more steps than are made.
[[nodiscard]] std::optional<bool> may_pass(int root, std::string_view path,
                                           const Identity& identity);
// The same of a caller of the service's, whose rights are lent, for a file of the host. True where
// that cannot be told.
[[nodiscard]] bool may_caller_read(const std::string& path, const CallerRights& caller);
[[nodiscard]] bool may_caller_write(const std::string& path, const CallerRights& caller);
// Whether the permission bits alone say so; an access control list can say the contrary.
[[nodiscard]] bool bits_let_read(mode_t mode, std::uint32_t uid, std::uint32_t gid,
                                 const Identity& identity);

// Whether `name` in an open directory has such a list.
[[nodiscard]] bool has_list(int directory, const char* name);

// The program that a file names to run it: the interpreter of a script (`#!/bin/sh -e` ->
// "/bin/sh") or the loader of an ELF file (PT_INTERP).
struct Interpreter {
  std::string name;        // empty: none, or the file cannot be read
  bool is_loader = false;  // what it names itself is not asked for
};
[[nodiscard]] Interpreter named_interpreter(const Place& file);
// The same for the first bytes of a file; `file`: where the rest is, -1 when that is all.
[[nodiscard]] Interpreter interpreter_in(std::string_view head, int file = -1);

}  // namespace ethos::sandbox
