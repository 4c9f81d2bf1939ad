// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/facts.h"
#include "sandbox/normal.h"
#include "sandbox/workspace.h"

// Reads the facts of docs/formats/plan.md F-*. Nothing is made, and no program is started.
namespace ethos::sandbox {

struct FactsRequest {
  std::string cwd;                        // absolute
  std::string home;                       // the caller's; empty when unknown
  std::vector<std::string> ledger_paths;  // database, keys, runs, ... absolute
  std::vector<std::string> policy_files;  // absolute, of those that were read for this run
  std::vector<std::string> environment;   // names that the caller has
  HostFacts host;
};

// Errc::too_large when the hide walk had to be given up, Errc::io.
[[nodiscard]] base::Result<Facts> collect_facts(const Workspace& workspace, const Normal& normal,
                                                const FactsRequest& request);

// Makes the write directories that the facts say are missing (state `created`), beneath the
// workspace, with their parents; fills in device and inode. For root they belong to the workspace's
// owner.
[[nodiscard]] base::Result<void> create_write_directories(const Workspace& workspace, Facts& facts);

// F-6 but for the cgroup members, which the cage's own probe knows.
[[nodiscard]] base::Result<HostFacts> read_host_facts();

}  // namespace ethos::sandbox
