// SPDX-License-Identifier: Apache-2.0
#include "sandbox/shared_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sandbox/task_list.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBlock = 512;

struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string_view range;   // as map_files names it
  std::string_view device;  // of the file, as 00:01
  std::string_view inode;
};

std::string_view next_field(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

// A line of maps: "start-end perms offset device inode  path".
std::optional<Mapping> parse_mapping(std::string_view line) {
  Mapping out;
  out.range = next_field(line);
  next_field(line);
  next_field(line);
  out.device = next_field(line);
  out.inode = next_field(line);
  constexpr int kHex = 16;
  const char* const last = out.range.data() + out.range.size();
  const auto start = std::from_chars(out.range.data(), last, out.start, kHex);
  if (start.ec != std::errc() || start.ptr == last) return std::nullopt;
  const auto end = std::from_chars(start.ptr + 1, last, out.end, kHex);
  if (end.ec != std::errc() || out.end < out.start) return std::nullopt;
  return out;
}

// The device of memory that is shared without a file, which has no other name; empty when it cannot
// be told.
std::string find_device() {
  void* const page = mmap(nullptr, kPage, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(page);
  std::string found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; found.empty() && std::getline(maps, line);) {
    const auto mapping = parse_mapping(line);
    if (mapping && mapping->start <= address && address < mapping->end) found = mapping->device;
  }
  munmap(page, kPage);
  return found;
}

}  // namespace

std::uint64_t measure_shared_memory(pid_t root) {
  static const std::string kDevice = find_device();
  if (kDevice.empty()) return 0;
  std::map<std::string, std::uint64_t, std::less<>> bytes_of;  // by inode
  for (const LiveProcess& process : list_live_processes(root)) {
    const std::string dir = "/proc/" + process.thread;
    std::ifstream maps(dir + "/maps");
    std::map<std::string, std::uint64_t, std::less<>> mapped;  // by this process
    for (std::string line; std::getline(maps, line);) {
      const auto mapping = parse_mapping(line);
      if (!mapping || mapping->device != kDevice) continue;
      if (mapped.find(mapping->inode) == mapped.end() &&
          bytes_of.find(mapping->inode) != bytes_of.end())
        continue;  // seen in another process
      // The name in map_files has no leading zeros.
      const std::string_view range =
          mapping->range.substr(std::min(mapping->range.find_first_not_of('0'),  //
                                         mapping->range.size()));
      struct stat st {};
      const std::string name = dir + "/map_files/" + std::string(range);
      if (stat(name.c_str(), &st) == 0) {
        bytes_of[std::string(mapping->inode)] = static_cast<std::uint64_t>(st.st_blocks) * kBlock;
        continue;
      }
      std::uint64_t& sum = mapped[std::string(mapping->inode)];
      sum += mapping->end - mapping->start;
      bytes_of[std::string(mapping->inode)] = sum;
    }
  }
  std::uint64_t out = 0;
  for (const auto& [inode, bytes] : bytes_of) out += bytes;
  return out;
}

std::uint64_t shared_memory_of_host() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(info.sharedram) * info.mem_unit;
}

}  // namespace ethos::sandbox
