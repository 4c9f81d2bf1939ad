// SPDX-License-Identifier: Apache-2.0
#include "sandbox/cage.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "ledger/base/step_mark.h"
#include "sandbox/grant_outputs.h"
#include "sandbox/launch.h"
#include "sandbox/watch.h"

namespace ethos::sandbox {
namespace {

// All signals blocked while the cage stands: the clone child shares our memory, and a handler that
// ran there would run here too. The ones that end a run come through the descriptor.
class SignalGuard {
 public:
  SignalGuard() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    sigset_t ending;
    sigemptyset(&ending);
    for (const int sig : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, sig);
    fd_.reset(signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() {
    // A SIGPIPE of our own writing must not strike once unblocked, nor what came while the outputs
    // were brought out: they are there now, and the run's last record must be written.
    sigset_t late;
    sigemptyset(&late);
    for (const int sig : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&late, sig);
    const timespec now{0, 0};
    // A signal is pending at most twice, for the process and for this thread.
    for (int i = 0; i < 16 && (sigtimedwait(&late, nullptr, &now) > 0 || errno == EINTR); ++i) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  sigset_t before_{};
  base::UniqueFd fd_;
};

CageOutcome to_outcome(Launch::Failure failure) {
  return std::visit(
      [](auto&& value) -> CageOutcome { return std::forward<decltype(value)>(value); },
      std::move(failure));
}

}  // namespace

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

CageOutcome run_cage(const Plan& plan, const LaunchOptions& options, EvidenceSink& sink) {
  const std::uint64_t called_ns = boottime_ns();
  if (!ensure_standard_fds()) return RunnerFailure{"/dev/null", errno};
  const SignalGuard signals;
  if (signals.fd() < 0) return RunnerFailure{"signalfd", errno};

  Launch launch(plan, options);
  if (auto failed = launch.build()) return to_outcome(std::move(*failed));
  Enforced enforced;
  if (auto failed = launch.prove(enforced)) return to_outcome(std::move(*failed));
  RunResult result;
  result.setup_ns = boottime_ns() - called_ns;
  if (!sink.on_barrier(enforced)) return RunnerFailure{"the evidence before the start", 0};

  base::step_mark("release");
  GrantOutputs outputs(plan);
  Watch watch(plan, options, launch, sink, signals.fd());
  launch.release();
  watch.run(result);

  base::step_mark("take down");
  const bool is_empty = launch.take_down(result.usage, result.processes_left_source);
  result.processes_left = is_empty ? 0 : 1;
  base::step_mark("last output, outputs");
  watch.finish(result);
  outputs.collect(launch, options, result);
  for (const Denial& refusal : result.commit_refusals) {
    result.denials += refusal.count;
    if (sink.on_denial(refusal)) continue;
    result.ending = Ending::evidence;
    result.detail = "a refused output could not be recorded";
  }
  base::step_mark("remove cgroup");
  result.is_cgroup_gone = launch.remove_cgroup();
  result.teardown_ns = boottime_ns() - result.ended_ns;
  return result;
}

}  // namespace ethos::sandbox
