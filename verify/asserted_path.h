// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "verify/result.h"

namespace ethos::verify {

// A path as somebody writes it about runs: relative to the workspace, absolute, or as this program
// shows paths itself (`workspace:src`, `system:usr/lib`, `host:srv/data`, `scratch:x`). The normal
// form; an error for what is shown beside paths or written elsewhere (wildcards, lists, URIs,
// escaped bytes) and would be compared as a name that nothing has. One that begins with `./` or
// `/./` is taken letter for letter.
Result<std::string> asserted_path(std::string_view text);

// Does it begin as this program shows paths?
bool is_shown_path(std::string_view text);

}  // namespace ethos::verify
