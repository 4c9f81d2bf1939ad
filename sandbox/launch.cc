// SPDX-License-Identifier: Apache-2.0
#include "sandbox/launch.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <tuple>

#include "ledger/base/step_mark.h"
#include "sandbox/file_rights.h"
#include "sandbox/init_image.h"
#include "sandbox/proc_dir.h"
#include "sandbox/readback.h"
#include "sandbox/sha256.h"
#include "sandbox/syscall_filter.h"
#include "sandbox/task_list.h"
#include "sandbox/tree_use.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

constexpr int kSetupTimeoutMs = 30'000;

RunnerFailure runner_failure(std::string what, int error) { return {std::move(what), error}; }

// RLIMIT_CORE keeps a crash from files and from programs that `kernel.core_pattern` names, but not
// from a socket that it names (Linux 6.16). What the kernel sends there holds none of the memory of
// a process with this filter, which children inherit and the cage cannot write. Nor ours, with the
// keys.
void give_dumps_no_memory() {
  const base::UniqueFd filter(open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC));
  // A kernel that knows no filter makes no dumps.
  if (filter.is_open()) std::ignore = write(filter.get(), "0", 1);
}

}  // namespace

SharedMemory::SharedMemory() {
  void* at =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return;
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): what is owned is the mapping
  at_ = ::new (at) Shared;
}

SharedMemory::~SharedMemory() {
  if (at_ != nullptr) munmap(at_, sizeof(Shared));
}

Launch::Launch(const Plan& plan, const LaunchOptions& options)
    : plan_(plan),
      options_(options),
      fault_(step_by_name(options.fault.step)),
      abi_(running_landlock_abi()),
      ruleset_(prepare_ruleset(plan, abi_)),
      root_(plan, blueprint_) {}

Launch::~Launch() {
  struct rusage usage {};
  std::string source;
  take_down(usage, source);
  const OwnRights own;
  cgroup_.reset();
}

bool Launch::is_fault(Step step) const { return fault_ == step; }

std::string Launch::object_text(int mount) const {
  if (mount < 0 || static_cast<std::size_t>(mount) >= plan_.mounts.size()) return {};
  const Mount& m = plan_.mounts[static_cast<std::size_t>(mount)];
  return m.source.empty() ? m.at : m.source;
}

Launch::Failure Launch::denial(Step step, int error, std::string object) const {
  const Explanation words = explain(step, error);
  return SetupDenial{
      std::string(step_name(step)), error, std::move(object), words.cause, words.fix, {}};
}

Launch::Failure Launch::denial_of(const StepFailure& failure) const {
  return denial(failure.step, failure.error, object_text(failure.mount));
}

// The child said what failed, or died in the middle of a step.
Launch::Failure Launch::denial_of_child() const {
  const Shared& shared = shared_.get();
  const auto step = static_cast<Step>(shared.step.load(std::memory_order_acquire));
  if (shared.failed.load(std::memory_order_acquire) == 0)
    return denial(step, ECHILD, "the set-up process died");
  if (step == Step::landlock && shared.object >= 0) {
    const auto index = static_cast<std::size_t>(shared.object);
    return denial(step, shared.error,
                  index < plan_.landlock.size() ? plan_.landlock[index].at : std::string());
  }
  return denial(step, shared.error, object_text(shared.object));
}

std::optional<Launch::Failure> Launch::build(const std::function<void()>& meanwhile) {
  base::step_mark("blueprint");
  if (auto failed = check()) return failed;
  blueprint_ = make_blueprint(plan_);
  base::step_mark("pipes and init");
  if (auto failed = open_streams()) return failed;
  base::step_mark("cgroup leaf");
  if (auto failed = make_cgroup()) return failed;
  base::step_mark("open granted trees");
  if (auto failed = start_child()) return failed;
  base::step_mark("while the child builds");
  prepare_proof();
  meanwhile();
  base::step_mark("wait for the child");
  if (auto failed = receive_handover()) return failed;
  base::step_mark("wait for the barrier");
  return wait_for_barrier();
}

