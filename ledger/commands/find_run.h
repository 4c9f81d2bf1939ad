// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "ledger/reader.h"
#include "ledger/record/ids.h"

namespace ethos::ledger {

// The one run whose id begins so; at least four characters. Errc::usage for none, or several.
base::Result<record::RunId> find_run(const LedgerReader& reader, const std::string& beginning);

}  // namespace ethos::ledger
