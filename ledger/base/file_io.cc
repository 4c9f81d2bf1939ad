// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <span>

#include "ledger/base/hex.h"
#include "ledger/base/paths.h"
#include "ledger/base/random.h"

namespace ethos::base {

namespace {

// False: there is no more.
Result<bool> append_some(std::string& out, std::span<char> chunk, const UniqueFd& fd,
                         std::size_t max_bytes, const std::string& name) {
  ssize_t n = -1;
  do {
    n = ::read(fd.get(), chunk.data(), chunk.size());
  } while (n < 0 && errno == EINTR);
  if (n < 0) return fail_errno(name, errno);
  const auto got = static_cast<std::size_t>(n);
  if (got > max_bytes - out.size()) {
    return fail(Errc::too_large, name + ": more than " + std::to_string(max_bytes) + " bytes");
  }
  out.append(chunk.data(), got);
  return got != 0;
}

[[gnu::noinline]] Result<bool> append_much(std::string& out, const UniqueFd& fd,
                                           std::size_t max_bytes, const std::string& name) {
  std::array<char, 65536> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
  return append_some(out, chunk, fd, max_bytes, name);
}

}  // namespace

Result<std::string> read_fd(const UniqueFd& fd, std::size_t max_bytes, const std::string& name) {
  // Most are short, and below a large buffer every frame would lie on pages of its own.
  constexpr std::size_t kShort = 4096;
  std::string out;
  for (;;) {
    std::array<char, kShort> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): as above
    const auto more = out.size() < kShort ? append_some(out, chunk, fd, max_bytes, name)
                                          : append_much(out, fd, max_bytes, name);
    if (!more) return Unexpected(Error(more.error()));
    if (!*more) return out;
  }
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  auto fd = open_path(path, O_RDONLY | O_NOCTTY);
  if (!fd) return Unexpected(std::move(fd).error());
  return read_fd(*fd, max_bytes, path);
}

Result<void> write_all(const UniqueFd& fd, ByteSpan bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(name, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> sync_fd(const UniqueFd& fd, const std::string& name) {
  while (::fsync(fd.get()) != 0) {
    if (errno != EINTR) return fail_errno(name, errno);
  }
  return {};
}

PendingFile::PendingFile(UniqueFd directory, UniqueFd file, std::string temp, std::string name,
                         std::string path, Sync sync)
    : directory_(std::move(directory)),
      file_(std::move(file)),
      temp_(std::move(temp)),
      name_(std::move(name)),
      path_(std::move(path)),
      sync_(sync) {}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : directory_(std::move(other.directory_)),
      file_(std::move(other.file_)),
      temp_(std::exchange(other.temp_, {})),
      name_(std::move(other.name_)),
      path_(std::move(other.path_)),
      sync_(other.sync_) {}

PendingFile::~PendingFile() {
  if (!temp_.empty()) ::unlinkat(directory_.get(), temp_.c_str(), 0);
}

// Replaced by a file it would be gone for everybody: written to as it is.
bool PendingFile::is_stream(const struct ::stat& st) {
  return S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode);
}

Result<PendingFile> PendingFile::open_stream(UniqueFd directory, const std::string& name,
                                             const std::string& path, bool follows) {
  // Without waiting for the reader of a pipe: one that is not there is an error.
  const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW);
  UniqueFd file(::openat(directory.get(), name.c_str(), flags));
  if (!file.is_open()) return fail_errno(path, errno);
  struct stat st {};
  if (::fstat(file.get(), &st) != 0 || !is_stream(st))
    return fail(Errc::refused, path + ": changed while it was opened");
  ::fcntl(file.get(), F_SETFL, 0);
  return PendingFile(std::move(directory), std::move(file), {}, name, path, Sync::none);
}

Result<PendingFile> PendingFile::create(const std::string& path, const ReplaceOptions& options) {
  const SplitPath split = split_path(path);
  if (split.name.empty()) return fail(Errc::refused, path + ": not a file name");
  constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY;
  auto directory = options.parents == Parents::no_symlinks
                       ? open_no_symlinks(split.parent, kDirectoryFlags)
                       : open_path(split.parent, kDirectoryFlags);
  if (!directory) return Unexpected(std::move(directory).error().with_context(path));
  struct stat st {};
  if (::fstatat(directory->get(), split.name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) {
    // rename() onto a directory fails late and oddly: say it now.
    if (S_ISDIR(st.st_mode)) return fail(Errc::refused, path + ": is a directory");
    struct stat target = st;
    const bool is_link = S_ISLNK(st.st_mode) && options.parents == Parents::follow;
    if (is_link && ::fstatat(directory->get(), split.name.c_str(), &target, 0) != 0) target = st;
    if (is_stream(target)) return open_stream(std::move(*directory), split.name, path, is_link);
    // /dev/stdout while it is a file: the name would be replaced for everybody.
    if (is_link && split.parent == "/dev") {
      return fail(Errc::refused, path + ": leads to a file; write - for standard output");
    }
  }
  const std::string temp = "." + split.name.substr(0, 200) + "." + encode_hex(random_bytes<8>());
  auto file = open_beneath(*directory, temp, O_WRONLY | O_CREAT | O_EXCL, options.mode);
  if (!file) {
    // Of the name that was asked for: the temporary one says nothing to anybody.
    Error error = std::move(file).error();
    error.what = path;
    return Unexpected(std::move(error));
  }
  return PendingFile(std::move(*directory), std::move(*file), temp, split.name, path, options.sync);
}

Result<void> PendingFile::commit() {
  if (temp_.empty()) return {};  // a stream has it already
  if (sync_ == Sync::file_and_directory) {
    if (auto synced = sync_fd(file_, path_); !synced) return synced;
  }
  if (::renameat(directory_.get(), temp_.c_str(), directory_.get(), name_.c_str()) != 0) {
    return fail_errno(path_, errno);
  }
  temp_.clear();
  if (sync_ == Sync::file_and_directory) return sync_fd(directory_, path_);
  return {};
}

Result<void> replace_file(const std::string& path, ByteSpan bytes, const ReplaceOptions& options) {
  auto pending = PendingFile::create(path, options);
  if (!pending) return Unexpected(std::move(pending).error());
  if (auto written = pending->write(bytes); !written) return written;
  return pending->commit();
}

Result<void> create_file(const std::string& path, ByteSpan bytes, mode_t mode) {
  const SplitPath split = split_path(path);
  auto directory = open_path(split.parent, O_RDONLY | O_DIRECTORY);
  if (!directory) return Unexpected(std::move(directory).error().with_context(path));
  auto file = open_beneath(*directory, split.name, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!file) {
    Error error = std::move(file).error();
    error.what = path;
    return Unexpected(std::move(error));
  }
  const auto finish = [&]() -> Result<void> {
    if (::fchmod(file->get(), mode) != 0) return fail_errno(path, errno);
    if (auto written = write_all(*file, bytes, path); !written) return written;
    if (auto synced = sync_fd(*file, path); !synced) return synced;
    return sync_fd(*directory, path);
  };
  auto done = finish();
  if (!done) ::unlinkat(directory->get(), split.name.c_str(), 0);
  return done;
}

}  // namespace ethos::base
