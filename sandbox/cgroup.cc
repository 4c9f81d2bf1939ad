// SPDX-License-Identifier: Apache-2.0
#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <tuple>

#include "sandbox/proc_dir.h"
#include "sandbox/proc_status.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Error;
using base::fail;
using base::fail_errno;
using base::Result;
using base::Unexpected;
using base::UniqueFd;

constexpr const char* kRootSubtree = "ethos";

UniqueFd open_dir(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> words_of(const UniqueFd& dir, const char* file) {
  if (!dir.is_open()) return {};
  const auto text = read_small_file(dir.get(), file);
  return text ? words(*text) : std::vector<std::string>();
}

std::vector<std::string> words_of(const std::string& dir, const char* file) {
  return words_of(open_dir(dir), file);
}

Result<void> write_value(int dir, const char* file, const std::string& value) {
  const UniqueFd fd(openat(dir, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.is_open()) return fail_errno(file, errno);
  if (write(fd.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size()))
    return fail_errno(std::string(file) + " = " + value, errno);
  return {};
}

bool is_cgroup2(const char* path) {
  struct statfs fs {};
  return statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

}  // namespace

Result<std::string> cgroup2_mount() {
  // Nearly always one of these two; the mount table costs some 70 us.
  for (const char* usual : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
    if (is_cgroup2(usual)) return std::string(usual);
  const UniqueFd self = open_dir("/proc/self");
  const auto text = read_small_file(self.get(), "mountinfo");
  if (!text) return Unexpected(Error(text.error()));
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find(" - cgroup2 ") == std::string_view::npos) continue;
    std::size_t at = 0;
    for (int i = 0; i < 4; ++i) at = line.find(' ', at) + 1;
    return std::string(line.substr(at, line.find(' ', at) - at));
  }
  return fail(Errc::not_found, "no cgroup2 mount");
}

namespace {

Result<std::string> own_cgroup() {
  const UniqueFd self = open_dir("/proc/self");
  const auto text = read_small_file(self.get(), "cgroup");
  if (!text) return Unexpected(Error(text.error()));
  return parse_cgroup_v2(*text);
}

// Root's subtree: its controllers are those the machine already passes down; nothing is enabled
// above it.
Result<CgroupParent> root_subtree(const std::string& mount) {
  const std::string path = mount + "/" + kRootSubtree;
  UniqueFd dir = open_dir(path);
  if (!dir.is_open()) {
    if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return fail_errno(path, errno);
    dir = open_dir(path);
  }
  const auto controllers = words_of(dir, "cgroup.controllers");
  if (controllers.empty()) return CgroupParent{path, {}};
  // io costs every group something, so that only a run with a limit of it has it switched on.
  const bool has_io = std::ranges::binary_search(controllers, "io");
  for (const auto& name : controllers)
    if (name == "memory" || name == "pids" || name == "cpu")
      if (auto r = write_value(dir.get(), "cgroup.subtree_control", "+" + name); !r)
        return Unexpected(std::move(r).error());
  CgroupParent out{path, words_of(dir, "cgroup.subtree_control")};
  if (has_io && !std::ranges::binary_search(out.controllers, "io"))
    out.controllers.insert(std::ranges::upper_bound(out.controllers, "io"), "io");
  return out;
}

// Root's own subtree passes io down from the first run on that limits it.
Result<void> pass_io_down(const std::string& parent) {
  const UniqueFd dir = open_dir(parent);
  const auto passed = words_of(dir, "cgroup.subtree_control");
  if (std::ranges::binary_search(passed, "io")) return {};
  return write_value(dir.get(), "cgroup.subtree_control", "+io");
}

bool limits_io(const Plan& plan) {
  return std::ranges::any_of(plan.limits, [](const Limit& limit) {
    return limit.by == Enforcer::cgroup && is_io_limit(limit.name);
  });
}

bool is_usable(const std::string& path) {
  return access(path.c_str(), W_OK) == 0 && access((path + "/cgroup.procs").c_str(), W_OK) == 0;
}

std::string random_name() {
  std::array<unsigned char, 8> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) bytes[0] = 1;
  std::string out = "run-";
  for (const auto byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[byte / 16];
    out += kDigits[byte % 16];
  }
  return out;
}

}  // namespace

