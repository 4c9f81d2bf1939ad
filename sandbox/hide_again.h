// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/facts.h"
#include "sandbox/interruption.h"
#include "sandbox/normal.h"
#include "sandbox/workspace.h"

namespace ethos::sandbox {

// The places of the granted trees that match now, at the end of a run, and did not when its facts
// were taken: nothing covered them. Relative to the workspace, sorted. Nothing where no pattern is
// declared. An error where it cannot be told, Errc::refused among
// others when the look was ended.
[[nodiscard]] base::Result<std::vector<std::string>> find_new_matches(const Workspace& workspace,
                                                                      const Normal& normal,
                                                                      const Facts& facts,
                                                                      Interruption& interruption);

}  // namespace ethos::sandbox
