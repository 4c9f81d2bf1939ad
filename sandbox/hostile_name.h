// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ethos::sandbox {

// Would some file system or tool take this name for ".git"? Without regard to case, to code points
// that HFS+ ignores, to trailing dots and blanks, to NTFS streams (".git::$INDEX_ALLOCATION") and
// to the short name "git~1".
[[nodiscard]] bool is_git_lookalike(std::string_view name);

}  // namespace ethos::sandbox
