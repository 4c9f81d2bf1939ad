// SPDX-License-Identifier: Apache-2.0
#include "sandbox/tool_memory.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "ledger/base/unique_fd.h"
#include "sandbox/based_path.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kPage = 4096;

MemoryRead outcome_of(int error) {
  switch (error) {
    case ESRCH:
      return MemoryRead::gone;
    case EPERM:
      return MemoryRead::forbidden;
    default:
      return MemoryRead::fault;
  }
}

ssize_t read_some(pid_t pid, std::uint64_t address, char* out, std::size_t size) {
  iovec local{out, size};
  iovec remote{reinterpret_cast<void*>(address), size};  // NOLINT(performance-no-int-to-ptr)
  return process_vm_readv(pid, &local, 1, &remote, 1, 0);
}

// Text of a /proc link, empty when it cannot be read.
std::string link_text(const std::string& path) {
  std::array<char, kMaxPath> buffer;
  const ssize_t n = readlink(path.c_str(), buffer.data(), buffer.size());
  return n > 0 ? std::string(buffer.data(), static_cast<std::size_t>(n)) : std::string();
}

std::string proc_path(pid_t pid, const std::string& rest) {
  return "/proc/" + std::to_string(pid) + "/" + rest;
}

base::UniqueFd open_in_root(int root, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return base::UniqueFd(
      static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
}

}  // namespace

MemoryRead read_bytes(pid_t pid, std::uint64_t address, std::span<std::byte> out) {
  const ssize_t n = read_some(pid, address, reinterpret_cast<char*>(out.data()), out.size());
  if (n < 0) return outcome_of(errno);
  return static_cast<std::size_t>(n) == out.size() ? MemoryRead::ok : MemoryRead::fault;
}

MemoryRead read_string(pid_t pid, std::uint64_t address, std::string& out) {
  std::array<char, kMaxPath> buffer;
  std::size_t have = 0;
  // Never across a page in one call: the next page may not exist, and the string may end before.
  while (have < buffer.size()) {
    const std::uint64_t at = address + have;
    const std::size_t chunk = std::min<std::size_t>(kPage - at % kPage, buffer.size() - have);
    const ssize_t n = read_some(pid, at, buffer.data() + have, chunk);
    if (n <= 0) return n < 0 ? outcome_of(errno) : MemoryRead::fault;
    const auto got = static_cast<std::size_t>(n);
    if (const void* end = std::memchr(buffer.data() + have, 0, got)) {
      out.assign(buffer.data(),
                 static_cast<std::size_t>(static_cast<const char*>(end) - buffer.data()));
      return MemoryRead::ok;
    }
    have += got;
  }
  return MemoryRead::too_long;
}

MemoryRead read_path(pid_t pid, std::int32_t dir_fd, std::uint64_t address, std::string& out) {
  std::string text;
  if (address != 0) {
    const MemoryRead read = read_string(pid, address, text);
    if (read != MemoryRead::ok) return read;
  }
  if (!text.starts_with('/')) {
    const std::string base = dir_fd == AT_FDCWD
                                 ? link_text(proc_path(pid, "cwd"))
                                 : link_text(proc_path(pid, "fd/" + std::to_string(dir_fd)));
    // "pipe:[1]", "(unreachable)/x" and vanished descriptors name no place in the tree.
    if (!base.starts_with('/')) return MemoryRead::fault;
    text = text.empty() ? base : base + "/" + text;
  }
  out = plain_path(text);
  return MemoryRead::ok;
}

std::string resolve_inside(pid_t pid, const std::string& path) {
  const base::UniqueFd root(open(proc_path(pid, "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return path;
  const auto text_of = [](const base::UniqueFd& fd) {
    return link_text("/proc/self/fd/" + std::to_string(fd.get()));
  };
  if (const base::UniqueFd whole = open_in_root(root.get(), path); whole.is_open()) {
    const std::string found = text_of(whole);
    return found.starts_with('/') ? found : path;
  }
  const std::size_t slash = path.rfind('/');
  const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
  const base::UniqueFd directory = open_in_root(root.get(), parent);
  if (!directory.is_open()) return path;
  const std::string found = text_of(directory);
  if (!found.starts_with('/')) return path;
  return plain_path(found + path.substr(slash));
}

}  // namespace ethos::sandbox
