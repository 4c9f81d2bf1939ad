// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/cgroup.h"
#include "sandbox/denial.h"
#include "sandbox/enforced.h"
#include "sandbox/plan.h"
#include "sandbox/use_sink.h"

// Builds the cage that a plan describes, proves it, runs the tool in it and takes it down again.
namespace ethos::sandbox {

// Receives the evidence, on the thread that called run_cage. Every function returns false when the
// evidence could not be kept: then the tool is not started, or it is killed and RunResult says
// Ending::evidence. Only on_barrier may take long; the others stall the tool's notified calls, so
// they queue and let another thread write.
class EvidenceSink {
 public:
  EvidenceSink() = default;
  EvidenceSink(const EvidenceSink&) = delete;
  EvidenceSink& operator=(const EvidenceSink&) = delete;
  virtual ~EvidenceSink() = default;

  // The cage is being built by its own process: time for what does not depend on how that ends.
  // Called at most once, on the thread of the other calls, and before any of them.
  virtual void while_building() {}
  // The cage stands, pid 1 is stopped inside its execveat, nothing of the tool has run. What is
  // written here must be durable when it returns true. Called at most once.
  virtual bool on_barrier(const Enforced& enforced) = 0;
  virtual bool on_exec(const ExecEvent& event) = 0;
  // Called at most a second after the act, and for everything left before run_cage returns.
  virtual bool on_denial(const Denial& denial) = 0;
  virtual bool on_limit(const LimitEvent& event) = 0;
  virtual bool on_gap(const Gap& gap) = 0;
};

// A set-up step that failed. The tool was never started and nothing was changed.
struct SetupDenial {
  std::string step;                  // "user_namespace", "landlock", "readback", ... (steps.h)
  int error = 0;                     // errno, 0 when a comparison failed
  std::string object;                // path or value it was about, may be empty
  std::string cause;                 // one sentence
  std::string fix;                   // what to change on this host or in the declaration
  std::vector<Mismatch> mismatches;  // step "readback" only
};

// The runner itself failed (no memory, no pipe, sink refused at the barrier): not a statement about
// the tool or the host's ability to build the cage.
struct RunnerFailure {
  std::string what;
  int error = 0;
};

enum class Ending {
  exited,          // the tool's own exit, `status` is its code
  signaled,        // the tool died of a signal, `status` is its number
  not_executable,  // execve failed with anything but ENOENT, `status` is the errno (exit 126)
  not_found,       // execve failed with ENOENT or ENOTDIR (exit 127)
  wall_timeout,
  limit,        // another limit ended it; `limit` names it
  interrupted,  // the supervisor got SIGINT, SIGTERM or SIGHUP; `status` is that signal
  evidence,     // the sink could not keep evidence, or the supervisor failed; killed
};

struct StreamResult {
  std::uint64_t bytes = 0;   // read from the tool
  std::uint64_t passed = 0;  // handed on to the caller
  bool is_truncated = false;
  bool is_drained = false;        // end of file seen before the end of the run
  std::uint64_t neutralised = 0;  // control bytes replaced because a terminal reads it
  Sha256 sha256{};                // over all bytes read
  std::string kept;               // the bytes, when LaunchOptions asks to keep them
  // What the caller's descriptor has not taken yet, at most some 320 KiB: to be delivered once the
  // run's end is recorded, so that no reader can keep it from being recorded.
  std::string undelivered;
  int target_errno = 0;  // why the caller's descriptor took no more; 0: it took all so far
};

// One file or directory that a write grant brought out.
struct Artifact {
  BasedPath grant;
  BasedPath where;
  std::string action;  // created, replaced, deleted, directory
  std::uint64_t bytes = 0;
  Sha256 sha256{};
  std::uint32_t mode = 0;  // as written, without set-id bits
  bool is_mode_stripped = false;
};

struct RunResult {
  Ending ending = Ending::exited;
  int status = 0;
  bool has_tool_ended = false;   // by itself, whatever ended the run after that
  std::string limit;             // Ending::limit: the limit's name
  std::string detail;            // Ending::evidence: what failed
  struct rusage usage {};        // of everything that ran in the cage
  std::uint64_t started_ns = 0;  // CLOCK_BOOTTIME of the release
  std::uint64_t ended_ns = 0;
  std::uint64_t setup_ns = 0;  // from the call to the barrier
  std::uint64_t teardown_ns = 0;
  std::uint32_t processes_left = 0;   // counted after the kill; anything but 0 is a failure
  std::string processes_left_source;  // "cgroup.events populated" or "seccomp listener hang-up"
  bool is_cgroup_gone = true;         // also true when there was none
  bool is_scratch_gone = true;
  StreamResult out;
  StreamResult err;
  // Peak or final figures by name: memory_peak_bytes, pids_peak, scratch_bytes, ...
  struct Figure {
    std::string name;
    std::uint64_t value = 0;
    Mark mark = Mark::supervisor;
  };
  std::vector<Figure> figures;
  // Staged grants. Nothing is committed unless the tool ended by itself (exited or signaled is not
  // enough: only `exited`), whatever its exit code.
  std::vector<Artifact> artifacts;
  std::vector<Denial> commit_refusals;  // also given to the sink; phase commit, mark S
  bool is_committed = false;            // every staged grant that had changes was committed
  std::uint64_t unread_artifacts = 0;   // granted files that changed and could not be read
  std::uint64_t denials = 0;            // total of all counts, gaps included
};

using CageOutcome = std::variant<RunResult, SetupDenial, RunnerFailure>;

// Test only: makes one set-up step fail, to show that each failure refuses and leaves nothing.
struct FaultInjection {
  std::string step;  // "" for none; names of steps.h
  int error = 5;     // EIO
};

// What a caller wants of the kernel's audit (sandbox/audit_source.h).
enum class AuditUse {
  automatic,  // a source where it works, left out where not
  off,        // never looked at
  required,   // the run is refused where it is no source
};

struct LaunchOptions {
  int stdin_fd = -1;  // borrowed; -1: /dev/null. A terminal is refused.
  int stdout_fd = 1;  // borrowed; where the tool's output is passed on, -1: nowhere
  int stderr_fd = 2;
  bool keep_stdout = false;  // also keep the bytes in StreamResult::kept (up to the output limit)
  bool keep_stderr = false;
  std::string cgroup_parent;                 // absolute path below the cgroup2 mount; empty: choose
  std::optional<CgroupParent> cgroup_found;  // what find_cgroup_parent has answered; absent: ask
  // Is told the path of the run's control group before that is made, so that what a killed
  // supervisor leaves can be found. Fails: the run is refused.
  std::function<base::Result<void>(const std::string& path)> note_cgroup;
  AuditUse audit = AuditUse::automatic;
  bool commit_staged = true;
  // File in a private directory, written while staged grants are committed and removed afterwards;
  // roll_back_commit undoes what a killed supervisor left half done. A second grant's has ".1"
  // before the suffix, and so on. Empty: no such file.
  std::string commit_journal;
  // How long bringing out may take, over all grants; longer is a refusal of all of them.
  std::uint64_t commit_ms = 300'000;
  // Second handling of stdout for the caller, e.g. to spool it to a file; borrowed, -1: none.
  int spool_stdout_fd = -1;
  int spool_stderr_fd = -1;
  UseSink* uses = nullptr;  // borrowed; is told what the tool used, under `observe: all` reads too
  FaultInjection fault;
  bool forces_copies = false;          // test only: the form of staged grants that old kernels need
  std::function<void()> commit_probe;  // test only: called between the steps of bringing out
  std::function<void()> decided_probe;  // test only: called after each grant has been cleaned up
};

// Runs `plan`. Blocks all signals of the calling thread meanwhile and takes SIGINT, SIGTERM and
// SIGHUP for itself; the caller must not have other threads that take them. Never throws.
[[nodiscard]] CageOutcome run_cage(const Plan& plan, const LaunchOptions& options,
                                   EvidenceSink& sink);

// Undoes a commit that was cut off: restores what was replaced, removes what was new, and removes
// the journal. Returns how many entries were undone; 0 when there is no journal. Errc::malformed
// for a journal that is not ours: it is left alone.
base::Result<std::size_t> roll_back_commit(const std::string& journal);

// Completes a commit that was decided (`decision_of` is there) and cut off while what had been
// replaced was removed. Results as above.
base::Result<std::size_t> complete_commit(const std::string& journal);

// Made beside the journal of a run's first grant once every grant of the run is in place, and
// removed last of all: the one moment from which on all of them stay.
[[nodiscard]] std::string decision_of(const std::string& journal);

}  // namespace ethos::sandbox
