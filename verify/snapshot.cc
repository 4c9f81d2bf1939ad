// SPDX-License-Identifier: Apache-2.0
#include "verify/snapshot.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMaxHighwater = 1'000'000;
constexpr std::uint64_t kMaxLog = std::uint64_t{1} << 30U;  // store.md S-12
constexpr auto kLockPatience = std::chrono::seconds(20);

Error io_error(const std::string& what, int error) {
  return Error{error == ENOENT ? Errc::not_found : Errc::io, what + ": " + std::strerror(error)};
}

// [from, to) of one file into the same place of another.
Result<Done> copy_range(int from_fd, int to_fd, off_t from, off_t to, std::vector<char>& buffer, const std::string& name) {
  while (from < to) {
    const auto wanted = std::min<std::size_t>(buffer.size(), static_cast<std::size_t>(to - from));
    const ssize_t got = ::pread(from_fd, buffer.data(), wanted, from);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("read " + name, errno);
    if (got == 0) return Done{};
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::pwrite(to_fd, buffer.data() + done, static_cast<std::size_t>(got - done), from + done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return io_error("write a copy of " + name, errno);
      done += put;
    }
    from += got;
  }
  return Done{};
}

// Holes stay holes: a file of any length that holds little costs little.
Result<Done> copy_bytes(int from, int to, off_t size, const std::string& name) {
  // A clone costs nothing where the file system can share blocks.
  if (::ioctl(to, FICLONE, from) == 0) return Done{};
  if (::ftruncate(to, size) != 0) return io_error("write a copy of " + name, errno);
  std::vector<char> buffer(std::size_t{1} << 20U);
  off_t at = 0;
  while (at < size) {
    const off_t data = ::lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return Done{};  // nothing but a hole is left
    const off_t hole = data < 0 ? -1 : ::lseek(from, data, SEEK_HOLE);
    // A file system that knows no holes: all of it is data.
    const off_t begin = data < 0 ? at : data;
    const off_t end = hole < 0 ? size : std::min(hole, size);
    const auto copied = copy_range(from, to, begin, end, buffer, name);
    if (!copied) return copied;
    at = std::max(end, begin + 1);
  }
  return Done{};
}

Result<Done> copy_file(int from, const std::string& to, std::uint64_t size, const std::string& name) {
  UniqueFd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out.valid()) return io_error(to, errno);
  return copy_bytes(from, out.get(), static_cast<off_t>(size), name);
}

// Shared lock, with patience: a writer holds it for milliseconds.
Result<Done> lock_shared(int fd) {
  const auto deadline = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(fd, LOCK_SH | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return io_error("lock", errno);
    if (std::chrono::steady_clock::now() > deadline) {
      return Error{Errc::io, "a writer has held the ledger's lock for 20 seconds"};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Done{};
}

}  // namespace

namespace {

// Nothing that is read here is nearly all holes; such a file costs its maker nothing, and whoever reads it
// memory for each page that it seems to have. Files up to `usual` may be anything: those cost little.
bool is_made_of_holes(const struct stat& st, std::uint64_t usual) {
  constexpr std::uint64_t block = 512;
  constexpr std::uint64_t part = 64;
  const auto size = static_cast<std::uint64_t>(st.st_size);
  return size > usual && static_cast<std::uint64_t>(st.st_blocks) < size / part / block;
}

constexpr std::uint64_t kUsualText = std::uint64_t{1} << 20U;
// Its pages take three bits of memory each: 24 MiB.
constexpr std::uint64_t kUsualDatabase = std::uint64_t{1} << 38U;

// O_NONBLOCK: a fifo of that name must not hang us.
Result<UniqueFd> open_with(const std::string& path, std::uint64_t& size, int flags, std::uint64_t usual) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags));
  if (!fd.valid() && errno == ELOOP && flags != 0) return Error{Errc::io, path + ": a symbolic link, which no writer leaves there"};
  if (!fd.valid()) return io_error(path, errno);
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return io_error(path, errno);
  if (!S_ISREG(st.st_mode)) return Error{Errc::io, path + ": not a regular file"};
  size = static_cast<std::uint64_t>(st.st_size);
  if (is_made_of_holes(st, usual)) {
    return Error{Errc::malformed, path + ": a file of holes: of " + std::to_string(size) + " bytes at most " + std::to_string(st.st_blocks * 512) + " were ever written"};
  }
  return fd;
}

Result<std::string> read_with(const std::string& path, std::uint64_t max_bytes, int flags) {
  std::uint64_t size = 0;
  auto fd = open_with(path, size, flags, kUsualText);
  if (!fd) return std::move(fd).error();
  if (size > max_bytes) return Error{Errc::too_long, path + ": larger than " + std::to_string(max_bytes) + " bytes"};
  std::string out;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t got = ::read(fd->get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(path, errno);
    if (got == 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(got));
    if (out.size() > max_bytes) return Error{Errc::too_long, path + ": grew while it was read"};
  }
}

bool is_link(const std::string& path) {
  struct stat st {};
  return ::lstat(path.c_str(), &st) == 0 && S_ISLNK(st.st_mode);
}

}  // namespace

Result<UniqueFd> open_regular(const std::string& path, std::uint64_t& size) { return open_with(path, size, 0, kUsualDatabase); }

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) { return read_with(path, max_bytes, 0); }

Result<Snapshot> take_snapshot(const std::string& ledger) {
  // Siblings lie beside the file itself, not beside a link to it.
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(ledger.c_str(), nullptr), &std::free);
  if (real == nullptr) return io_error(ledger, errno);
  const std::string path = real.get();

  Snapshot out;
  UniqueFd lock(::open((path + ".lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (lock.valid()) {
    const auto locked = lock_shared(lock.get());
    if (!locked) return locked.error();
  }
  struct stat st {};
  out.has_journal = ::lstat((path + "-journal").c_str(), &st) == 0;
  auto database = open_regular(path, out.database_bytes);
  if (!database) return std::move(database).error();
  // store.md S-6: what lies beside the database is opened without following a link.
  for (const char* sibling : {".highwater", "-wal", ".lock"}) {
    if (is_link(path + sibling)) return Error{Errc::io, path + sibling + ": a symbolic link, which no writer leaves there"};
  }
  if (auto water = read_with(path + ".highwater", kMaxHighwater, O_NOFOLLOW)) out.highwater = *std::move(water);
  if (out.has_journal) return out;

  auto log = open_with(path + "-wal", out.log_bytes, O_NOFOLLOW, UINT64_MAX);
  if (!log && log.error().code != Errc::not_found) return std::move(log).error();
  if (out.log_bytes > kMaxLog) {
    return Error{Errc::too_long, path + "-wal: a write-ahead log of " + std::to_string(out.log_bytes) + " bytes; a writer leaves at most " +
                                     std::to_string(kMaxLog)};
  }
  if (!lock.valid() && out.log_bytes == 0) {
    out.database = path;
    out.file = *std::move(database);
    return out;
  }
  auto scratch = ScratchDir::make(out.database_bytes + out.log_bytes);
  if (!scratch) return std::move(scratch).error();
  out.scratch = *std::move(scratch);
  out.database = out.scratch->path() + "/ledger.db";
  out.is_copy = true;
  const auto copied = copy_file(database->get(), out.database, out.database_bytes, path);
  if (!copied) return copied.error();
  if (out.log_bytes > 0) {
    const auto log_copied = copy_file(log->get(), out.database + "-wal", out.log_bytes, path + "-wal");
    if (!log_copied) return log_copied.error();
  }
  return out;
}

}  // namespace ethos::verify
