// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sandbox/plan.h"

namespace ethos::sandbox {

// Makes an absolute path plain without asking the file system: "//a/./b/../c/" -> "/a/c". ".." at
// the root stays at the root, as the kernel does it.
[[nodiscard]] std::string plain_path(std::string_view absolute);

// A plain path that fits into a record with every byte escaped: of one longer than 4,000 bytes the
// nearest directory above that does.
[[nodiscard]] std::string fitting_path(std::string path);

// The pair for a plain absolute path inside the cage (docs/formats/events.md E-4): the workspace is
// tested first, then /tmp (scratch), then the system directories; everything else is `host`.
[[nodiscard]] BasedPath based_path(std::string_view plain_absolute, std::string_view workspace);

// True when `path` is `tree` or lies below it. Both plain and absolute.
[[nodiscard]] bool is_within(std::string_view path, std::string_view tree);

[[nodiscard]] const char* base_name(Base base);  // "workspace", "system", "scratch", "host"

}  // namespace ethos::sandbox
