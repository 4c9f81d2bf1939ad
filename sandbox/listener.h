// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>

#include "ledger/base/unique_fd.h"

namespace ethos::sandbox {

// One notified system call, as the kernel reports it; all fields are mark K.
struct Call {
  std::uint64_t id = 0;
  std::int32_t pid = 0;  // thread id in the supervisor's pid namespace
  std::int32_t nr = 0;
  std::uint32_t arch = 0;
  std::uint64_t args[6] = {};
};

// The supervisor's end of the seccomp filter (seccomp_unotify(2)).
class Listener {
 public:
  Listener() = default;
  explicit Listener(base::UniqueFd fd);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] bool is_open() const { return fd_.is_open(); }
  void close() { fd_.reset(); }

  // Takes the next call. False when it went away meanwhile (ENOENT) or on another error, which
  // `error` tells.
  bool receive(Call& call, int& error);
  // Is the caller still waiting in this call? What was read from its memory is only about this
  // call when the answer, asked after reading, is yes.
  [[nodiscard]] bool is_valid(std::uint64_t id) const;
  // Lets the kernel carry the call out, with whatever the arguments are by then. False: the caller
  // does not wait any more.
  bool let_through(std::uint64_t id) const;
  // Answers instead of the kernel: race-free.
  void answer(std::uint64_t id, int error) const;

 private:
  [[nodiscard]] bool send(std::uint64_t id, int error, std::uint32_t flags) const;
  base::UniqueFd fd_;
};

}  // namespace ethos::sandbox
