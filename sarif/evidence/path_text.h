// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sarif/json/fragment.h"

namespace ethos::sarif {

// A Path value of a record (docs/formats/events.md E-4) as people read it:
//   workspace "src/a.c" -> "src/a.c"      system "usr/bin/env" -> "/usr/bin/env"
//   scratch "x" -> "/tmp/x"               a committed one -> "(withheld)"
//   path_b64 -> "base64:..."
[[nodiscard]] std::string path_text(const JsonView& path);

// The plain path of a Path value with base "workspace", bytes decoded; nothing for any other.
[[nodiscard]] std::optional<std::string> workspace_path(const JsonView& path);

}  // namespace ethos::sarif