std::optional<Launch::Failure> Launch::check() {
  if (is_fault(Step::options)) return denial(Step::options, options_.fault.error);
  if (std::string wrong = check_plan(plan_); !wrong.empty())
    return denial(Step::options, EINVAL, std::move(wrong));
  if (is_fault(Step::kernel)) return denial(Step::kernel, options_.fault.error);
  if (abi_ == 0) return denial(Step::kernel, EOPNOTSUPP, "Landlock");
  return std::nullopt;
}

// A leaf where it counts something: it gives the exact kill and the counters. Required only when a
// limit asks for it. One without a controller holds and counts nothing, and making and removing it
// takes 3 % of a launch: pid 1's death ends every process, and the listener's hang-up proves it.
std::optional<Launch::Failure> Launch::make_cgroup() {
  const OwnRights own;
  if (is_fault(Step::cgroup)) return denial(Step::cgroup, options_.fault.error);
  bool is_required = !options_.cgroup_parent.empty();
  for (const Limit& limit : plan_.limits) is_required |= limit.by == Enforcer::cgroup;
  const auto refuse = [&](const base::Error& error) -> std::optional<Failure> {
    if (!is_required) return std::nullopt;
    return denial(Step::cgroup, error.sys, error.what);
  };
  auto parent = options_.cgroup_found ? base::Result<CgroupParent>(*options_.cgroup_found)
                                      : find_cgroup_parent(options_.cgroup_parent);
  if (!parent) return refuse(parent.error());
  if (!is_required && parent->controllers.empty()) return std::nullopt;
  auto leaf = CgroupLeaf::create(*parent, plan_, options_.note_cgroup);
  if (!leaf) return refuse(leaf.error());
  cgroup_.emplace(std::move(leaf).value());
  return std::nullopt;
}

std::optional<Launch::Failure> Launch::start_child() {
  if (is_fault(Step::source)) return denial(Step::source, options_.fault.error);
  const bool is_root = plan_.identity.is_mapped_by_root;
  // With the caller's rights where this is for one; from here on with our own.
  if (is_root)
    if (const StepFailure failure = root_.open_trees()) return denial_of(failure);
  const OwnRights own;
  restore_scheduling();  // the tool's processes inherit it
  self_pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!self_pidfd_.is_open()) return runner_failure("pidfd_open", errno);
  child_state_ = std::make_unique<ChildState>();
  context_.plan = &plan_;
  context_.blueprint = &blueprint_;
  context_.ruleset = &ruleset_;
  context_.program = filter_program(filter_name(plan_));
  context_.shared = &shared_.get();
  context_.state = child_state_.get();
  context_.supervisor_pidfd = self_pidfd_.get();
  context_.channel = child_channel_.get();
  context_.to_look_below = root_.to_look_below();
  context_.init_fd = init_.get();
  context_.stdio = {stdin_.get(), out_write_.get(), err_write_.get()};
  context_.forces_copies = options_.forces_copies;
  context_.fault_step = fault_;
  context_.fault_error = options_.fault.error;

  if (options_.audit != AuditUse::off) audit_.open(abi_);
  if (is_fault(Step::clone)) return denial(Step::clone, options_.fault.error);
  give_dumps_no_memory();
  // A child that changes its uid while it shares our memory makes us undumpable: put back later.
  was_dumpable_ = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1;
  base::step_mark("clone");
  Cloned cloned = clone_child(context_, stack_, cgroup_ ? cgroup_->fd() : -1);
  if (cloned.error == EACCES && cgroup_) {
    // The leaf can be made but not entered from here: only required limits insist on it.
    bool is_required = !options_.cgroup_parent.empty();
    for (const Limit& limit : plan_.limits) is_required |= limit.by == Enforcer::cgroup;
    if (is_required) return denial(Step::clone, cloned.error);
    cgroup_.reset();
    cloned = clone_child(context_, stack_, -1);
  }
  if (cloned.error != 0) return denial(Step::clone, cloned.error);
  pid_ = cloned.pid;
  pidfd_ = std::move(cloned.pidfd);
  child_channel_.reset();
  stdin_.reset();
  out_write_.reset();
  err_write_.reset();
  if (!is_root) return std::nullopt;
  if (is_fault(Step::id_mapped_mount)) return denial(Step::id_mapped_mount, options_.fault.error);
  base::step_mark("id maps and mapped trees");
  if (const StepFailure failure = root_.prepare(pid_)) return denial_of(failure);
  if (const StepFailure failure = root_.send(channel_.get())) {
    // A broken channel means that the child failed first and says why.
    if (failure.error == EPIPE || failure.error == ECONNRESET)
      if (auto failed = wait_readable(-1, failure.step)) return failed;
    return denial_of(failure);
  }
  return std::nullopt;
}

