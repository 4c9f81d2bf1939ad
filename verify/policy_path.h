// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// Paths as declarations name them: relative to the workspace (`.` is its root) or absolute.

// D-4 without the rewriting: `..` refused, `.` and doubled `/` dropped.
Result<std::string> normal_path(std::string_view declared);
// An absolute path at or below the workspace becomes relative.
std::string relative_to_workspace(std::string path, std::string_view workspace);

// Does `path` equal `parent` or lie below it? `.` holds every relative path, `/` every absolute
// one.
bool within(std::string_view path, std::string_view parent);
bool strictly_within(std::string_view path, std::string_view parent);

std::vector<std::string_view> components(std::string_view path);
// ASCII letters only, as the rules say "any case".
std::string lower(std::string_view text);

// D-9: the full form of a hide pattern.
Result<std::string> full_pattern(std::string_view declared);
// D-13: `*` stands for any bytes; letters of either case are alike.
bool name_matches(std::string_view pattern, std::string_view name);

// Path objects (events.md E-4).
Value make_path(std::string_view base, std::string_view plain);
// The plain path of an object without `commit`; "" when it has none.
std::string plain_of(const Value& path);
// The text form again: relative for base workspace, absolute otherwise (`scratch` is below /tmp).
std::string text_of(const Value& path);
// P-1: where a path of the host is found inside the cage.
Value place_of(const Value& path);
// The Path of an absolute path inside the cage.
Value place_of_absolute(std::string_view absolute);

}  // namespace ethos::verify
