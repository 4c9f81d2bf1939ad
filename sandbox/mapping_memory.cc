// SPDX-License-Identifier: Apache-2.0
#include "sandbox/mapping_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "ledger/base/file_io.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/boottime.h"
#include "sandbox/task_list.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

constexpr std::uint64_t kShare = 8;
constexpr std::uint64_t kPage = 4096;
// vm_area_struct (192 bytes in Linux 6.18) and its place in the tree.
constexpr std::uint64_t kBytes = 200;
constexpr std::uint64_t kLookNs = 20'000'000;

// Lines of a maps file: one a mapping. Nothing when it cannot be read.
std::optional<std::uint64_t> count_mappings(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::array<char, 65536> buffer;
  std::uint64_t lines = 0;
  for (;;) {
    const ssize_t n = read(file.get(), buffer.data(), buffer.size());
    if (n < 0) return std::nullopt;
    if (n == 0) return lines;
    lines += static_cast<std::uint64_t>(std::count(buffer.begin(), buffer.begin() + n, '\n'));
  }
}

}  // namespace

MappingMemory::MappingMemory() {
  constexpr std::uint64_t kUsual = 65'530;
  max_mappings_ = kUsual;
  if (const auto text = base::read_file("/proc/sys/vm/max_map_count", 32))
    std::from_chars(text->data(), text->data() + text->size(), max_mappings_);
}

std::uint64_t MappingMemory::most_of(std::uint64_t address_space_bytes) const {
  return std::min(address_space_bytes / kPage, max_mappings_) * kBytes;
}

std::uint64_t MappingMemory::measure(pid_t root, std::uint64_t limit, std::uint64_t most) {
  if (most <= limit / kShare) {
    counted_.clear();
    return 0;
  }
  std::vector<LiveProcess> processes = list_live_processes(root);
  std::ranges::sort(processes, {}, &LiveProcess::pid);
  const auto first = std::ranges::find_if(processes, [&](const auto& p) { return p.pid >= next_; });
  std::rotate(processes.begin(), first, processes.end());
  std::map<pid_t, std::uint64_t> counted;
  std::uint64_t sum = 0;
  const std::uint64_t until = boottime_ns() + kLookNs;
  next_ = 0;
  for (const LiveProcess& process : processes) {
    const bool is_late = boottime_ns() > until;
    const auto before = counted_.find(process.pid);
    if (is_late && next_ == 0) next_ = process.pid;
    std::uint64_t bytes = is_late && before != counted_.end() ? before->second : 0;
    if (!is_late) {
      const auto mappings = count_mappings("/proc/" + std::to_string(process.pid) + "/task/" +
                                           process.thread + "/maps");
      // A process that hides is taken for the worst.
      bytes = mappings ? *mappings * kBytes : most_of(process.address_space_bytes);
    }
    counted[process.pid] = bytes;
    sum += bytes;
  }
  counted_ = std::move(counted);
  return sum;
}

}  // namespace ethos::sandbox
