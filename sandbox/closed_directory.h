// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ledger/base/result.h"

namespace ethos::sandbox {

// Whether this errno says that a name is not there, or that whoever asked has no right to it; then a
// tool, which never has more rights than its caller, cannot reach it either. Any other error (no
// descriptor left, no memory, a name too long) says nothing of the kind.
[[nodiscard]] bool is_out_of_reach(int error);

// For a directory that could not be opened for reading, with `error`, in a walk that looks for what
// is to be hidden. Nothing, when nobody with these rights can reach what is in it. A directory that
// may be entered and not listed is refused: a name in it that is known can be opened, and nobody can
// say whether it had to be hidden. `directory` is open with O_PATH, or negative.
[[nodiscard]] base::Result<void> check_closed(int directory, std::string_view path, int error);

}  // namespace ethos::sandbox
