// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/store.h"

namespace ethos::ledger {

// docs/formats/store.md S-9: the last checkpoint this host saw. Both under the ledger lock.

// Errc::behind when the store has fewer records; Errc::mismatch when a kept checkpoint of that size
// has another root, or the file is of another ledger or no checkpoint. An absent or emptied file
// says nothing.
base::Result<void> check_high_water(const LedgerFiles& files, Store& store, const NoteRow& last);

// Temp and rename, without a sync: it is a memory, not the evidence.
base::Result<void> update_high_water(const LedgerFiles& files, std::string_view note);

// Size in the file, or 0 when it says nothing: a number of records the ledger certainly has.
std::uint64_t high_water_size(const LedgerFiles& files);

}  // namespace ethos::ledger
