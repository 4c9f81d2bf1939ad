// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "sandbox/facts.h"

namespace ethos::sandbox {

// All of F-6: the kernel's numbers and what a cgroup leaf of ours could use.
[[nodiscard]] base::Result<HostFacts> read_host(const std::string& cgroup_parent);

// "v2", "hybrid", "v1" or "none": which cgroup file systems this host has mounted.
[[nodiscard]] std::string cgroup_layout();

}  // namespace ethos::sandbox
