// SPDX-License-Identifier: Apache-2.0
// Filters that a tool puts over itself.
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "sandbox/filter/rules.h"
#include "sandbox/judge.h"
#include "sandbox/tool_memory.h"

namespace ethos::sandbox {
namespace {

constexpr std::int32_t kPrctl = 157;

enum class Program { quiet, logs, unreadable };

// Whether a program at `address` of the caller's memory ends in SECCOMP_RET_LOG somewhere. (One
// that computes its answer, or is exchanged after this look, is not found out.)
Program look_at(pid_t pid, std::uint64_t address) {
  sock_fprog program{};
  if (read_bytes(pid, address, std::as_writable_bytes(std::span(&program, 1))) != MemoryRead::ok)
    return Program::unreadable;
  std::array<sock_filter, 512> some{};
  std::uint64_t at = reinterpret_cast<std::uint64_t>(program.filter);
  for (std::size_t left = program.len; left > 0;) {
    const auto chunk = std::span(some).first(std::min(left, some.size()));
    if (read_bytes(pid, at, std::as_writable_bytes(chunk)) != MemoryRead::ok)
      return Program::unreadable;
    const bool logs = std::ranges::any_of(chunk, [](const sock_filter& op) {
      return op.code == (BPF_RET | BPF_K) && (op.k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_LOG;
    });
    if (logs) return Program::logs;
    left -= chunk.size();
    at += chunk.size_bytes();
  }
  return Program::quiet;
}

}  // namespace

Verdict Judge::decide_own_filter(const Call& call) {
  const auto word = static_cast<std::uint32_t>(call.args[0]);
  const bool is_prctl = call.nr == kPrctl;
  if (is_prctl && word != filter::kPrctlSeccomp) return {EINVAL};
  if (!is_prctl && word != SECCOMP_SET_MODE_FILTER && word != SECCOMP_SET_MODE_STRICT) return {0};
  if (own_filters_ >= filter::kMaxOwnFilters)
    return refuse_call(call, "syscall", "as many filters of its own as a run may have", ENOMEM);
  // A filter that logs would write the machine's own log, with names that the tool chooses.
  const bool asks_for_log = !is_prctl && (call.args[1] & SECCOMP_FILTER_FLAG_LOG) != 0;
  const std::uint64_t mode = is_prctl ? call.args[1] & 0xffffffff : word + 1;
  const Program program =
      mode == SECCOMP_MODE_FILTER ? look_at(call.pid, call.args[2]) : Program::quiet;
  if (asks_for_log || program == Program::logs)
    return refuse_call(call, "syscall", "a filter that writes the kernel's log", EINVAL);
  // Without a program the call only asks which flags there are; any other is not let through
  // unread.
  if (program == Program::unreadable) return {call.args[2] == 0 ? 0 : EFAULT};
  ++own_filters_;
  return {0};
}

}  // namespace ethos::sandbox
