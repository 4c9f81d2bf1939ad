// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/repair/bases.h"
#include "sarif/repair/remap.h"
#include "sarif/repair/uri_repair.h"

namespace ethos::sarif {

// Reads a log once, before it is mended, and finds what can be merged in each of its runs: rules,
// artifacts and logical locations that will be equal once they are mended. Nothing is merged in a
// log that has "sarif:/..." links, which count elements too, nor rules that refer to each other by
// number alone.
[[nodiscard]] base::Result<std::vector<RunTables>> survey(ByteSource& source,
                                                          const Sources& sources,
                                                          const std::vector<Bases>& bases);

}  // namespace ethos::sarif
