// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ledger/base/result.h"

namespace ethos::reports {

// Called once a record, in order; the bytes are valid during the call only.
using RecordSink = std::function<void(std::uint64_t seq, std::string_view bytes)>;

// Called in the place of that for a record that was dropped (store.md S-15): its leaf hash.
using DroppedSink = std::function<void(std::uint64_t seq, std::string_view hash)>;

// Reads the records [0, size) of a ledger (docs/formats/store.md, section 3) without changing a
// byte of it: a shared lock for some thousand records at a time, then a pause for writers. `size` 0
// or less reads what is there (for ledgers nobody vouches for). Returns how many were read.
//
// Errc::not_found: no such file. malformed: not an ethos ledger. unsupported: another version.
// mismatch: a record is missing (or dropped, where nobody wants to hear of it), too long or of the
// wrong kind. io: the system failed.
base::Result<std::int64_t> read_ledger(const std::string& path, std::int64_t size,
                                       const RecordSink& sink, const DroppedSink& dropped = {});

}  // namespace ethos::reports
