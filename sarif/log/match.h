// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sarif/json/fragment.h"
#include "sarif/log/index.h"

namespace ethos::sarif {

// What identifies a result from one log to the next: hashes of descriptions, each with the tool and
// the rule in it, and none with the path, which may change for all results of a file at once. 0
// stands for "has none". A hash is enough: a collision could only pair two results wrongly.
struct ResultKeys {
  std::uint64_t identity = 0;   // guid, or the first of `fingerprints`
  std::uint64_t path = 0;       // of the first location
  std::uint64_t line_key = 0;   // ethosLine/v1
  std::uint64_t line_text = 0;  // primaryLocationLineHash with its count
  std::uint64_t line_bare = 0;  // message, primaryLocationLineHash without its count
  std::uint64_t place = 0;      // message, region
  std::uint64_t own_print = 0;  // the other partialFingerprints
  std::uint64_t message = 0;    // message
  std::uint64_t shape = 0;      // message with its numbers left out
  std::uint64_t file_name = 0;  // message, last part of the path, line: the folder has a new name
  std::uint64_t content = 0;    // level and message: unlike = updated
  std::int64_t line = 0;
};

[[nodiscard]] ResultKeys keys_of(const JsonView& result, const RunIndex& run);

enum class BaselineState : std::uint8_t { fresh, unchanged, updated };

struct Matching {
  std::vector<BaselineState> current;  // of each result of the current log, in file order
  std::vector<bool> previous_absent;   // of each result of the previous log
  std::size_t renamed_files = 0;       // taken for files of the previous log under another name
};

// Pairs results one to one, tightest description first; among equals the nearest line wins. A file
// that is in the previous log only and one that is in the current log only are taken for one when
// their results say so: then everything but the path counts. Each step costs O(n log n).
[[nodiscard]] Matching match_results(const std::vector<ResultKeys>& previous,
                                     const std::vector<ResultKeys>& current);

}  // namespace ethos::sarif
