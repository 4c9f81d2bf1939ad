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

// Where the supervisor learned it from.
enum class DenialSource { seccomp_notify, commit_copy, setup };

// One kind of refused act, coalesced: `count` equal acts (same operation, object, error and
// outcome) between `first_ns` and `last_ns`. The sum of all counts and gaps is exact.
struct Denial {
  Phase phase = Phase::run;
  DenialSource source = DenialSource::seccomp_notify;
  Outcome outcome = Outcome::denied;

  // The system call name ("openat", "socket", "int80:20", "nr:471"), or for the other phases the
  // step ("mount", "commit.whiteout").
  std::string operation;
  std::int32_t syscall = -1;     // number, -1 when there was no call
  std::uint32_t arch = 0;        // AUDIT_ARCH_*, 0 when there was no call
  Mark operation_mark = Mark::kernel;

  // What it was about; empty when nothing more is known than the call.
  std::string object;            // absolute path inside the cage, address, family, request, flags
  std::string object_kind;       // path, address, family, request, flags, name, none
  Mark object_mark = Mark::advisory;
  std::optional<BasedPath> where;  // for paths: the same as a pair, when a base covers it

  int error = 0;                 // errno the tool got; 0 for an attempt
  std::uint64_t count = 1;
  std::uint64_t first_ns = 0;    // CLOCK_BOOTTIME
  std::uint64_t last_ns = 0;
  std::int32_t pid = 0;          // host pid of the first actor
  std::string reason;            // short sentence for people, e.g. "outside every write grant"
};

// One executed program. Coalesced by path like denials; an exec that the kernel then refused looks
// the same, since the notification comes before the outcome.
struct ExecEvent {
  std::string path;              // as given to execve, made absolute; mark A
  std::optional<BasedPath> where;
  bool is_tool = false;          // the first one, started by the init of the cage
  std::uint64_t count = 1;
  std::uint64_t first_ns = 0;
  std::int32_t pid = 0;
};

// A limit that was reached. `ends_run`: the supervisor ended the run because of it.
struct LimitEvent {
  std::string name;              // as in Limit::name
  std::uint64_t value = 0;       // the limit
  std::uint64_t observed = 0;    // the figure that was read
  Enforcer by = Enforcer::supervisor;
  Mark mark = Mark::supervisor;
  std::string evidence;          // where it was read: "memory.events oom_kill", "SIGXFSZ", "notify"
  std::uint64_t count = 1;       // refusals counted, where there is a counter
  bool ends_run = false;
};

// Evidence that was counted but not kept one by one.
struct Gap {
  std::string reason;            // "flood", "target_gone", "records"
  std::uint64_t count = 0;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
};

[[nodiscard]] char mark_letter(Mark mark);  // 'K', 'S', 'A', 'P'
[[nodiscard]] const char* phase_name(Phase phase);
[[nodiscard]] const char* outcome_name(Outcome outcome);
[[nodiscard]] const char* source_name(DenialSource source);

}  // namespace ethos::sandbox
