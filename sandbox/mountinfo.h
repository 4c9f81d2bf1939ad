// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/enforced.h"

namespace ethos::sandbox {

// The normalised table of /proc/<pid>/mountinfo text (proc(5); docs/formats/enforced.md NM-*):
//   612 611 0:52 /d0 /proc/kcore ro,nosuid,nodev,noexec,relatime - tmpfs ethos-mask rw,size=64k
// Errc::malformed for a line that is not of that form; Errc::too_large beyond 100,000 lines.
[[nodiscard]] base::Result<std::vector<MountEntry>> parse_mountinfo(std::string_view text,
                                                                    std::string_view workspace);

// Whether a place of /proc/self/mountstats text lies strictly below `path` (absolute and plain).
// Not false where that text cannot be understood. What stands where is for has_mount_below to say.
//   device tmpfs mounted on /run with fstype tmpfs
[[nodiscard]] bool may_have_mount_below(std::string_view mountstats, std::string_view path);

// Whether a mount of /proc/self/mountinfo text stands on the mount with the id `parent`, strictly
// below `path` (absolute and plain).
[[nodiscard]] bool has_mount_below(std::string_view text, std::uint64_t parent,
                                   std::string_view path);

// "\040" -> " ", as the kernel escapes space, tab, newline and backslash in paths.
[[nodiscard]] std::string unescape_mount_path(std::string_view text);

}  // namespace ethos::sandbox
