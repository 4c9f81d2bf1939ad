// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/writer.h"
#include "sarif/regroup/fold.h"
#include "sarif/regroup/fold_plan.h"
#include "sarif/validate/item_digest.h"

namespace ethos::sarif {

// Writes the one run that the runs of a group become, and counts its results.
base::Result<void> write_group(const std::vector<FoldInput>& inputs, const FoldGroup& group,
                               const validation::ItemHasher& hasher, JsonWriter& writer,
                               FoldSummary& summary);

}  // namespace ethos::sarif
