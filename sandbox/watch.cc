// SPDX-License-Identifier: Apache-2.0
#include "sandbox/watch.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "ledger/base/step_mark.h"
#include "sandbox/audit_denial.h"
#include "sandbox/file_limit.h"
#include "sandbox/init/init_report.h"
#include "sandbox/syscall_filter.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kTickMs = 100;

// Once, after so long; 0 disarms it.
bool set_timer(const base::UniqueFd& fd, std::uint64_t ms) {
  const itimerspec when{{},
                        {static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000 * kNsPerMs)}};
  return timerfd_settime(fd.get(), 0, &when, nullptr) == 0;
}

base::UniqueFd make_timer(std::uint64_t ms) {
  base::UniqueFd fd(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
  if (fd.is_open() && !set_timer(fd, ms)) fd.reset();
  return fd;
}

std::uint64_t limit_value(const Plan& plan, const char* name) {
  const auto limit = plan.limit(name);
  return limit ? limit->value : 0;
}

}  // namespace

Watch::Watch(const Plan& plan, const LaunchOptions& options, Launch& launch, EvidenceSink& sink,
             int signal_fd)
    : plan_(plan),
      launch_(launch),
      sink_(sink),
      evidence_(sink),
      judge_(plan, evidence_, options.uses),
      limits_(plan, launch),
      masks_(plan, launch.pid()),
      out_(launch.take_stdout(), options.stdout_fd, options.spool_stdout_fd, options.keep_stdout),
      err_(launch.take_stderr(), options.stderr_fd, options.spool_stderr_fd, options.keep_stderr),
      in_(launch.take_input(), options.stdin_fd, launch.input_at()),
      signal_fd_(signal_fd) {}

bool Watch::add(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

bool Watch::open_loop() {
  epoll_.reset(epoll_create1(EPOLL_CLOEXEC));
  const std::uint64_t wall_ms = limit_value(plan_, "wall_ms");
  wall_timer_ = make_timer(wall_ms);  // 0: no wall limit
  tick_timer_ = make_timer(limits_.pause_ms());
  tick_ns_ = boottime_ns();
  return epoll_.is_open() && wall_timer_.is_open() && tick_timer_.is_open() &&
         add(launch_.pidfd(), EPOLLIN) && add(launch_.listener().fd(), EPOLLIN) &&
         add(out_.source(), EPOLLIN) && add(err_.source(), EPOLLIN) &&
         add(wall_timer_.get(), EPOLLIN) && add(tick_timer_.get(), EPOLLIN) &&
         add(signal_fd_, EPOLLIN) &&
         (!launch_.audit().is_live() || add(launch_.audit().fd(), EPOLLIN)) &&
         (masks_.fd() < 0 || add(masks_.fd(), EPOLLPRI)) && in_.watch(epoll_.get());
}

void Watch::end(RunResult& result, Ending ending, int status) {
  if (is_over_) return;
  is_over_ = true;
  result.ending = ending;
  result.status = status;
  result.has_tool_ended = ending == Ending::exited || ending == Ending::signaled;
}

void Watch::end_by_limit(RunResult& result, const LimitEvent& event) {
  const std::string name = event.name;
  if (!sink_.on_limit(event)) {
    result.detail = "the limit event could not be kept";
    end(result, Ending::evidence, 0);
  }
  if (event.action != LimitAction::killed) return;
  if (!is_over_) result.limit = name;
  end(result, name == "wall_ms" ? Ending::wall_timeout : Ending::limit, 0);
}

// Output that the caller does not take yet stops the reading, which stops the tool: back-pressure
// as in any pipe. The deadline and the notified calls go on.
void Watch::update_interest() {
  for (OutputStream* stream : {&out_, &err_}) {
    if (!stream->is_open()) continue;
    epoll_event event{};
    event.events = stream->may_read() ? EPOLLIN : 0U;
    event.data.fd = stream->source();
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, stream->source(), &event);
  }
}

int Watch::timeout_ms(std::uint64_t now) const {
  std::uint64_t wait = 60'000;
  if (const std::uint64_t deadline = evidence_.deadline_ns(); deadline != 0)
    wait = deadline <= now ? 0 : std::min(wait, (deadline - now) / kNsPerMs + 1);
  if (out_.has_pending() || err_.has_pending()) wait = std::min<std::uint64_t>(wait, 5);
  return static_cast<int>(wait);
}

