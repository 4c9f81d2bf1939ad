// SPDX-License-Identifier: Apache-2.0
#include "sandbox/io_limit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>

#include "ledger/base/unique_fd.h"
#include "sandbox/proc_dir.h"

namespace ethos::sandbox {
namespace {

// Cuts the next word that `separator` ends.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// The value of "key=value" in a line of io.max or io.stat.
std::string_view value_in(std::string_view line, std::string_view key) {
  while (!line.empty()) {
    const std::string_view word = cut(line, ' ');
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return word.substr(key.size() + 1);
  }
  return {};
}

std::uint64_t number_in(std::string_view line, std::string_view key) {
  const std::string_view text = value_in(line, key);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view io_key(std::string_view limit) { return limit == kIoRead ? "rbps" : "wbps"; }

}  // namespace

std::optional<std::string> disk_of(std::uint64_t device) {
  if (major(device) == 0) return std::nullopt;
  const std::string own = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  const base::UniqueFd entry(
      open(("/sys/dev/block/" + own).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!entry.is_open()) return std::nullopt;
  if (faccessat(entry.get(), "partition", F_OK, 0) != 0) return own;
  auto parent = read_small_file(entry.get(), "../dev");
  if (!parent) return std::nullopt;
  std::string disk = std::move(parent).value();
  while (!disk.empty() && disk.back() == '\n') disk.pop_back();
  return disk;
}

std::vector<std::string> disks_of(const Plan& plan) {
  std::vector<std::uint64_t> devices;
  struct stat at {};
  if (stat(plan.workspace.c_str(), &at) == 0) devices.push_back(at.st_dev);
  for (const Mount& mount : plan.mounts) devices.push_back(mount.device);
  std::ranges::sort(devices);
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  std::vector<std::string> out;
  for (const std::uint64_t device : devices)
    if (auto disk = disk_of(device)) out.push_back(std::move(*disk));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string io_setting(const std::string& disk, const Limit& limit) {
  return disk + " " + std::string(io_key(limit.name)) + "=" + std::to_string(limit.value);
}

std::string io_difference(const Plan& plan, std::string_view shown) {
  std::vector<std::string> missing = disks_of(plan);
  while (!shown.empty()) {
    const std::string_view line = cut(shown, '\n');
    std::string_view rest = line;
    const auto disk = std::ranges::find(missing, cut(rest, ' '));
    if (disk == missing.end()) return "another disk: " + std::string(line);
    missing.erase(disk);
    for (const std::string_view name : {kIoRead, kIoWrite}) {
      const auto limit = plan.limit(std::string(name));
      if (limit && value_in(rest, io_key(name)) != std::to_string(limit->value))
        return std::string(line);
    }
  }
  return missing.empty() ? "" : "nothing for disk " + missing.front();
}

std::vector<DiskUse> parse_io_stat(std::string_view text) {
  std::vector<DiskUse> out;
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    const std::string_view disk = cut(line, ' ');
    if (!line.empty())
      out.push_back({std::string(disk), number_in(line, "rbytes"), number_in(line, "wbytes")});
  }
  return out;
}

}  // namespace ethos::sandbox
