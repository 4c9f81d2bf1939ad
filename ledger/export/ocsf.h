// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "ledger/reader.h"

namespace ethos::ledger {

// One record as an OCSF 1.3.0 event (docs/formats/export.md, section 2), JSON on one line without
// line feed. Errc::malformed for a record that is none.
base::Result<std::string> ocsf_event(const StoredRecord& stored);

}  // namespace ethos::ledger
