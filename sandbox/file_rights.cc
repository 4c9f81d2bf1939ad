// SPDX-License-Identifier: Apache-2.0
#include "sandbox/file_rights.h"

#include <grp.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ethos::sandbox {
namespace {

// Mirrors what the kernel holds for the process, which is one for all of it.
std::optional<CallerRights>& lent() {
  static std::optional<CallerRights> rights;
  return rights;
}

// The only way to read it is to set what cannot be set.
uid_t present() { return static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))); }

// A change of ids makes the kernel forget that the process is to die with its parent.
void set(uid_t uid, gid_t gid) {
  static_cast<void>(::setfsgid(gid));
  static_cast<void>(::setfsuid(uid));
  static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
}

}  // namespace

bool CallerRights::has_group(gid_t group) const {
  return group == gid || std::ranges::find(groups, group) != groups.end();
}

base::Result<void> lend_rights_of(CallerRights caller) {
  const pid_t parent = ::getppid();
  if (::setgroups(caller.groups.size(), caller.groups.data()) != 0)
    return base::fail_errno("the caller's groups", errno);
  set(caller.uid, caller.gid);
  if (present() != caller.uid) return base::fail_errno("the caller's rights", EPERM);
  if (::getppid() != parent) return base::fail_errno("the service", ESRCH);
  lent() = std::move(caller);
  return {};
}

const std::optional<CallerRights>& lent_rights() { return lent(); }

uid_t file_uid() { return lent() ? lent()->uid : ::geteuid(); }

OwnRights::OwnRights() {
  if (!lent() || present() == ::geteuid()) return;
  is_taken_ = true;
  set(::geteuid(), ::getegid());
}

OwnRights::~OwnRights() {
  if (is_taken_) set(lent()->uid, lent()->gid);
}

}  // namespace ethos::sandbox
