// SPDX-License-Identifier: Apache-2.0
#include "sandbox/shared_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "sandbox/mountinfo.h"
#include "sandbox/task_list.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBlock = 512;

struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  bool is_shared = false;
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
  out.is_shared = next_field(line).ends_with('s');
  const std::string_view offset = next_field(line);
  out.device = next_field(line);
  out.inode = next_field(line);
  constexpr int kHex = 16;
  if (std::from_chars(offset.data(), offset.data() + offset.size(), out.offset, kHex).ec !=
      std::errc())
    return std::nullopt;
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

const std::string& shared_memory_device() {
  static const std::string kDevice = find_device();
  return kDevice;
}

SharedUse measure_shared_memory(pid_t root, const std::string& device, LookBudget budget) {
  constexpr std::uint64_t kLinesBetween = 32;
  budget.start();
  SharedUse out;
  std::map<std::string, std::uint64_t, std::less<>> known;     // bytes by device and inode
  std::map<std::string, std::uint64_t, std::less<>> possible;  // the same
  for (const LiveProcess& process : list_live_processes(root)) {
    if (budget.is_spent()) {
      out.possible += process.address_space_bytes;
      continue;
    }
    const std::string dir = "/proc/" + process.thread;
    std::uint64_t lines = 0;
    std::ifstream maps(dir + "/maps");
    std::string line;
    // Every process has mappings: a maps file without a line is one that is kept from us.
    if (!std::getline(maps, line)) {
      out.possible += process.address_space_bytes;
      continue;
    }
    for (bool is_there = true; is_there; is_there = !std::getline(maps, line).fail()) {
      if (++lines % kLinesBetween == 0 && budget.is_spent()) {
        out.possible += process.address_space_bytes;
        break;
      }
      const auto mapping = parse_mapping(line);
      if (!mapping || !(device.empty() ? mapping->is_shared : mapping->device == device)) continue;
      const std::string name = std::string(mapping->device) + ' ' + std::string(mapping->inode);
      if (known.find(name) != known.end()) continue;  // seen in another process
      // The name in map_files has no leading zeros.
      const std::string_view range =
          mapping->range.substr(std::min(mapping->range.find_first_not_of('0'),  //
                                         mapping->range.size()));
      struct stat st {};
      if (stat((dir + "/map_files/" + std::string(range)).c_str(), &st) == 0) {
        known[name] = static_cast<std::uint64_t>(st.st_blocks) * kBlock;
        continue;
      }
      std::uint64_t& last = possible[name];
      last = std::max(last, mapping->offset + (mapping->end - mapping->start));
    }
  }
  for (const auto& [name, bytes] : known) out.known += bytes;
  for (const auto& [name, bytes] : possible)
    if (known.find(name) == known.end()) out.possible += bytes;
  return out;
}

std::uint64_t shared_memory_of_host() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return std::numeric_limits<std::uint64_t>::max();
  // Swap holds other things, too; what of it is shared memory nobody tells.
  return static_cast<std::uint64_t>(info.sharedram + (info.totalswap - info.freeswap)) *
         info.mem_unit;
}

HostFiles::HostFiles() {
  constexpr std::size_t kMost = 256;
  constexpr int kBefore = 4;  // fields before the mount point
  std::set<dev_t> seen;
  std::ifstream table("/proc/self/mountinfo");
  for (std::string line; mounts_.size() < kMost && std::getline(table, line);) {
    if (line.find(" - tmpfs ") == std::string::npos) continue;
    std::string_view rest = line;
    for (int i = 0; i < kBefore; ++i) next_field(rest);
    const std::string at = unescape_mount_path(next_field(rest));
    base::UniqueFd fd(open(at.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat st {};
    struct statfs fs {};
    // Another mount may lie on top of it.
    if (fd.is_open() && fstat(fd.get(), &st) == 0 && fstatfs(fd.get(), &fs) == 0 &&
        fs.f_type == TMPFS_MAGIC && seen.insert(st.st_dev).second)
      mounts_.push_back(std::move(fd));
  }
}

std::uint64_t HostFiles::bytes() const {
  std::uint64_t out = 0;
  for (const auto& mount : mounts_) {
    struct statfs fs {};
    if (fstatfs(mount.get(), &fs) == 0)
      out += (fs.f_blocks - fs.f_bfree) * static_cast<std::uint64_t>(fs.f_bsize);
  }
  return out;
}

std::uint64_t HostFiles::shared_memory_beside() const {
  // Files come and go: the smaller of two figures, and the total between them.
  const std::uint64_t before = bytes();
  const std::uint64_t total = shared_memory_of_host();
  return total - std::min({total, before, bytes()});
}

}  // namespace ethos::sandbox
