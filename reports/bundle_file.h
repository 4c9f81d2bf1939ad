// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ledger/base/result.h"
#include "reports/ledger_file.h"

namespace ethos::reports {

// Reads the records of a bundle of a whole ledger (docs/formats/bundle.md, kind `ledger`, `from`
// 0), in order, member by member. The verifier has judged the archive; here only what carries
// records is looked at, and the caller compares the root. `limit` above 0 stops there. Returns how
// many were read, dropped ones included.
//
// Errc::not_found, malformed: no such archive. unsupported: a bundle of one run or of a part (a
// report needs every record up to the checkpoint), or dropped records where nobody wants to hear of
// them. mismatch: an entry that is cut or out of order, a dropped one without its hash.
base::Result<std::int64_t> read_bundle(const std::string& path, std::int64_t limit,
                                       const RecordSink& sink, const DroppedSink& dropped = {});

}  // namespace ethos::reports
