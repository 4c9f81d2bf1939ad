// SPDX-License-Identifier: Apache-2.0
// The part of the clone child that gives things up: process limits, privilege, files, system calls.
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>

#include "sandbox/child_tools.h"

namespace ethos::sandbox::child {
namespace {

constexpr unsigned long kWaitKillable = 1UL << 5;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 5.19

struct Limit64 {
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
};

// Hard limits only ever go down: what the host allows less of stays less.
void set_rlimits(const ChildContext& c) {
  begin(c, Step::rlimits);
  for (const RlimitRequest& request : c.blueprint->rlimits) {
    Limit64 now;
    must(c, Step::rlimits, raw::call(SYS_prlimit64, 0, request.resource, nullptr, &now));
    const std::uint64_t value = std::min(request.value, now.hard);
    const Limit64 wanted{value, value};
    must(c, Step::rlimits, raw::call(SYS_prlimit64, 0, request.resource, &wanted, nullptr));
  }
}

// Opened on the finished tree, after the pivot and on the merged overlay: rules on layers would not
// hold. From here on no mount can be changed by this domain.
void enter_landlock(const ChildContext& c) {
  begin(c, Step::landlock);
  const Ruleset& rules = *c.ruleset;
  const long ruleset = must(c, Step::landlock,
                            raw::call(landlock::kCreateRuleset, &rules.attr, rules.attr_bytes, 0));
  int index = 0;
  for (const PreparedRule& rule : rules.rules) {
    const long fd =
        must(c, Step::landlock,
             raw::call(SYS_openat, AT_FDCWD, rule.at, O_PATH | O_NOFOLLOW | O_CLOEXEC), index);
    landlock::PathBeneathAttr attr;
    attr.allowed_access = rule.rights;
    attr.parent_fd = static_cast<std::int32_t>(fd);
    must(c, Step::landlock,
         raw::call(landlock::kAddRule, ruleset, landlock::kRulePathBeneath, &attr, 0), index);
    close_fd(fd);
    ++index;
  }
  must(c, Step::landlock, raw::call(landlock::kRestrictSelf, ruleset, rules.restrict_flags));
  close_fd(ruleset);
}

}  // namespace

void restrict_self(const ChildContext& c) {
  set_rlimits(c);
  begin(c, Step::no_new_privs);
  must(c, Step::no_new_privs, raw::call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  enter_landlock(c);
}

// Last of all: the filter must allow nothing that only the set-up needs.
void install_filter(const ChildContext& c) {
  begin(c, Step::capabilities);
  // uid 0 inside would get its capabilities back at every exec; the bounding set closes it too.
  constexpr unsigned long kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                  SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                  SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  must(c, Step::capabilities, raw::call(SYS_prctl, PR_SET_SECUREBITS, kBits, 0, 0, 0));
  for (long cap = 0; cap < 64; ++cap)
    if (raw::call(SYS_prctl, PR_CAPBSET_DROP, cap, 0, 0, 0) < 0) break;  // beyond the last one
  raw::call(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  const __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  must(c, Step::capabilities, raw::call(SYS_capset, &header, none));

  begin(c, Step::seccomp);
  sock_fprog program{};
  program.len = static_cast<unsigned short>(c.program.size() / sizeof(sock_filter));
  // The kernel takes a non-const pointer and does not write through it.
  program.filter = const_cast<sock_filter*>(  // NOLINT(cppcoreguidelines-pro-type-const-cast)
      reinterpret_cast<const sock_filter*>(c.program.data()));
  c.state->listener =
      static_cast<int>(must(c, Step::seccomp,
                            raw::call(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                      SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable, &program)));
}

}  // namespace ethos::sandbox::child
