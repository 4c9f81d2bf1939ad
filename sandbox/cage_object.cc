// SPDX-License-Identifier: Apache-2.0
#include "sandbox/cage_object.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "ledger/base/unique_fd.h"
#include "sandbox/proc_dir.h"

namespace ethos::sandbox {
namespace {

// The last number of a line of /proc/<tid>/status: the innermost namespace's.
std::string inner_number(pid_t tid, std::string_view name) {
  const base::UniqueFd dir(open(thread_dir(tid).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.is_open()) return {};
  const auto status = read_small_file(dir.get(), "status");
  if (!status) return {};
  const std::size_t at = status->find(name);
  if (at == std::string::npos) return {};
  const std::string line = status->substr(at, status->find('\n', at) - at);
  return line.substr(line.find_last_of(" \t") + 1);
}

}  // namespace

int open_how_at(int dir, const char* path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags);
  how.resolve = resolve;
  return static_cast<int>(syscall(SYS_openat2, dir, path, &how, sizeof how));
}

std::optional<Stat> look(int fd) {
  constexpr unsigned kWanted =
      STATX_TYPE | STATX_MODE | STATX_UID | STATX_GID | STATX_INO | STATX_NLINK | STATX_MNT_ID;
  Stat found{};
  if (statx(fd, "", AT_EMPTY_PATH, kWanted, &found) != 0) return std::nullopt;
  return found;
}

bool is_on_proc(int fd) {
  struct statfs fs {};
  return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

std::string text_of(int fd, std::uint32_t links) {
  std::array<char, 4096> buffer;
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  errno = 0;
  const ssize_t n = readlink(link.c_str(), buffer.data(), buffer.size());
  if (n <= 0 || buffer[0] != '/') return {};
  std::string_view text(buffer.data(), static_cast<std::size_t>(n));
  constexpr std::string_view kDeleted = " (deleted)";
  if (links == 0 && text.ends_with(kDeleted)) text.remove_suffix(kDeleted.size());
  return std::string(text);
}

bool is_memory(std::string_view text, std::uint32_t links) {
  return links == 0 && (text.starts_with("/memfd:") || text.starts_with("/anon_hugepage") ||
                        text.starts_with("/dev/zero") || text.starts_with("/SYSV"));
}

std::string directory_text(pid_t tid) {
  std::array<char, 4096> buffer;
  const ssize_t n = readlink((thread_dir(tid) + "/cwd").c_str(), buffer.data(), buffer.size());
  if (n <= 0 || static_cast<std::size_t>(n) == buffer.size() || buffer[0] != '/') return {};
  return std::string(buffer.data(), static_cast<std::size_t>(n));
}

std::string thread_dir(pid_t tid) { return "/proc/" + std::to_string(tid); }

std::string inner_process(pid_t tid) { return inner_number(tid, "NStgid:"); }

std::string inner_thread(pid_t tid) {
  return inner_process(tid) + "/task/" + inner_number(tid, "NSpid:");
}

}  // namespace ethos::sandbox
