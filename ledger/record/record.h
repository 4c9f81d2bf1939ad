// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/record/digest.h"
#include "ledger/record/ids.h"
#include "ledger/record/json.h"
#include "ledger/record/merkle_tree.h"

namespace ethos::record {

// Place of a record in its run.
struct RunLink {
  RunId run;
  std::uint64_t seq = 0;
  LeafHash prev;  // zeros for seq 0
  friend bool operator==(const RunLink&, const RunLink&) = default;
};

// Who handed a record to the service, as the kernel attests it.
struct Writer {
  std::optional<Digest> exe = std::nullopt;  // of the program's file, when it could be read
  std::uint32_t gid = 0;
  std::uint32_t pid = 0;
  std::uint32_t uid = 0;
  // The service itself started the runner that built the cage, for this user, and took the record
  // from that runner alone.
  bool has_service_cage = false;
  friend bool operator==(const Writer&, const Writer&) = default;
};

// Everything of the envelope but the body (docs/formats/record.md section 2).
struct RecordHeader {
  Origin ledger;
  std::uint64_t seq = 0;
  LeafHash prev;  // zeros for seq 0
  std::string type;
  std::optional<RunLink> run;
  base::Timestamp ts;
  std::optional<Writer> writer = std::nullopt;
};

struct Record {
  RecordHeader header;
  Json body;
};

// The exact bytes of a record. `body` is an object in ethos-json/1. Errc::unsupported for a type
// that version 1 does not write; Errc::malformed for a body or envelope that breaks the format (the
// run keys not fitting the type's level, run.open not first in its run); Errc::too_large beyond
// 16,384.
base::Result<std::string> encode_record(const RecordHeader& header, std::string_view body);

// The other way, strict: what it accepts, encode_record writes back byte for byte.
// Errc::unsupported for another `v` or an unknown or reserved type.
base::Result<Record> parse_record(std::string_view bytes);

// The same without building the body's values, which makes a long record ten times as fast to read.
base::Result<RecordHeader> parse_record_header(std::string_view bytes);

// docs/formats/record.md R-17: how many milliseconds the wall clock moved against the monotonic one
// between two neighbouring records, when that needs a ledger.resume record between them.
std::optional<std::int64_t> clock_step_ms(const base::Timestamp& before,
                                          const base::Timestamp& after);

}  // namespace ethos::record