// Waits until `fd` is readable; when the child dies instead, that is the failure.
std::optional<Launch::Failure> Launch::wait_readable(int fd, Step step) {
  std::array<pollfd, 2> watch{{{pidfd_.get(), POLLIN, 0}, {fd, POLLIN, 0}}};
  for (;;) {
    const int ready = poll(watch.data(), watch.size(), kSetupTimeoutMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return runner_failure("poll", errno);
    if (ready == 0) return denial(step, ETIMEDOUT);
    if ((watch[1].revents & POLLIN) != 0) return std::nullopt;
    if (watch[0].revents != 0) {
      reap();
      return denial_of_child();
    }
    // The other end hung up: the child is about to be gone.
    watch[1].fd = -1;
  }
}

std::optional<Launch::Failure> Launch::receive_handover() {
  if (auto failed = wait_readable(channel_.get(), Step::notification)) return failed;
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxHandover * sizeof(int))] = {};
  char kind = 0;
  iovec part{&kind, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(channel_.get(), &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr) {
    if (auto failed = wait_readable(-1, Step::notification)) return failed;
    return denial(Step::notification, EPROTO);
  }
  const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  std::vector<UniqueFd> fds;
  for (std::size_t i = 0; i < count; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
    fds.emplace_back(fd);
  }
  const std::size_t expected = 1 + (blueprint_.scratch_mount >= 0 ? 1 : 0) +
                               static_cast<std::size_t>(blueprint_.staged_count);
  if (count != expected) return denial(Step::notification, EPROTO);
  listener_ = Listener(std::move(fds[0]));
  std::size_t next = 1;
  if (blueprint_.scratch_mount >= 0) scratch_ = std::move(fds[next++]);
  for (; next < count; ++next) uppers_.push_back(std::move(fds[next]));
  channel_.reset();
  if (shared_.get().has_unlooked != 0)
    if (const StepFailure failure = root_.look_below()) return denial_of(failure);
  return std::nullopt;
}

// The child's probes come through the listener too; each is refused. Then its execveat: the
// barrier.
std::optional<Launch::Failure> Launch::wait_for_barrier() {
  if (is_fault(Step::notification)) return denial(Step::notification, options_.fault.error);
  for (;;) {
    if (auto failed = wait_readable(listener_.fd(), Step::notification)) return failed;
    Call call;
    int error = 0;
    if (!listener_.receive(call, error)) {
      if (error == ENOENT || error == EINTR) continue;
      return denial(Step::notification, error);
    }
    const bool is_barrier = call.nr == SYS_execveat && call.pid == pid_ &&
                            static_cast<int>(call.args[0]) == init_.get() &&
                            call.args[4] == AT_EMPTY_PATH;
    if (!is_barrier) {
      listener_.answer(call.id, EPERM);
      continue;
    }
    barrier_id_ = call.id;
    return std::nullopt;
  }
}

void Launch::prepare_proof() {
  own_namespaces_ = read_own_namespaces();
  filter_sha256_ = sha256(context_.program);
  init_sha256_ = sha256(init_image());
}

// Before the read-back: whether the kernel's audit is a source of this run.
std::optional<Launch::Failure> Launch::find_audit() {
  if (is_fault(Step::audit)) return denial(Step::audit, options_.fault.error);
  const bool is_required = options_.audit == AuditUse::required;
  if (audit_.find_canary(pid_, is_required) || !is_required) return std::nullopt;
  Failure failure = denial(Step::audit, audit_.error());
  std::get<SetupDenial>(failure).cause += std::string(": ") + audit_.why();
  return failure;
}