void Watch::run(RunResult& result) {
  result.started_ns = boottime_ns();
  if (!open_loop()) {
    result.detail = "the supervisor could not open its event loop";
    end(result, Ending::evidence, 0);
  }
  // What changed while the cage was being built, before the table was watched.
  lose_mask(result, masks_.find_lost());
  std::array<epoll_event, 16> events;
  bool had_pending = false;
  while (!is_over_) {
    const std::uint64_t now = boottime_ns();
    if (const std::uint64_t deadline = evidence_.deadline_ns(); deadline != 0 && deadline <= now)
      evidence_.flush();
    const int ready =
        epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms(now));
    if (ready < 0 && errno != EINTR) {
      result.detail = "epoll_wait failed";
      end(result, Ending::evidence, 0);
    }
    for (int i = 0; i < ready && !is_over_; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      handle(event.data.fd, event.events, result);
    }
    if (out_.has_pending()) out_.write_some();
    if (err_.has_pending()) err_.write_some();
    const bool has_pending = out_.has_pending() || err_.has_pending();
    if (has_pending || had_pending) update_interest();
    had_pending = has_pending;
    if (evidence_.has_failed()) {
      result.detail = "a denial could not be kept";
      end(result, Ending::evidence, 0);
    }
  }
  result.ended_ns = boottime_ns();
}

void Watch::handle(int fd, std::uint32_t events, RunResult& result) {
  if (fd == launch_.listener().fd()) {
    serve_call(events, result);
  } else if (fd == out_.source()) {
    read_stream(out_, result);
  } else if (fd == err_.source()) {
    read_stream(err_, result);
  } else if (fd == launch_.pidfd()) {
    judge_death(result);
  } else if (fd == wall_timer_.get()) {
    LimitEvent event;
    event.name = "wall_ms";
    event.value = limit_value(plan_, "wall_ms");
    event.observed = (boottime_ns() - result.started_ns) / kNsPerMs;
    event.source = "timer";
    end_by_limit(result, event);
  } else if (fd == tick_timer_.get()) {
    tick(result);
  } else if (fd == signal_fd_) {
    read_signal(result);
  } else if (launch_.audit().is_live() && fd == launch_.audit().fd()) {
    launch_.audit().read_some();
    hear_audit(false);
  } else if (fd == masks_.fd()) {
    lose_mask(result, masks_.find_lost());
  } else if (in_.is_mine(fd)) {
    in_.carry(events, fd);
    judge_input(result);
  }
}

// The tool would take what it got for the whole of its input.
void Watch::judge_input(RunResult& result) {
  if (in_.error() == 0 || is_over_) return;
  result.detail = "standard input could not be read to its end: " +
                  std::generic_category().message(in_.error());
  end(result, Ending::evidence, 0);
}

// One call, and the other descriptors get their turn: epoll has just said that it is there, so that
// asking for it does not wait, and it is the cheapest way to wait for the next one, too.
void Watch::serve_call(std::uint32_t events, RunResult& result) {
  Listener& listener = launch_.listener();
  if ((events & EPOLLIN) == 0) {
    // Hang-up: no task with the filter is left; pid 1's death follows. Left in, it would spin.
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener.fd(), nullptr);
    return;
  }
  Call call;
  int error = 0;
  if (!listener.receive(call, error)) return;
  const std::uint64_t now = boottime_ns();
  const bool is_due = burst_.is_due(now);
  serve(call, now, result);
  if (is_due && !is_over_) serve_burst(result);
}

// Until nobody calls, or the others have waited long enough.
void Watch::serve_burst(RunResult& result) {
  if (!burst_.begin()) return;
  const std::uint64_t until = boottime_ns() + CallBurst::kLongestNs;
  bool is_idle = false;
  for (std::uint64_t now = 0; now < until && !is_idle && !is_over_ && !evidence_.has_failed();) {
    Call call;
    int error = 0;
    if (launch_.listener().receive(call, error)) {
      now = boottime_ns();
      serve(call, now, result);
    } else {
      is_idle = true;  // interrupted, or the caller went away, or everybody did: epoll tells
    }
  }
  burst_.end(is_idle);
}

