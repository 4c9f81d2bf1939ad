// SPDX-License-Identifier: Apache-2.0
#include "sandbox/file_rights.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

namespace ethos::sandbox {
namespace {

// How the one thread was scheduled that lends a user, and its own ids.
struct Own {
  uid_t uid = 0;
  gid_t gid = 0;
  cpu_set_t processors{};
  int policy = SCHED_OTHER;
  sched_param param{};
  int nice = 0;
};

// Mirrors what the kernel holds for the process, which is one for all of it.
std::optional<CallerRights>& lent() {
  static std::optional<CallerRights> rights;
  return rights;
}

Own& own() {
  static Own ids;
  return ids;
}

// Of this thread alone, unlike what libc makes of it. A change of ids makes the kernel forget that
// the process is to die with its parent.
bool set(uid_t uid, gid_t gid) {
  constexpr auto kKeep = static_cast<uid_t>(-1);
  const auto set_group = [&] { return ::syscall(SYS_setresgid, kKeep, gid, kKeep) == 0; };
  // Only root's user may take any group.
  const bool is_own = uid == own().uid;
  bool ok = is_own || set_group();
  ok = ::syscall(SYS_setresuid, kKeep, uid, kKeep) == 0 && ok;
  if (is_own) ok = set_group() && ok;
  static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
  return ok;
}

// A process whose securebits keep them (SECBIT_NO_SETUID_FIXUP) would lend them, too.
bool has_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return true;
  return std::ranges::any_of(sets, [](const auto& set) { return set.effective != 0; });
}

}  // namespace

bool CallerRights::has_group(gid_t group) const {
  return group == gid || std::ranges::find(groups, group) != groups.end();
}

base::Result<void> lend_rights_of(CallerRights caller) {
  const pid_t parent = ::getppid();
  own().uid = ::geteuid();
  own().gid = ::getegid();
  own().policy = ::sched_getscheduler(0);
  errno = 0;
  own().nice = ::getpriority(PRIO_PROCESS, 0);
  if (own().policy < 0 || errno != 0 || ::sched_getparam(0, &own().param) != 0 ||
      ::sched_getaffinity(0, sizeof own().processors, &own().processors) != 0)
    return base::fail_errno("the scheduling of the runner", errno);
  if (::setgroups(caller.groups.size(), caller.groups.data()) != 0)
    return base::fail_errno("the caller's groups", errno);
  // A root who calls keeps what is his.
  if (!set(caller.uid, caller.gid) || ::geteuid() != caller.uid ||
      (caller.uid != own().uid && has_capabilities()))
    return base::fail_errno("the caller's rights", EPERM);
  if (::getppid() != parent) return base::fail_errno("the service", ESRCH);
  lent() = std::move(caller);
  return {};
}

const std::optional<CallerRights>& lent_rights() { return lent(); }

uid_t file_uid() { return lent() ? lent()->uid : ::geteuid(); }

bool is_roots_runner() { return (lent() ? own().uid : ::geteuid()) == 0; }

void restore_scheduling() {
  if (!lent()) return;
  static_cast<void>(::sched_setscheduler(0, own().policy, &own().param));
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, own().nice));
  static_cast<void>(::sched_setaffinity(0, sizeof own().processors, &own().processors));
}

OwnRights::OwnRights() {
  if (!lent() || ::geteuid() == own().uid) return;
  is_taken_ = true;
  set(own().uid, own().gid);
}

OwnRights::~OwnRights() {
  // Going on with more than the caller's rights is not to happen.
  if (is_taken_ && !set(lent()->uid, lent()->gid)) std::abort();
}

}  // namespace ethos::sandbox
