// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/cgroup.h"
#include "sandbox/decision.h"
#include "sandbox/open_ledger.h"
#include "sandbox/output_files.h"
#include "sandbox/prepare.h"
#include "sandbox/run_options.h"

namespace ethos::sandbox {

// Everything that must be settled before the first record can be written. Failing here is exit 125.
struct Ready {
  Caller caller;
  HostFacts host;
  std::optional<CgroupParent> cgroup_parent;  // as in read_host
  ReadyLedger ledger;
  Prepared prepared;
  std::optional<Decision> decision;
  std::optional<OutputFile> sarif;
  std::optional<OutputFile> status_json;
  std::optional<OutputFile> run_id_file;
  // One of them is standard output: the tool's own goes to standard error.
  [[nodiscard]] bool owns_standard_output() const {
    const auto is = [](const std::optional<OutputFile>& f) { return f && f->is_standard_output(); };
    return is(sarif) || is(status_json) || is(run_id_file);
  }
  base::UniqueFd notes;           // of ServedCall; closed without one
  base::UniqueFd standard_input;  // open: what the tool gets; closed: /dev/null
};

// What a service settled for the runner that it started.
struct ServedCall {
  Caller caller;
  ledger::LedgerFiles files;  // of the service's ledger: no grant may reach them
  ledger::service::Client client;
  base::UniqueFd notes;  // what the service looks at when the runner is killed
};

[[nodiscard]] base::Result<Ready> get_ready(const RunOptions& options, const base::Clock& clock,
                                            std::optional<ServedCall> call = std::nullopt);

}  // namespace ethos::sandbox