void Watch::serve(const Call& call, std::uint64_t now, RunResult& result) {
  base::step_mark("answer a call");
  if (take_report(call, result)) return;
  const Listener& listener = launch_.listener();
  const Verdict verdict = judge_.decide(call, listener, now);
  if (verdict.error == 0) {
    if (!listener.let_through(call.id) && verdict.is_unasked) evidence_.add_gap("target_gone", now);
  } else {
    listener.answer(call.id, verdict.error);
  }
  base::step_mark("wait for a call");
}

// Pid 1's word about the tool. The kernel says that it comes from pid 1.
bool Watch::take_report(const Call& call, RunResult& result) {
  if (call.nr != SYS_execveat || call.pid != launch_.pid() ||
      static_cast<int>(call.args[0]) != ETHOS_REPORT_MAGIC)
    return false;
  const int status = static_cast<int>(call.args[2]);
  init_max_rss_ = call.args[3] * 1024;
  if (call.args[4] == 0) launch_.set_no_others();
  switch (call.args[1]) {
    case ETHOS_REPORT_ENDED:
      if (WIFSIGNALED(status)) {
        end(result, Ending::signaled, WTERMSIG(status));
      } else {
        end(result, Ending::exited, WEXITSTATUS(status));
      }
      break;
    case ETHOS_REPORT_EXEC_FAILED:
      end(result,
          status == ENOENT || status == ENOTDIR ? Ending::not_found : Ending::not_executable,
          status);
      break;
    default:
      result.detail = "pid 1 of the cage could not start a process";
      end(result, Ending::evidence, status);
  }
  return true;
}

std::uint64_t Watch::output_room() const {
  const std::uint64_t limit = limit_value(plan_, "output_bytes");
  if (limit == 0) return UINT64_MAX;
  return limit > output_bytes_ ? limit - output_bytes_ : 0;
}

void Watch::read_stream(OutputStream& stream, RunResult& result) {
  if (!stream.may_read()) {
    update_interest();
    return;
  }
  output_bytes_ += stream.read_some(output_room());
  if (const auto event = output_event()) end_by_limit(result, *event);
}

// Once, when the tool has written more than it may.
std::optional<LimitEvent> Watch::output_event() {
  const std::uint64_t limit = limit_value(plan_, "output_bytes");
  if (limit == 0 || output_bytes_ <= limit || has_reported_output_) return std::nullopt;
  has_reported_output_ = true;
  LimitEvent event;
  event.name = "output_bytes";
  event.value = limit;
  event.observed = output_bytes_;
  event.source = "byte_counter";
  event.action = plan_.truncate_output ? LimitAction::truncated : LimitAction::killed;
  return event;
}

void Watch::tick(RunResult& result) {
  std::uint64_t expirations = 0;
  if (read(tick_timer_.get(), &expirations, sizeof expirations) < 0) return;
  const std::uint64_t passed_ms = (boottime_ns() - tick_ns_) / kNsPerMs;
  if (passed_ms < kTickMs) {
    for (const LimitEvent& event : limits_.look_at_memory()) end_by_limit(result, event);
    set_tick(std::min(limits_.pause_ms(), kTickMs - passed_ms), result);
    return;
  }
  tick_ns_ = boottime_ns();
  for (const LimitEvent& event : limits_.look()) end_by_limit(result, event);
  lose_mask(result, masks_.find_lost_by_turns());
  in_.look_again();
  judge_input(result);
  set_tick(limits_.pause_ms(), result);
}

void Watch::set_tick(std::uint64_t ms, RunResult& result) {
  if (set_timer(tick_timer_, ms)) return;
  result.detail = "the supervisor's timer failed";
  end(result, Ending::evidence, 0);
}

void Watch::hear_audit(bool is_end) {
  for (AuditDenial& heard : launch_.audit().watch().take_denials(is_end))
    evidence_.add(describe(std::move(heard), plan_), boottime_ns());
}

