// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/plan.h"

// The limits io_read and io_write: bytes a second that the cage moves from and to each disk under
// its places, held by io.max of cgroup v2. What the page cache answers costs none of it.
namespace ethos::sandbox {

inline constexpr std::string_view kIoRead = "io_read_bps";
inline constexpr std::string_view kIoWrite = "io_write_bps";
// Of one plan; more would not fit into the record.
inline constexpr std::size_t kMaxDisks = 16;

[[nodiscard]] inline bool is_io_limit(std::string_view name) {
  return name == kIoRead || name == kIoWrite;
}

// "8:0" for a file system on 8:1: io.max knows whole disks. Nothing where a file system has a
// number of its own (tmpfs, overlay, btrfs, network), or none of the machine's block devices has
// it.
[[nodiscard]] std::optional<std::string> disk_of(std::uint64_t device);

// The disks under the workspace and the mounts of a plan, sorted, each once.
[[nodiscard]] std::vector<std::string> disks_of(const Plan& plan);

// A line that io.max takes, e.g. "8:0 rbps=1048576".
[[nodiscard]] std::string io_setting(const std::string& disk, const Limit& limit);

// What io.max shows must be: a line for each disk, in any order, with these values and no other
// disk. The first difference in words, empty when there is none.
[[nodiscard]] std::string io_difference(const Plan& plan, std::string_view shown);

struct DiskUse {
  std::string disk;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};
// Of io.stat: "8:0 rbytes=1 wbytes=2 rios=1 wios=1 dbytes=0 dios=0".
[[nodiscard]] std::vector<DiskUse> parse_io_stat(std::string_view text);

}  // namespace ethos::sandbox
