// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sarif/log/match.h"

namespace ethos::sarif {

// Files that have another name in the current log: from the previous path to the current one.
using Renames = std::unordered_map<std::uint64_t, std::uint64_t>;

// Looks at results that no partner was found for. A path that the current log does not have and one
// that the previous log does not have are paired when enough of their results agree: each pair of
// results with one line hash of GitHub's (a hundred characters of the file) counts 2, with one
// ethosLine/v1 (often one line) 1, with one place and message 1, and an equal file name once 1. It
// takes 2 points, and half of what the smaller of the two could have.
[[nodiscard]] Renames find_renames(const std::vector<ResultKeys>& previous,
                                   const std::vector<ResultKeys>& current,
                                   const std::vector<bool>& previous_taken,
                                   const std::vector<bool>& current_taken);

}  // namespace ethos::sarif
