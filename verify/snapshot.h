// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verify/result.h"
#include "verify/scratch_dir.h"
#include "verify/unique_fd.h"

namespace ethos::verify {

// One still state of a ledger's files. The original is only ever opened for reading.
struct Snapshot {
  std::string database;              // path of the copy, or of the original
  UniqueFd file;                     // the original, open for reading
  bool is_copy = false;              // else the original is to be read where it is
  std::optional<ScratchDir> scratch;  // holds the copy
  std::uint64_t database_bytes = 0;
  std::uint64_t log_bytes = 0;       // size of the write-ahead log copied along
  bool has_journal = false;          // a `-journal` lies beside it: nothing was copied
  std::optional<std::string> highwater;
};

// Copies database and log under the shared lock of `<ledger>.lock` when a writer may be at work or a
// log exists; otherwise (a copy at rest) the original can be read where it is (store.md S-11, S-12).
Result<Snapshot> take_snapshot(const std::string& ledger);

// Opens a regular file for reading and tells its size.
Result<UniqueFd> open_regular(const std::string& path, std::uint64_t& size);

// The whole of a small regular file.
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);

}  // namespace ethos::verify
