// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/unique_fd.h"
#include "sandbox/plan.h"

// Where a path of the cage leads on the host, asked before the cage is there.
namespace ethos::sandbox {

struct PlanFile {
  base::UniqueFd file;  // for reading
  std::string path;     // where it lies, links resolved
  std::uint64_t size = 0;
};

// The file that the plan would let the tool start under this absolute path. Paths come from the
// first lines of hostile files, and who runs this may be root: nothing is touched on the way that
// the cage does not show, links lead where they would lead inside, and nothing is opened that no
// exec grant and no part of the base runtime covers, that is hidden, or that the tool's ids may not
// start.
[[nodiscard]] std::optional<PlanFile> open_startable(const Plan& plan, const std::string& path);

}  // namespace ethos::sandbox
