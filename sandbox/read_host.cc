// SPDX-License-Identifier: Apache-2.0
#include "sandbox/read_host.h"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "sandbox/facts_collect.h"

namespace ethos::sandbox {
namespace {

bool is_file_system(const char* path, long magic) {
  struct statfs fs {};
  return ::statfs(path, &fs) == 0 && fs.f_type == magic;
}

}  // namespace

base::Result<Host> read_host(const std::string& cgroup_parent) {
  auto facts = read_host_facts();
  if (!facts) return base::Unexpected(std::move(facts).error());
  Host host{std::move(*facts), {}};
  auto parent = find_cgroup_parent(cgroup_parent);
  // A place that was asked for must be usable; without one, a host may simply have none.
  if (!parent && !cgroup_parent.empty())
    return base::Unexpected(std::move(parent).error().with_context("--cgroup-parent"));
  if (!parent) return host;
  host.facts.cgroup_controllers = parent->controllers;
  host.facts.has_cgroup_kill = ::access((parent->path + "/cgroup.kill").c_str(), F_OK) == 0;
  host.cgroup_parent = std::move(*parent);
  return host;
}

std::string cgroup_layout() {
  if (is_file_system("/sys/fs/cgroup", CGROUP2_SUPER_MAGIC)) return "v2";
  if (is_file_system("/sys/fs/cgroup/unified", CGROUP2_SUPER_MAGIC)) return "hybrid";
  return ::access("/sys/fs/cgroup/memory", F_OK) == 0 || ::access("/sys/fs/cgroup/cpu", F_OK) == 0
             ? "v1"
             : "none";
}

}  // namespace ethos::sandbox
