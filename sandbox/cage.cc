// SPDX-License-Identifier: Apache-2.0
#include "sandbox/cage.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "ledger/base/step_mark.h"
#include "sandbox/file_rights.h"
#include "sandbox/grant_outputs.h"
#include "sandbox/launch.h"
#include "sandbox/signal_guard.h"
#include "sandbox/small_limits.h"
#include "sandbox/watch.h"

namespace ethos::sandbox {
namespace {

CageOutcome to_outcome(const Plan& plan, Launch::Failure failure) {
  if (auto* denial = std::get_if<SetupDenial>(&failure)) blame_small_limit(plan, *denial);
  return std::visit(
      [](auto&& value) -> CageOutcome { return std::forward<decltype(value)>(value); },
      std::move(failure));
}

// No descriptor of ours becomes one of the tool's: the programs see to it first of all, and whoever
// calls this from elsewhere may have closed them.
bool ensure_standard_fds() {
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    const int opened = open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
    if (opened < 0) return false;
    if (opened != fd) {
      if (dup2(opened, fd) < 0) return false;
      close(opened);
    }
  }
  return true;
}

}  // namespace

CageOutcome run_cage(const Plan& plan, const LaunchOptions& options, EvidenceSink& sink) {
  const std::uint64_t called_ns = boottime_ns();
  if (!ensure_standard_fds()) return RunnerFailure{"/dev/null", errno};
  // The clone child shares our memory: a handler that ran there would run here too.
  const SignalGuard signals;
  if (signals.fd() < 0) return RunnerFailure{"signalfd", errno};

  if (auto denial = too_small(plan)) return std::move(*denial);
  Launch launch(plan, options);
  if (auto failed = launch.build([&] { sink.while_building(); }))
    return to_outcome(plan, std::move(*failed));
  Enforced enforced;
  if (auto failed = launch.prove(enforced)) return to_outcome(plan, std::move(*failed));
  GrantOutputs outputs(plan);
  if (auto known = outputs.remember_copies(launch, -1); !known)
    return RunnerFailure{known.error().message(), known.error().sys};
  RunResult result;
  result.setup_ns = boottime_ns() - called_ns;
  if (!sink.on_barrier(enforced)) return RunnerFailure{"the evidence before the start", 0};

  base::step_mark("release");
  Watch watch(plan, options, launch, sink, signals.fd());
  {
    const OwnRights own;
    restore_scheduling();
    launch.release();
    watch.run(result);
  }

  base::step_mark("take down");
  const bool is_empty = launch.take_down(result.usage, result.processes_left_source);
  result.processes_left = is_empty ? 0 : 1;
  base::step_mark("last output, outputs");
  with_own_rights([&] { watch.finish(result); });
  outputs.collect(launch, options, signals.fd(), result);
  for (const Denial& refusal : result.commit_refusals) {
    result.denials += refusal.count;
    if (sink.on_denial(refusal)) continue;
    result.ending = Ending::evidence;
    result.detail = "a refused output could not be recorded";
  }
  if (result.unread_artifacts > 0) {
    const std::uint64_t now = boottime_ns();
    if (!sink.on_gap({"artifact_unread", result.unread_artifacts, now, now}))
      result.ending = Ending::evidence;
  }
  base::step_mark("remove cgroup");
  result.is_cgroup_gone = launch.remove_cgroup();
  result.teardown_ns = boottime_ns() - result.ended_ns;
  return result;
}

}  // namespace ethos::sandbox
