// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sandbox/plan.h"

// What the supervisor learns while a tool runs. Plain values; the record writer turns them into
// `runtime.sandbox_denial`, `resource.limit` and `run.gap` records.
namespace ethos::sandbox {

// How much a piece of evidence is worth, printed as K, S, A and P.
enum class Mark {
  kernel,      // K: register data, event counters, wait status: the kernel said it
  supervisor,  // S: the supervisor measured or did it itself
  advisory,    // A: decoded from the tool's memory, which the tool can change meanwhile
  proof,       // P: follows from state that was read back or probed
};

enum class Phase { setup, run, commit };

// `denied`: the answer was the denial, no race can change it. `attempt`: the call was let through
// to the kernel, whose answer is not known.
enum class Outcome { denied, attempt };

// Where it was learned from (docs/formats/events.md, `source`).
enum class DenialSource { launcher, seccomp, landlock_audit, supervisor, commit };

// Reason of a refused change in a place that only reading, or nothing, is granted of.
inline constexpr const char* kOutsideWriteGrants = "outside every write grant";

// One kind of refused act, coalesced: `count` equal acts (same operation, object, error and
// outcome) between `first_ns` and `last_ns`. The sum of all counts and gaps is exact.
struct Denial {
  Phase phase = Phase::run;
  DenialSource source = DenialSource::seccomp;
  Outcome outcome = Outcome::denied;

  // The system call name ("openat", "socket"; "syscall" for foreign and unknown ones), "landlock"
  // for what the kernel's audit told, the step of set-up, or "commit".
  std::string operation;
  std::int32_t syscall = -1;  // number, -1 when there was no call
  std::uint32_t arch = 0;     // AUDIT_ARCH_*, 0 when there was no call
  Mark operation_mark = Mark::kernel;

  // What it was about; empty when nothing more is known than the call.
  std::string object;       // absolute path inside the cage, address, family, request, flags
  std::string object_kind;  // path, address, family, request, flags, name, none
  Mark object_mark = Mark::advisory;
  std::optional<BasedPath> where;  // for paths: the same as a pair, when a base covers it

  int error = 0;  // errno the tool got; 0 for an attempt
  std::uint64_t count = 1;
  std::uint64_t first_ns = 0;  // CLOCK_BOOTTIME
  std::uint64_t last_ns = 0;
  std::int32_t pid = 0;  // host pid of the first actor
  std::string rule;      // outside-grants, no-network, git, hidden, syscall, arch, quota, ...
  std::string reason;    // short sentence for people, e.g. "outside every write grant"
};

// One executed program. Coalesced by path like denials. What the kernel would refuse at the moment
// of the look is none; the notification comes before the outcome all the same.
struct ExecEvent {
  std::string path;  // as given to execve, or of the file behind a descriptor; mark A
  std::optional<BasedPath> where;
  bool is_tool = false;  // the first one, started by the init of the cage
  std::uint64_t count = 1;
  std::uint64_t first_ns = 0;
  std::int32_t pid = 0;
};

enum class LimitAction { killed, throttled, refused, truncated };

// A limit that was reached.
struct LimitEvent {
  std::string name;            // as in Limit::name
  std::uint64_t value = 0;     // the limit
  std::uint64_t observed = 0;  // the figure that was read
  Enforcer by = Enforcer::supervisor;
  Mark mark = Mark::supervisor;
  LimitAction action = LimitAction::killed;
  // memory.events, pids.events, cpu.stat, timer, byte_counter, process_count, wait_status,
  // peak_data, statfs, layers_sum, io.stat
  std::string source;
  std::uint64_t count = 1;  // refusals counted, where there is a counter
};

// Evidence that was counted but not kept one by one.
struct Gap {
  // flood, target_gone, unreadable, source_lost, mask_lost, not_hidden, programs, audit_lost,
  // audit_cut, artifact_unread
  std::string reason;
  std::uint64_t count = 0;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
};

[[nodiscard]] char mark_letter(Mark mark);  // 'K', 'S', 'A', 'P'
[[nodiscard]] const char* phase_name(Phase phase);
[[nodiscard]] const char* outcome_name(Outcome outcome);
[[nodiscard]] const char* source_name(DenialSource source);
[[nodiscard]] const char* action_name(LimitAction action);

}  // namespace ethos::sandbox
