// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

enum class RepairKind : std::uint8_t {
  byte_order_mark,      // left out at the start of the file
  number_out_of_range,  // a line, column, length or rank that cannot be: left out
  uri_encoded,          // raw spaces, bytes outside ASCII, "%" and "#" of a file name
  uri_from_windows,     // C:\a\b, \\server\share, a\b
  uri_made_relative,    // below the root
  fingerprint_added,    // primaryLocationLineHash, from the source below the root
  item_merged,  // a rule, artifact or logical location that stands there before; indices follow
  duplicate_removed,  // an equal tag or array item where items must differ
  severity_mapped,    // security-severity: "High", 7.5 as a number, "undefined"
  level_mapped,       // "info", "Critical"
  null_replaced,      // results: null and the like
  region_added,       // line 1, for a place without a region
  encoding_changed,   // UTF-16 of the whole file
  surrogate_replaced  // half of a pair in a text: U+FFFD
};
inline constexpr std::size_t kRepairKinds = 14;

// "number-out-of-range"
[[nodiscard]] std::string_view repair_kind_name(RepairKind kind);

// One change. `before` and `after` are JSON as written; `after` is empty for something that is
// gone, `before` for something new. Long values are cut in the middle of nothing: the whole value
// is there, or its first kilobytes and "...".
struct RepairChange {
  RepairKind kind = RepairKind::byte_order_mark;
  std::uint64_t line = 0;  // where the result, rule or other element begins in the input
  std::string pointer;     // RFC 6901, into the input
  std::string before;
  std::string after;
  std::string reason;
};

struct RepairOptions {
  std::string root;  // directory of the sources; empty: none is known
  // Where the sources were when the tool ran, when that was elsewhere: paths below become relative.
  std::vector<std::string> old_roots = {};
  bool adds_fingerprints = true;
  bool adds_regions = false;  // line 1 for locations of results that have no region
  JsonLayout layout = JsonLayout::indented;
};

struct RepairSummary {
  std::uint64_t changes = 0;
  std::array<std::uint64_t, kRepairKinds> by_kind{};  // by RepairKind
};

// The same bytes from the start, as often as asked: the file is read two or three times.
using OpenInput = std::function<base::Result<std::unique_ptr<ByteSource>>()>;

// Writes the log with what is broken mended, and tells `on_change` of every change, in the order of
// the file. What needs no change keeps its tokens: order, unknown properties, numbers digit by
// digit, strings escape by escape. White space is ours.
//
// What cannot be mended without guessing (a text where an object is due, a missing message) is left
// as it is: `validate` names it. Errors: malformed (no JSON, or a key twice in one object, of which
// one would have to be dropped), unsupported (another version of SARIF), too_large, io; the output
// is then incomplete, and the caller throws it away.
[[nodiscard]] base::Result<RepairSummary> repair(
    const OpenInput& open, ByteSink& sink, const RepairOptions& options,
    const std::function<void(const RepairChange&)>& on_change);

}  // namespace ethos::sarif
