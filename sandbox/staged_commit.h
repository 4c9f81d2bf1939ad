// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/cage.h"
#include "sandbox/commit_rules.h"
#include "sandbox/plan.h"
#include "sandbox/upper_walk.h"

namespace ethos::sandbox {

struct CommitResult {
  std::vector<Artifact> artifacts;
  std::vector<Denial> refusals;
};

// Brings out what the tool wrote below one staged grant, all or nothing:
//   1. the layer is walked; one refused name refuses the whole grant
//   2. everything is copied to temporary names beside its place, with the grant owner's ids
//   3. each temporary takes its place by one rename; a failure puts back what was there
// `journal` is a file name or empty. Errors are the file system's;
// then nothing was changed.
[[nodiscard]] base::Result<CommitResult> commit_staged(const Plan& plan, const Mount& mount,
                                                       const Layer& layer, const CommitRules& rules,
                                                       const std::string& journal);

}  // namespace ethos::sandbox
