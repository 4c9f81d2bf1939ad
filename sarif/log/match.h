// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sarif/json/fragment.h"
#include "sarif/log/index.h"

namespace ethos::sarif {

// What identifies a result from one log to the next: hashes of ever looser descriptions. 0 stands
// for "has none". A hash is enough: a collision could only pair two results wrongly.
struct ResultKeys {
  std::uint64_t identity = 0;     // guid, or the first of `fingerprints`
  std::uint64_t line_text = 0;    // rule, path, primaryLocationLineHash with its count
  std::uint64_t exact = 0;        // rule, path, message, region
  std::uint64_t own_print = 0;    // rule, path, the other partialFingerprints
  std::uint64_t message = 0;      // rule, path, message
  std::uint64_t line_moved = 0;   // rule, message, line hash without count: the file has a new name
  std::uint64_t place_moved = 0;  // rule, message, file name, line: the folder has a new name
  std::uint64_t content = 0;      // level and message: unlike = updated
  std::int64_t line = 0;
};

[[nodiscard]] ResultKeys keys_of(const JsonView& result, const RunIndex& run);

enum class BaselineState : std::uint8_t { fresh, unchanged, updated };

struct Matching {
  std::vector<BaselineState> current;  // of each result of the current log, in file order
  std::vector<bool> previous_absent;   // of each result of the previous log
};

// Pairs results one to one, tightest description first; among equals the nearest line wins. Each
// step costs O(n log n).
[[nodiscard]] Matching match_results(const std::vector<ResultKeys>& previous,
                                     const std::vector<ResultKeys>& current);

}  // namespace ethos::sarif