Result<CgroupParent> find_cgroup_parent(const std::string& wanted) {
  auto mount = cgroup2_mount();
  if (!mount) return Unexpected(std::move(mount).error());
  if (!wanted.empty()) {
    // As it is written, when that is a directory of the hierarchy; else below its mount.
    const std::string below = *mount + (wanted.starts_with('/') ? "" : "/") + wanted;
    const std::string path =
        wanted.starts_with('/') && (is_cgroup2(wanted.c_str()) || !is_cgroup2(below.c_str()))
            ? wanted
            : below;
    if (!is_cgroup2(path.c_str()))
      return fail(Errc::refused,
                  path + " is no cgroup v2 directory; cgroup v2 is mounted on " + *mount);
    if (!is_usable(path)) return fail(Errc::refused, path, errno);
    return CgroupParent{path, words_of(path, "cgroup.subtree_control")};
  }
  if (geteuid() == 0) return root_subtree(*mount);
  auto own = own_cgroup();
  if (!own) return Unexpected(std::move(own).error());
  // Upwards from our own: the nearest writable directory that passes controllers down, else the
  // nearest writable one.
  std::optional<CgroupParent> fallback;
  for (std::string at = *own; at.size() > 1; at.resize(at.rfind('/'))) {
    const std::string path = *mount + at;
    if (!is_usable(path)) continue;
    CgroupParent parent{path, words_of(path, "cgroup.subtree_control")};
    if (!parent.controllers.empty()) return parent;
    if (!fallback) fallback = std::move(parent);
  }
  if (fallback) return *fallback;
  return fail(Errc::not_found, "no delegated cgroup");
}

std::string advise_on_controller(std::string_view name, const std::string& mount,
                                 const std::vector<std::string>& available, bool is_hybrid) {
  const std::string word(name);
  if (mount.empty()) return "mount cgroup2 on /sys/fs/cgroup";
  if (std::ranges::binary_search(available, word))
    return "echo +" + word + " > " + mount + "/cgroup.subtree_control";
  if (is_hybrid)
    return "boot with systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all: cgroup v1 holds the " +
           word + " controller here";
  return "have the host pass the " + word + " controller down to " + mount;
}

std::string advise_on_controller(std::string_view name) {
  const auto mount = cgroup2_mount();
  if (!mount) return advise_on_controller(name, "", {}, false);
  return advise_on_controller(name, *mount, words_of(*mount, "cgroup.controllers"),
                              *mount != "/sys/fs/cgroup");
}

Result<CgroupLeaf> CgroupLeaf::create(const CgroupParent& parent, const Plan& plan,
                                      const Note& note) {
  if (limits_io(plan))
    if (auto passed = pass_io_down(parent.path); !passed)
      return Unexpected(std::move(passed).error());
  const std::string path = parent.path + "/" + random_name();
  if (note)
    if (auto noted = note(path); !noted) return Unexpected(std::move(noted).error());
  if (mkdir(path.c_str(), 0755) != 0) return fail_errno(path, errno);
  UniqueFd dir = open_dir(path);
  if (!dir.is_open()) {
    const int error = errno;
    rmdir(path.c_str());
    return fail_errno(path, error);
  }
  CgroupLeaf leaf(path, std::move(dir));
  if (auto r = leaf.apply(plan); !r) return Unexpected(std::move(r).error());
  return leaf;
}

