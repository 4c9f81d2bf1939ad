// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

enum class RepairKind : std::uint8_t {
  number_out_of_range,  // a line, column, length or offset no file can have: left out
  uri_encoded,          // raw spaces, non-ASCII bytes, "%" and "#" of a file name: percent-encoded
  uri_from_windows,     // C:\a\b, \\server\share, a\b
  uri_made_relative,    // below the root
  fingerprint_added,    // primaryLocationLineHash, from the source below the root
  rule_merged,          // a second descriptor that says the same; indices follow
  duplicate_removed,    // an equal tag or array item where items must differ
  severity_mapped,      // "High", 7.5 as a number, "undefined"
  level_mapped,         // "info", "critical"
  null_replaced         // results: null and the like
};

// One change. `before` and `after` are JSON values as written; `after` is empty for something that
// is gone, `before` for something new.
struct RepairChange {
  RepairKind kind = RepairKind::number_out_of_range;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string pointer;  // RFC 6901, into the input
  std::string before;
  std::string after;
  std::string reason;
};

struct RepairOptions {
  std::string root;  // directory of the sources; empty: none known
  bool fingerprints = true;
};

struct Repair {
  std::vector<RepairChange> changes;
};

// Writes `source` to `sink` with what is broken mended and every change listed. What needs no
// change keeps its tokens: order, unknown properties, numbers as written.
[[nodiscard]] base::Result<Repair> repair(ByteSource& source, ByteSink& sink,
                                          const RepairOptions& options);

}  // namespace ethos::sarif
