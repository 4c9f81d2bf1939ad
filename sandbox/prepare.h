// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "sandbox/facts.h"
#include "sandbox/grants.h"
#include "sandbox/load_policy.h"
#include "sandbox/plan.h"
#include "sandbox/run_options.h"
#include "sandbox/workspace.h"

// From a command line to a plan or to the reasons against it; the common part of running a tool and
// of only showing its plan.
namespace ethos::sandbox {

// What the process was started with. A parameter, so that tests can set it.
struct Caller {
  std::string cwd;  // absolute
  std::vector<EnvVar> environment;
  [[nodiscard]] const std::string* variable(std::string_view name) const;
};
[[nodiscard]] base::Result<Caller> read_caller();

struct Prepared {
  Workspace workspace;
  Policy policy;
  std::optional<Facts> facts;
  std::vector<Refusal> refusals;  // not empty: the run is denied, and what follows is absent
  std::vector<Json> grants;
  std::optional<Plan> plan;  // complete but for the resolved executable
  std::string normal_bytes;  // ethos-json/1; empty when there is none
  std::string facts_bytes;
  std::string plan_bytes;
};

enum class Purpose { show, run };

// An error: called wrongly, or the runner failed (exit 125). With Purpose::run missing write
// directories are made, but only when nothing refuses the run.
[[nodiscard]] base::Result<Prepared> prepare(const RunOptions& options, const Caller& caller,
                                             const std::optional<ledger::LedgerFiles>& ledger,
                                             const HostFacts& host, Purpose purpose);

// {"facts":...,"normal":...,"plan":...} as `ethos-run plan --json` prints it, without line end.
[[nodiscard]] std::string plan_document(const Prepared& prepared);
// The same for people.
[[nodiscard]] std::string describe_plan(const Prepared& prepared);

// Paths that belong to a ledger and must never be granted. Absolute, links resolved.
[[nodiscard]] std::vector<std::string> ledger_paths(const ledger::LedgerFiles& files);

}  // namespace ethos::sandbox
