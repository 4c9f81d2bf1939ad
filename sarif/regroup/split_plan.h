// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/writer.h"
#include "sarif/log/index.h"
#include "sarif/regroup/log_map.h"
#include "sarif/regroup/split.h"

namespace ethos::sarif {

// A result, or a piece of one.
struct SplitItem {
  std::uint32_t result;
  std::uint32_t piece;
};

// What is settled about a run before anything is written.
struct RunPlan {
  const RunMap* run = nullptr;
  const RunIndex* index = nullptr;
  std::vector<SplitItem> items;       // in the order of writing
  std::vector<std::uint32_t> pieces;  // by result; empty when every result is one
  std::size_t evidence = 0;           // the first items, which go into every file
  std::string base_id;                // of automationDetails for part 1; empty: as it is
  bool is_pruned = false;             // parts have only the elements of tables that they need
  double ratio = 1;                   // of gzip to bytes, for the elements of tables
  std::uint64_t head_gzip = 0;        // of the run without its results
  std::uint64_t head_bytes = 0;

  [[nodiscard]] std::size_t pieces_of_result(std::uint32_t result) const {
    return pieces.empty() ? 1 : pieces[result];
  }
};

// What a file may have, as far as it is measured here: compressors of one level differ by some
// thousandths.
[[nodiscard]] std::uint64_t gzip_target(const SplitLimits& limits);

// "lint/4711", "part" and 2 make "lint/part-2/4711".
[[nodiscard]] std::string with_part(const std::string& id, const std::string& word,
                                    std::size_t number);

// Reads what has to be measured from `fd`. Errc::too_large when a run cannot be split so far.
base::Result<std::vector<RunPlan>> plan_split(int fd, const LogMap& map,
                                              const std::vector<RunIndex>& runs,
                                              const SplitLimits& limits, JsonLayout layout);

}  // namespace ethos::sarif
