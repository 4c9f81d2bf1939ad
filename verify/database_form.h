// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "verify/database.h"
#include "verify/problem.h"
#include "verify/result.h"

namespace ethos::verify {

// What a ledger's database must be before a row of it is believed (store.md S-1, S-2).

// In the oldest version the rows of disclosures and blobs have no number.
bool has_row_numbers(Database& database);
// The numbers in the header that S-1 fixes, as SQLite gives them. False: a version that is not known.
// Malformed when it is no ledger at all.
Result<bool> check_header(Database& database, Findings& findings);
// Exactly the five tables. False: what is there cannot be read as a ledger.
bool check_schema(Database& database, Findings& findings);
// The first 100 bytes of the file, which SQLite reads only in part. False: not those of a ledger.
bool check_file_header(int fd, Findings& findings);
// SQLite reads the pages that the header counts; what lies behind them would be carried along unseen. False: told.
bool check_length(std::uint64_t size, Database& database, Findings& findings);
// SQLite's own check of all pages.
void check_whole_file(Database& database, Findings& findings);

}  // namespace ethos::verify
