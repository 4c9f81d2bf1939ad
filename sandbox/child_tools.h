// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>

#include "ledger/base/step_mark.h"
#include "sandbox/child.h"
#include "sandbox/raw_syscall.h"

// Shared by the parts of the clone child. Nothing here may use libc state.
namespace ethos::sandbox::child {

// Records why and ends the child; the supervisor tells the rest.
[[noreturn]] inline void fail(const ChildContext& c, Step step, long error, int object = -1) {
  c.shared->error = static_cast<std::int32_t>(error < 0 ? -error : error);
  c.shared->object = object;
  c.shared->step.store(static_cast<std::uint32_t>(step), std::memory_order_relaxed);
  c.shared->failed.store(1, std::memory_order_release);
  for (;;) raw::call(SYS_exit_group, 1);
}

// Says which step runs, so that even a killed child tells how far it came.
inline void begin(const ChildContext& c, Step step) {
  c.shared->step.store(static_cast<std::uint32_t>(step), std::memory_order_release);
  if (ethos_step_mark != nullptr) base::step_mark(step_name(step).data(), base::Side::child);
  if (c.fault_step == step) fail(c, step, c.fault_error);
}

// A result of raw::call that must not be an error.
inline long must(const ChildContext& c, Step step, long result, int object = -1) {
  if (result < 0) fail(c, step, result, object);
  return result;
}

inline void close_fd(long fd) { raw::call(SYS_close, fd); }

// open flags are ints; the kernel's open_how is not.
struct OpenHow {
  std::uint64_t flags = 0;
  std::uint64_t mode = 0;
  std::uint64_t resolve = 0;
};

inline constexpr std::uint64_t kResolveNoMagicLinks = 0x02;
inline constexpr std::uint64_t kResolveNoSymlinks = 0x04;

inline long open_plain(long dir, const char* path, int flags, std::uint64_t resolve) {
  const OpenHow how{static_cast<std::uint64_t>(flags) | O_CLOEXEC, 0, resolve};
  return raw::call(SYS_openat2, dir, path, &how, sizeof how);
}

void receive_trees(const ChildContext& c);  // root mode: waits for the supervisor
void look_below(const ChildContext& c);     // root mode: nothing stands on what is granted
void hand_over(const ChildContext& c);      // listener, scratch, upper directories
// Does the file system of `dir` keep user.* attributes, which overlayfs needs of an upper layer?
bool has_user_attributes(long dir);
// Whether a directory and what is in it belong to others in part, by owner or group, so that an
// overlay could not take a change of it up (EOVERFLOW: its layer cannot say whose it is), and
// whether copy_tree would do.
struct TreeLook {
  bool is_foreign = false;
  bool is_small = true;
};
TreeLook look_at_tree(long from, std::uint32_t uid, std::uint32_t gid);
// Copies what is in the directory `from` (may be O_PATH) into `to`; 0 or a negative errno, -E2BIG
// when it is not small. What a mask of the plan will cover is left empty.
long copy_tree(const ChildContext& c, const BuildOp& op, long from, long to);
void build_tree(const ChildContext& c);     // mounts, links, files, pivot_root
void restrict_self(const ChildContext& c);  // rlimits, no_new_privs, Landlock, capabilities
void install_filter(const ChildContext& c);
void probe_before_filter(const ChildContext& c);
void probe_behind_filter(const ChildContext& c);

}  // namespace ethos::sandbox::child
