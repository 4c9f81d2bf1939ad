// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "sandbox/cgroup.h"
#include "sandbox/facts.h"

namespace ethos::sandbox {

struct Host {
  HostFacts facts;  // all of F-6: the kernel's numbers, what a cgroup leaf could use
  std::optional<CgroupParent> cgroup_parent;  // where leaves can be made, if there is such a place
};

[[nodiscard]] base::Result<Host> read_host(const std::string& cgroup_parent);

// "v2", "hybrid", "v1" or "none": which cgroup file systems this host has mounted.
[[nodiscard]] std::string cgroup_layout();

}  // namespace ethos::sandbox
