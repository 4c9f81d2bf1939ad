// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/digest.h"
#include "verify/documents.h"
#include "verify/json.h"
#include "verify/problem.h"

namespace ethos::verify {

// The list that a sarif.written record commits to: one `sha256:...` a line, each with its line feed.
// Nothing when one of the lines is something else.
std::optional<std::vector<Digest>> digest_lines(std::string_view text);

// A sarif.written record against its own list, and against its run: as many results as the list has
// lines, and at least one for each of the run's `reported` denial and limit records (SD-1).
void check_sarif_written(const std::string& run, std::int64_t seq, const Value& body, std::uint64_t reported,
                         DocumentReader& reader, Findings& findings);

}  // namespace ethos::verify
