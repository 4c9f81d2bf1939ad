// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sandbox/plan.h"

namespace ethos::sandbox {

// Name of the seccomp program for a plan (docs/formats/plan.md S-1): observe-network, then "+mem"
// when code in memory may be executed: "writes-none", "all-loopback+mem".
[[nodiscard]] std::string filter_name(const Plan& plan);

// The program's bytes: struct sock_filter in host order, 8 bytes each; static storage. Empty for an
// unknown name.
[[nodiscard]] std::span<const std::byte> filter_program(std::string_view name);

// What the supervisor is to make of a notified call.
enum class CallClass {
  exec,         // execve, execveat: let through, recorded
  open,         // open, openat, creat
  open_how,     // openat2
  path_change,  // unlink, rename, chmod, ... and bind
  fork,         // clone, fork, vfork
  mapping,      // mmap of a file's code
  memory_file,  // memfd_create
  own_filter,   // seccomp, and prctl with what else is not let through
  page_holding, // sendfile, splice, vmsplice
  connect,
  bind,
  socket,        // socket, socketpair, setsockopt with refused arguments
  refused_args,  // ioctl, personality, chmod of set-id bits, clone with namespaces,
                 // prlimit64 of others
  forbidden,     // EPERM
  unknown,       // ENOSYS
};

[[nodiscard]] CallClass classify_call(std::int32_t nr);

// "openat" for 257; empty when the number has no name here.
[[nodiscard]] std::string_view syscall_name(std::int32_t nr);

}  // namespace ethos::sandbox
