// SPDX-License-Identifier: Apache-2.0
#include "sandbox/small_limits.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "sandbox/steps.h"

namespace ethos::sandbox {
namespace {

std::string too_small_text(const Limit& limit) {
  return "the limit " + limit.name + " of " + std::to_string(limit.value) +
         " is too small to build a cage with";
}

std::string raise_text(const Limit& limit, std::uint64_t least) {
  return "allow " + std::to_string(least) + " or more as " + limit.name;
}

}  // namespace

std::optional<SetupDenial> too_small(const Plan& plan) {
  struct Least {
    const char* name;
    std::uint64_t value;
    bool only_by_rlimit;
  };
  // Pid 1 and the tool; pid 1's own pages, of which the kernel tells nothing but a dead process.
  for (const Least& least : {Least{"pids", 2, false}, Least{"memory_bytes", 64U << 10, true}}) {
    const auto limit = plan.limit(least.name);
    if (!limit || limit->value == 0 || limit->value >= least.value) continue;
    if (least.only_by_rlimit && limit->by == Enforcer::cgroup) continue;
    SetupDenial denial;
    denial.step = std::string(step_name(Step::rlimits));
    denial.cause = too_small_text(*limit);
    denial.fix = raise_text(*limit, least.value);
    return denial;
  }
  return std::nullopt;
}

void blame_small_limit(const Plan& plan, SetupDenial& denial) {
  struct Want {
    int error;
    const char* name;
    std::uint64_t small;  // what no cage needs more than
  };
  for (const Want& want : {Want{EMFILE, "open_files", 64}, Want{ENOSPC, "inodes", 1024}}) {
    const auto limit = plan.limit(want.name);
    if (denial.error != want.error || !limit || limit->value >= want.small) continue;
    denial.cause = too_small_text(*limit) + ": " + std::strerror(denial.error);
    denial.fix = raise_text(*limit, want.small);
  }
}

}  // namespace ethos::sandbox