std::optional<Launch::Failure> Launch::prove(Enforced& enforced) {
  const OwnRights rights;
  if (auto failed = find_audit()) return failed;
  base::step_mark("read back");
  const auto& own = *own_namespaces_;
  if (!own) return denial(Step::readback, own.error().sys, own.error().what);
  if (auto read = read_back(pid_, plan_, *own, enforced); !read)
    return denial(Step::readback, read.error().sys, read.error().what);
  if (cgroup_) {
    const std::string path = enforced.cgroup.path;
    enforced.cgroup = cgroup_->read_back();
    enforced.cgroup.path = path;
  }
  enforced.is_listener_live = listener_.is_valid(barrier_id_);
  enforced.probes = describe_probes(shared_.get());
  enforced.landlock = describe(ruleset_, abi_);
  enforced.seccomp = {filter_name(plan_), filter_sha256_, context_.program};
  enforced.init_sha256 = init_sha256_;
  enforced.live_sources = {"output_counter", "pidfd", "seccomp_notify", "timer"};
  if (audit_.is_live())
    enforced.live_sources.insert(enforced.live_sources.begin(), "landlock_audit");
  if (cgroup_) enforced.live_sources.insert(enforced.live_sources.begin(), "cgroup_events");
  std::vector<Mismatch> mismatches = compare(plan_, enforced);
  if (is_fault(Step::readback)) mismatches.push_back({"fault", "none", "injected"});
  if (mismatches.empty()) return std::nullopt;
  Failure failure = denial(Step::readback, 0, mismatches.front().what);
  std::get<SetupDenial>(failure).mismatches = std::move(mismatches);
  return failure;
}

void Launch::release() {
  if (audit_.is_live()) audit_.watch().begin_run();
  has_others_ = true;
  listener_.let_through(barrier_id_);
  restore_dumpable();
}

void Launch::restore_dumpable() const {
  if (was_dumpable_) prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

std::uint64_t Launch::count_tasks() const {
  return cgroup_ ? cgroup_->count_tasks() : count_threads(pid_);
}

// The raw call also tells what the whole tree used.
void Launch::reap() {
  siginfo_t info{};
  while (syscall(SYS_waitid, P_PIDFD, pidfd_.get(), &info, WEXITED | __WALL, &usage_) != 0)
    if (errno != EINTR) break;
  is_reaped_ = true;
  restore_dumpable();
}

bool Launch::take_down(struct rusage& usage, std::string& source) {
  const OwnRights own;
  if (pid_ < 0) return true;
  if (!is_reaped_) {
    // pid 1 dies last: the kernel kills and reaps the rest of its namespace before it becomes a
    // zombie, so that a dead pid 1 means an empty cage.
    std::optional<TreeUse> others;
    if (has_others_) others = measure_use(pid_);
    if (cgroup_) cgroup_->kill();
    syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
    reap();
    if (others) raise_use(usage_, *others);
  }
  if (cgroup_) {
    source = "cgroup.events populated";
    const bool is_empty = cgroup_->wait_until_empty();
    raise_cpu(usage_, cgroup_->number("cpu.stat", "user_usec"),
              cgroup_->number("cpu.stat", "system_usec"));
    usage = usage_;
    return is_empty;
  }
  usage = usage_;
  source = "seccomp listener hang-up";
  if (!listener_.is_open()) return true;
  pollfd watch{listener_.fd(), POLLIN, 0};
  return poll(&watch, 1, 1000) == 1 && (watch.revents & POLLHUP) != 0;
}

// The listener keeps the credentials of the process that made it, and they its Landlock domain. The
// domain ends behind a grace period and a work item of the kernel's.
void Launch::await_audit() {
  constexpr int kMostMs = 2'000;
  if (!audit_.is_live()) return;
  listener_ = Listener();
  audit_.await_end(kMostMs);
}

bool Launch::remove_cgroup() {
  const OwnRights own;
  return !cgroup_ || cgroup_->remove();
}

}  // namespace ethos::sandbox
