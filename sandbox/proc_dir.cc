// SPDX-License-Identifier: Apache-2.0
#include "sandbox/proc_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>

namespace ethos::sandbox {
namespace {

using base::fail_errno;

constexpr std::size_t kMaxFile = 16U << 20;

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

// "flags:\t02100001" in fdinfo.
std::optional<unsigned> flags_in(std::string_view fdinfo) {
  const std::size_t at = fdinfo.find("flags:\t");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = fdinfo.substr(at + 7);
  unsigned flags = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), flags, 8);
  return flags;
}

bool is_close_on_exec(std::string_view fdinfo) {
  return (flags_in(fdinfo).value_or(0) & O_CLOEXEC) != 0;
}

}  // namespace

base::Result<std::string> read_small_file(int dir, const char* name) {
  const base::UniqueFd fd(openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.is_open()) return fail_errno(name, errno);
  std::string out;
  std::array<char, 8192> buffer;
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(name, errno);
    if (n == 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(n));
    if (out.size() > kMaxFile) return base::fail(base::Errc::too_large, name);
  }
}

std::optional<unsigned> open_flags(pid_t tid, int fd) {
  const base::UniqueFd dir(
      open(("/proc/" + std::to_string(tid) + "/fdinfo").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!dir.is_open()) return std::nullopt;
  const auto text = read_small_file(dir.get(), std::to_string(fd).c_str());
  return text ? flags_in(*text) : std::nullopt;
}

base::Result<ProcDir> ProcDir::open(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid);
  base::UniqueFd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.is_open()) return fail_errno(path, errno);
  struct statfs fs {};
  if (fstatfs(dir.get(), &fs) != 0) return fail_errno(path, errno);
  if (fs.f_type != PROC_SUPER_MAGIC) return base::fail(base::Errc::refused, path + " is no procfs");
  return ProcDir(std::move(dir));
}

base::Result<std::string> ProcDir::read(const char* name) const {
  return read_small_file(dir_.get(), name);
}

base::Result<std::vector<std::uint64_t>> ProcDir::namespace_inodes(
    std::span<const char* const> names) const {
  const base::UniqueFd dir(openat(dir_.get(), "ns", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!dir.is_open()) return fail_errno("ns", errno);
  std::vector<std::uint64_t> out;
  for (const char* name : names) {
    std::array<char, 64> buffer;
    const ssize_t n = readlinkat(dir.get(), name, buffer.data(), buffer.size());
    if (n < 0) return fail_errno(std::string("ns/") + name, errno);
    const std::string_view text(buffer.data(), static_cast<std::size_t>(n));  // "mnt:[4026531841]"
    const std::size_t open = text.find('[');
    std::uint64_t inode = 0;
    if (open == std::string_view::npos) return base::fail(base::Errc::malformed, name);
    const auto parsed = std::from_chars(text.data() + open + 1, text.data() + text.size(), inode);
    if (parsed.ec != std::errc()) return base::fail(base::Errc::malformed, name);
    out.push_back(inode);
  }
  return out;
}

base::Result<std::string> ProcDir::descriptor_kind(const std::string& number) const {
  const std::string path = "fd/" + number;
  struct stat found {};
  if (fstatat(dir_.get(), path.c_str(), &found, 0) != 0) return fail_errno(path, errno);
  const mode_t type = found.st_mode & S_IFMT;
  if (type == S_IFIFO) return std::string("pipe");
  if (type == S_IFCHR && found.st_rdev == makedev(1, 3)) return std::string("null");
  if (type != S_IFREG) return std::string("other");
  std::array<char, 256> link;
  const ssize_t n = readlinkat(dir_.get(), path.c_str(), link.data(), link.size());
  if (n < 0) return fail_errno(path, errno);
  const std::string_view text(link.data(), static_cast<std::size_t>(n));
  return std::string(text == "/memfd:ethos-init (deleted)" ? "init" : "file");
}

base::Result<std::vector<FdEntry>> ProcDir::descriptors() const {
  const int raw = openat(dir_.get(), "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (raw < 0) return fail_errno("fd", errno);
  const std::unique_ptr<DIR, DirCloser> dir(fdopendir(raw));
  if (!dir) {
    close(raw);
    return fail_errno("fd", errno);
  }
  std::vector<FdEntry> out;
  while (const dirent* entry = readdir(dir.get())) {
    const std::string name(entry->d_name);
    FdEntry fd;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), fd.number);
    if (parsed.ec != std::errc()) continue;  // "." and ".."
    auto kind = descriptor_kind(name);
    if (!kind) return base::Unexpected(std::move(kind).error());
    fd.kind = std::move(kind).value();
    if (fd.number > 2) {
      const auto info = read(("fdinfo/" + name).c_str());
      if (!info) return base::Unexpected(base::Error(info.error()));
      if (is_close_on_exec(*info) ? fd.kind != "init" : fd.kind == "init") {
        if (fd.kind != "init") continue;
        fd.kind = "other";  // the init image would stay open in the tool
      }
    }
    out.push_back(std::move(fd));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ethos::sandbox
