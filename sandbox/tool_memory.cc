// SPDX-License-Identifier: Apache-2.0
#include "sandbox/tool_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "ledger/base/unique_fd.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kUsualPath = 256;  // most paths end sooner, and more costs more

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

// What its protection keeps from process_vm_readv, and not from the kernel's own copies of
// arguments: a page may be mapped for writing or running alone.
ssize_t read_protected(pid_t pid, std::uint64_t address, char* out, std::size_t size) {
  const base::UniqueFd memory(
      ::open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  const ssize_t n =
      memory.is_open() ? ::pread(memory.get(), out, size, static_cast<off_t>(address)) : -1;
  return n == static_cast<ssize_t>(size) ? n : -1;
}

// All of `size` bytes, or -1 with an error.
ssize_t read_some(pid_t pid, std::uint64_t address, char* out, std::size_t size) {
  iovec local{out, size};
  iovec remote{reinterpret_cast<void*>(address), size};  // NOLINT(performance-no-int-to-ptr)
  const ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  if (n == static_cast<ssize_t>(size) || (n < 0 && errno != EFAULT)) return n;
  if (read_protected(pid, address, out, size) > 0) return static_cast<ssize_t>(size);
  errno = EFAULT;
  return -1;
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
    const std::size_t most = have == 0 ? kUsualPath : buffer.size() - have;
    const std::size_t chunk = std::min<std::size_t>(kPage - at % kPage, most);
    const ssize_t n = read_some(pid, at, buffer.data() + have, chunk);
    if (n < 0) return outcome_of(errno);
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

}  // namespace ethos::sandbox