// What the kernel refused and could not tell is counted by it.
void Watch::settle_audit() {
  if (!launch_.audit().is_live()) return;
  launch_.await_audit();
  hear_audit(true);
  const AuditWatch& heard = launch_.audit().watch();
  const auto refused = heard.final_count();
  if (!refused)
    evidence_.add_gap("audit_cut", boottime_ns());
  else if (*refused > heard.received())
    evidence_.add_lost("audit_lost", *refused - heard.received(), boottime_ns());
}

// What was hidden may have been read already: the run is not what its records say any more.
void Watch::lose_mask(RunResult& result, const std::string* mask) {
  if (mask == nullptr || is_over_) return;
  evidence_.add_gap("mask_lost", boottime_ns());
  result.detail = "a change on the host took the mask from " + *mask;
  end(result, Ending::evidence, 0);
}

void Watch::read_signal(RunResult& result) {
  signalfd_siginfo info{};
  if (read(signal_fd_, &info, sizeof info) != sizeof info) return;
  end(result, Ending::interrupted, static_cast<int>(info.ssi_signo));
}

// Pid 1 died without a report: an out-of-memory kill of the cgroup, or of the host, or somebody
// outside. How the tool ended is not known then, and what was notified and not yet taken is lost.
void Watch::judge_death(RunResult& result) {
  for (const LimitEvent& event : limits_.look()) end_by_limit(result, event);
  if (is_over_) return;
  evidence_.add_gap("source_lost", boottime_ns());
  result.detail = "the cage's first process was killed from outside";
  end(result, Ending::evidence, 0);
}

// A process that was still there when pid 1 told the tool's end may have read what it should not
// see until the kill, and the calls that were answered may have kept the event waiting. The table
// of mounts outlives the processes, as we hold it.
void Watch::judge_masks(RunResult& result) {
  const std::string* mask = masks_.find_lost();
  if (mask == nullptr || result.ending == Ending::evidence) return;
  evidence_.add_gap("mask_lost", boottime_ns());
  result.detail = "a change on the host took the mask from " + *mask;
  result.ending = Ending::evidence;
  result.status = 0;
}

// What a tool leaves in its pipes counts as what it wrote earlier.
void Watch::judge_output(RunResult& result) {
  const auto event = output_event();
  if (!event) return;
  if (!sink_.on_limit(*event)) result.ending = Ending::evidence;
  if (event->action != LimitAction::killed) return;
  if (result.ending != Ending::exited && result.ending != Ending::signaled) return;
  result.ending = Ending::limit;
  result.limit = event->name;
  result.status = 0;
}

void Watch::finish(RunResult& result) {
  in_.close();
  judge_masks(result);
  // Everybody is dead: what is in the pipes is all there is.
  for (OutputStream* stream : {&out_, &err_}) {
    while (stream->is_open()) {
      const std::uint64_t n = stream->read_some(output_room());
      output_bytes_ += n;
      if (n == 0) break;
    }
    stream->flush_filter();
    stream->write_some();
  }
  judge_output(result);
  // The kernel does not say who sent the signal, and a tool can send it to itself: the limit is
  // said to be reached only when a file that has come up to it is there.
  const std::uint64_t file_limit = limit_value(plan_, "file_bytes");
  if (result.ending == Ending::signaled && result.status == SIGXFSZ && file_limit != 0 &&
      has_file_of_size(plan_, launch_, file_limit)) {
    LimitEvent event;
    event.name = "file_bytes";
    event.value = event.observed = file_limit;
    event.by = Enforcer::rlimit;
    event.mark = Mark::supervisor;
    event.source = "wait_status";
    result.ending = Ending::limit;
    result.limit = event.name;
    if (!sink_.on_limit(event)) result.ending = Ending::evidence;
  }
  for (const LimitEvent& event : limits_.look_at_end(init_max_rss_))
    if (!sink_.on_limit(event)) result.ending = Ending::evidence;
  settle_audit();
  evidence_.finish();
  if (evidence_.has_failed()) {
    result.ending = Ending::evidence;
    result.detail = "evidence could not be kept";
  }
  result.denials = evidence_.denials();
  result.out = out_.finish();
  result.err = err_.finish();
  result.figures = limits_.figures();
}

}  // namespace ethos::sandbox
