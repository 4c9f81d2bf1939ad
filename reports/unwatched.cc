// SPDX-License-Identifier: Apache-2.0
#include "reports/unwatched.h"

namespace ethos::reports {
namespace {

void count(const Model& model, const Run& run, Unwatched& out) {
  if (!run.enforced) return;
  const Watch watch = watch_of(model, run);
  if (watch == Watch::no_reads) ++out.reads;
  if (watch == Watch::nothing) ++out.nothing;
}

std::string runs_text(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " run" : " runs");
}

}  // namespace

Watch watch_of(const Model& model, const Run& run) {
  const std::string& observe = model.text(run.observe);
  if (observe == "all") return Watch::all;
  // A word that this program does not know promises no more than nothing.
  return observe == "writes" ? Watch::no_reads : Watch::nothing;
}

std::string_view watch_label(const Model& model, const Run& run) {
  if (!run.enforced) return {};
  switch (watch_of(model, run)) {
    case Watch::all:
      return {};
    case Watch::no_reads:
      return "reads not watched";
    case Watch::nothing:
      return "not watched";
  }
  return {};
}

Unwatched unwatched_runs(const Model& model) {
  Unwatched out;
  for (const Run& run : model.runs) count(model, run, out);
  return out;
}

Unwatched unwatched_runs(const Model& model, NameId tool) {
  Unwatched out;
  for (const Run& run : model.runs) {
    if (run.tool == tool) count(model, run, out);
  }
  return out;
}

std::int64_t unwatched_in(const Unwatched& runs, Capability capability) {
  switch (capability) {
    case Capability::read:
    case Capability::files:
    case Capability::hidden:
    case Capability::git:
      return runs.all();
    case Capability::write:
    case Capability::execute:
    case Capability::network:
    case Capability::syscalls:
      return runs.nothing;
    case Capability::environment:  // is not asked for by a call
    case Capability::limits:       // Limits in force says it
      return 0;
  }
  return 0;
}

std::string_view recorded_calls_text() {
  return "Under writes and all a record is left by refused network calls (socket, connect, bind; "
         "of a grant of loopback not datagrams and MSG_FASTOPEN to outside), changes of files and "
         "names, opens for writing, starts of programs, and calls that no tool gets or not with "
         "these arguments (mount, ptrace, chroot, new namespaces, ioctl and the like; rules "
         "syscall and arch). Under all also by refused opens for reading and mappings for running.";
}

std::string_view unrecorded_calls_text() {
  return "looks that open nothing (stat, access, readlink), signals to processes that the cage "
         "does "
         "not show, look-ups of host names (no server is named there), the name service cache, "
         "what "
         "file permissions and limits of the kernel refuse as outside a cage, and a path that was "
         "exchanged while it was judged leave no record. What the cage does not contain such looks "
         "do "
         "not find; that a hidden name is there they can tell (What was observed says what does "
         "leave a record).";
}

std::string unwatched_text(const Model& model) {
  const Unwatched runs = unwatched_runs(model);
  std::string out;
  if (runs.reads != 0) out = "refused reads in " + runs_text(runs.reads) + " (observation: writes)";
  if (runs.nothing != 0)
    out += (out.empty() ? "" : ", ") + ("any refused call in " + runs_text(runs.nothing)) +
           " (observation: off)";
  return out;
}

}  // namespace ethos::reports
