// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

// What a service takes of one file. Nothing given: no limit.
struct SplitLimits {
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t gzip_bytes = kNone;
  std::uint64_t bytes = kNone;
  std::uint64_t runs = kNone;       // of a file
  std::uint64_t results = kNone;    // of a run
  std::uint64_t rules = kNone;      // of a run's driver
  std::uint64_t locations = kNone;  // of a result
  std::uint64_t steps = kNone;      // thread flow locations of a result
  // Whether a service takes the later of two runs of one tool and category for the newer one.
  bool needs_categories = false;

  // What GitHub takes, and of results what it keeps (5,000 of the 25,000 that it takes).
  static SplitLimits github();
  static SplitLimits gitlab();
};

struct SplitPart {
  std::size_t run = 0;     // of the input
  std::size_t number = 1;  // which part of that run, from 1
  std::size_t results = 0;
  std::size_t repeated = 0;  // of them, evidence that an earlier part has too
  std::string automation_id;
};

struct SplitFile {
  std::uint64_t bytes = 0;
  std::uint64_t gzip_bytes = 0;
  bool is_over = false;  // one result alone is larger than what the service takes
  std::vector<SplitPart> parts;
};

struct SplitSummary {
  std::vector<SplitFile> files;
  std::size_t results = 0;  // of the input
  std::size_t pieces = 0;   // results that had too many places and were cut into several
  bool has_links = false;   // texts refer to elements of the input by number ("sarif:/runs/0/...")
};

// Makes file number `number` (from 1): calls `write` once, or again after it failed. The file is
// to appear only when `write` succeeded.
using MakeFile = std::function<base::Result<void>(
    std::size_t number, const std::function<base::Result<void>(ByteSink&)>& write)>;

// Writes the log of `fd`, a regular file, as several logs of which each keeps the limits. Together
// they hold every run, result, rule, artifact and property.
//
// - The most severe results come first (severity_of() in log_map.h), equal ones in file order.
// - A run that is cut has all of its members in every part. Its arrays that are pointed into
// (rules,
//   artifacts ...) are whole in every part, too, as long as they are small; else each part has the
//   elements that it needs, with the indices following, and what no result needs comes in the last.
// - Part 2 and later of a run have a category of their own in automationDetails.id: "lint/4711"
// becomes
//   "lint/part-2/4711". So have two runs of one tool and category, where the service needs it:
//   "lint/run-2/4711".
// - A result with too many locations or thread flow locations becomes several, in different parts,
//   each with the first location; the property "ethos/piece" says which of how many.
// - Every file that has a part of a run with sandbox evidence has, in the first such part, the
//   results of rule runtime.sandbox_denial.
//
// Errors: those of reading; too_large when a run without its results is larger than the limits.
base::Result<SplitSummary> split_log(int fd, const SplitLimits& limits, JsonLayout layout,
                                     const MakeFile& make_file);

}  // namespace ethos::sarif
