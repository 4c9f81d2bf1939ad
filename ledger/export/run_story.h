// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/reader.h"
#include "ledger/record/digest.h"
#include "ledger/record/json.h"

namespace ethos::ledger {

// What the records of one run say, gathered until its end. Bodies are kept as they are.
struct RunStory {
  std::string run;
  std::uint64_t first_seq = 0;
  std::uint64_t last_seq = 0;  // of the record that ends it
  std::uint64_t records = 0;
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  record::Json open;
  std::vector<record::Json> grants;
  std::optional<record::Json> enforced;
  std::vector<record::Json> denials;    // the first kMaxKept of them
  std::vector<record::Json> artifacts;  // the first kMaxKept of them
  std::uint64_t more_denials = 0;
  std::uint64_t more_artifacts = 0;
  std::uint64_t limits = 0;
  std::uint64_t gaps = 0;
  bool was_aborted = false;
  record::Json end;           // body of run.close or run.abort
  record::Digest end_digest;  // SHA-256 of that record's bytes, without prefix
  record::Digest end_leaf;    // its leaf hash
};

inline constexpr std::size_t kMaxKept = 4096;

// Adds one record of the run; `story` is complete after its end.
base::Result<void> take_record(RunStory& story, const StoredRecord& stored);

// "workspace:out/a.o"; "host:(withheld)" where the path is committed only.
std::string path_text(const record::Json* path);

}  // namespace ethos::ledger
