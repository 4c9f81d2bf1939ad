// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sandbox/plan.h"

namespace ethos::sandbox {

// F-5: whether the git rule of `mode` hides the entry at `path` (relative to the workspace) itself.
// Under `none` that is each entry named .git; under `read` what in a .git directory may hold
// secrets, commands or a person's history. What lies below a hidden entry is not asked again.
[[nodiscard]] bool is_hidden_by_git(std::string_view path, Git mode);

// The path or one of its parents.
[[nodiscard]] bool is_within_git_hidden(std::string_view path, Git mode);

}  // namespace ethos::sandbox
