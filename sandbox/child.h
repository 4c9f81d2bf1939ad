// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sandbox/blueprint.h"
#include "sandbox/plan.h"
#include "sandbox/ruleset.h"
#include "sandbox/steps.h"

// The clone child: builds the cage from inside, restricts itself and becomes the cage's init. It
// runs in the supervisor's memory (a copy of it under sanitizers), so it makes raw system calls
// only, allocates nothing and touches no libc state. Descriptors travel over a socket pair.
namespace ethos::sandbox {

inline constexpr std::size_t kMaxStaged = 64;
inline constexpr std::size_t kMaxProbes = 16;
// A granted directory up to this size can be copied where overlayfs cannot be used.
inline constexpr std::uint64_t kMaxCopyBytes = 16U << 20;
inline constexpr std::uint64_t kMaxCopyEntries = 2000;

enum class ProbeId : std::uint32_t {
  open_ungranted,
  write_read_grant,
  create_in_root,
  unshare_user,
  mount,
  socket_inet,
  connect_public,
  socket_vsock,
  ptrace,
  i386_gate,
  cgroup_procs,
  memfd_exec,
};

struct ProbeResult {
  ProbeId id = ProbeId::open_ungranted;
  std::int32_t error = 0;  // 0: the act succeeded
};

// Descriptors of the child's message, in this order: listener, scratch (absent without a scratch
// mount), then one upper directory a staged mount.
inline constexpr std::size_t kMaxHandover = kMaxStaged + 2;
inline constexpr std::size_t kMaxTrees = 250;  // SCM_RIGHTS carries at most 253

// Written by the child, read by the supervisor after the hand-over, a notification or the child's
// death; lives in shared memory either way.
struct Shared {
  std::atomic<std::uint32_t> step{0};    // the step that was begun last
  std::atomic<std::uint32_t> failed{0};  // 1: `step` failed with `error`
  std::int32_t error = 0;
  std::int32_t object = -1;  // index of a mount or Landlock rule, -1 for none
  std::array<ProbeResult, kMaxProbes> probes{};
  std::uint32_t probe_count = 0;
  std::array<std::uint8_t, kMaxStaged> is_copy{};  // staged mounts that are copies, no overlays
  std::uint8_t has_unlooked = 0;                   // some of `to_look_below` could not be reached
};

// Descriptors the child holds between its parts.
struct ChildState {
  std::array<int, kMaxTrees> trees{};  // root mode: detached trees in the order of bind and staged
  std::size_t tree_count = 0;
  int listener = -1;
  int scratch = -1;
  std::array<int, kMaxStaged> uppers{};
  std::size_t upper_count = 0;
};

struct ChildContext {
  const Plan* plan = nullptr;
  const Blueprint* blueprint = nullptr;
  const Ruleset* ruleset = nullptr;
  std::span<const std::byte> program;             // seccomp
  std::span<const BuildOp* const> to_look_below;  // root mode
  Shared* shared = nullptr;

  int supervisor_pidfd = -1;  // to see that the supervisor is still alive
  int channel = -1;           // child's end: trees come in (root mode), the hand-over goes out
  int init_fd = -1;           // sealed memfd
  std::array<int, 3> stdio{-1, -1, -1};

  // The child's own; filled by it.
  ChildState* state = nullptr;

  bool forces_copies = false;  // test only: copies although overlayfs would do
  Step fault_step = Step::none;
  int fault_error = 0;
};

// Entry point of the clone child; ends in execveat of init or in exit.
[[noreturn]] void child_main(const ChildContext& context);

}  // namespace ethos::sandbox