Result<void> CgroupLeaf::apply(const Plan& plan) {
  for (const Limit& limit : plan.limits) {
    if (limit.by != Enforcer::cgroup) continue;
    Result<void> done;
    if (limit.name == "memory_bytes") {
      done = write_value(fd(), "memory.max", std::to_string(limit.value));
      if (done) done = write_value(fd(), "memory.oom.group", "1");
      // Else what the limit keeps out of memory would fill the machine's swap. A kernel that counts
      // no swap has no such file.
      if (done && !plan.limit("swap_bytes") && faccessat(fd(), "memory.swap.max", F_OK, 0) == 0)
        done = write_value(fd(), "memory.swap.max", "0");
    } else if (limit.name == "swap_bytes") {
      done = write_value(fd(), "memory.swap.max", std::to_string(limit.value));
    } else if (limit.name == "pids") {
      done = write_value(fd(), "pids.max", std::to_string(limit.value));
    } else if (limit.name == "cpu_percent") {
      done = write_value(fd(), "cpu.max", std::to_string(limit.value * 1000) + " 100000");
    } else if (is_io_limit(limit.name)) {
      done = limit_io(plan, limit);
    } else {
      done = fail(Errc::unsupported, limit.name + " has no cgroup form");
    }
    if (!done) return Unexpected(std::move(done).error().with_context(limit.name));
  }
  return {};
}

Result<void> CgroupLeaf::limit_io(const Plan& plan, const Limit& limit) {
  disks_ = disks_of(plan);
  if (disks_.empty() || disks_.size() > kMaxDisks)
    return fail(Errc::unsupported, std::to_string(disks_.size()) + " disks under what is granted");
  for (const std::string& disk : disks_)
    if (auto done = write_value(fd(), "io.max", io_setting(disk, limit)); !done) return done;
  return {};
}

std::vector<DiskUse> CgroupLeaf::io_use() const {
  const auto text = read_small_file(fd(), "io.stat");
  return text ? parse_io_stat(*text) : std::vector<DiskUse>();
}

CgroupLeaf::~CgroupLeaf() {
  if (!dir_.is_open()) return;
  kill();
  remove();
}

CgroupState CgroupLeaf::read_back() const {
  CgroupState out;
  out.is_present = true;
  const auto controllers = read_small_file(fd(), "cgroup.controllers");
  out.has_controllers = controllers && !words(*controllers).empty();
  // The files below are there exactly with their controllers.
  if (controllers && !out.has_controllers) return out;
  for (const char* file : {"cpu.max", "io.max", "memory.max", "memory.swap.max", "pids.max"}) {
    auto value = read_small_file(fd(), file);
    if (!value) continue;
    std::string text = std::move(value).value();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    // Without a limit of this run it has no line.
    if (text.empty() && disks_.empty()) continue;
    out.files.push_back({file, std::move(text)});
  }
  return out;
}

std::uint64_t CgroupLeaf::number(const char* file, std::string_view key) const {
  const auto text = read_small_file(fd(), file);
  if (!text) return 0;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!key.empty()) {
      if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
      line.remove_prefix(key.size() + 1);
    }
    std::uint64_t value = 0;
    std::from_chars(line.data(), line.data() + line.size(), value);
    return value;
  }
  return 0;
}

std::uint64_t CgroupLeaf::count_tasks() const {
  const auto text = read_small_file(fd(), "cgroup.threads");
  return text ? static_cast<std::uint64_t>(std::count(text->begin(), text->end(), '\n')) : 0;
}

bool CgroupLeaf::wait_until_empty() const {
  // The kernel announces a change on a descriptor that has been read since.
  const UniqueFd events(openat(fd(), "cgroup.events", O_RDONLY | O_CLOEXEC));
  if (!events.is_open()) return false;
  for (int attempt = 0; attempt < 40; ++attempt) {
    std::array<char, 256> text;
    const ssize_t n = pread(events.get(), text.data(), text.size(), 0);
    if (n <= 0) return false;
    if (std::string_view(text.data(), static_cast<std::size_t>(n)).find("populated 0") !=
        std::string_view::npos)
      return true;
    pollfd watch{events.get(), POLLPRI, 0};
    poll(&watch, 1, 50);
  }
  return false;
}

// What waits for its turn at a disk cannot be killed before it has had it.
bool CgroupLeaf::kill() const {
  for (const std::string& disk : disks_)
    std::ignore = write_value(fd(), "io.max", disk + " rbps=max wbps=max");
  return write_value(fd(), "cgroup.kill", "1").has_value();
}

bool CgroupLeaf::remove() {
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (rmdir(path_.c_str()) == 0 || errno == ENOENT) {
      dir_.reset();
      return true;
    }
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace ethos::sandbox
