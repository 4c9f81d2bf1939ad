// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/enforced.h"

// Parsers for the texts the kernel prints about a process; strict, so that a field that changed its
// form is a refusal and not a zero.
namespace ethos::sandbox {

// /proc/<pid>/status. Errc::malformed when one of the fields of TaskStatus is missing.
[[nodiscard]] base::Result<TaskStatus> parse_status(std::string_view text);

// /proc/<pid>/uid_map or gid_map.
[[nodiscard]] base::Result<std::vector<IdMapLine>> parse_id_map(std::string_view text);

// /proc/<pid>/limits; only the ones with a short name here (core, data, fsize, nofile, nproc,
// memlock, stack, as, sigpending, msgqueue), sorted by name.
[[nodiscard]] base::Result<std::vector<RlimitEntry>> parse_limits(std::string_view text);

// The v2 line ("0::/path") of /proc/<pid>/cgroup; empty without one.
[[nodiscard]] std::string parse_cgroup_v2(std::string_view text);

// Value of "Name:\tN kB" in a status text, in KiB; 0 when absent.
[[nodiscard]] std::uint64_t status_kib(std::string_view text, std::string_view name);

}  // namespace ethos::sandbox
