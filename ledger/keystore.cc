// SPDX-License-Identifier: Apache-2.0
#include "ledger/keystore.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/record/sealed_key.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::fail_errno;
using base::Result;
using base::Unexpected;
using base::UniqueFd;

constexpr std::size_t kMaxKeyFileBytes = 4096;

Result<void> check_secret_file(const struct stat& st, const std::string& path) {
  if (S_ISLNK(st.st_mode)) return fail(Errc::refused, path + ": is a symbolic link");
  if (!S_ISREG(st.st_mode)) return fail(Errc::refused, path + ": is not a regular file");
  if (st.st_uid != ::geteuid()) return fail(Errc::refused, path + ": is owned by another user");
  if ((st.st_mode & 077U) != 0) {
    return fail(Errc::refused, path + ": group or others have access (chmod 600 it)");
  }
  if (st.st_nlink != 1) return fail(Errc::refused, path + ": has a second name (hard link)");
  if (st.st_size > static_cast<off_t>(kMaxKeyFileBytes)) {
    return fail(Errc::refused, path + ": is larger than 4096 bytes");
  }
  return {};
}

Result<record::SecretBytes> read_secret(const UniqueFd& fd, std::size_t size,
                                        const std::string& path) {
  record::SecretBytes out(size);
  std::size_t at = 0;
  while (at < size) {
    const ssize_t n = ::read(fd.get(), out.writable().data() + at, size - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(path, errno);
    if (n == 0) return fail(Errc::refused, path + ": changed while it was read");
    at += static_cast<std::size_t>(n);
  }
  return out;
}

// Of a name as file_name() and agent_name() make it.
std::optional<std::uint64_t> epoch_of(std::string_view name) {
  constexpr std::string_view kPrefix = "epoch-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::uint64_t epoch = 0;
  const char* const end = name.data() + name.size();
  const auto [at, failed] = std::from_chars(name.data() + kPrefix.size(), end, epoch);
  if (failed != std::errc()) return std::nullopt;
  const bool is_whole = name == Keystore::file_name(epoch) || name == Keystore::agent_name(epoch);
  return is_whole ? std::optional(epoch) : std::nullopt;
}

struct CloseDirectory {
  void operator()(DIR* d) const { ::closedir(d); }
};

}  // namespace

Result<record::SigningKey> read_secret_key(const UniqueFd& directory, const std::string& name,
                                           const std::string& shown_path,
                                           const record::SecretBytes* passphrase,
                                           const record::KeyMark* known) {
  struct stat before {};
  if (::fstatat(directory.get(), name.c_str(), &before, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno(shown_path, errno);
  }
  if (auto ok = check_secret_file(before, shown_path); !ok)
    return Unexpected(std::move(ok).error());
  // O_NONBLOCK: a FIFO swapped in between must not hang us.
  auto fd = base::open_beneath(directory, name, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (!fd) {
    base::Error error = std::move(fd).error();
    error.what = shown_path;
    return Unexpected(std::move(error));
  }
  struct stat st {};
  if (::fstat(fd->get(), &st) != 0) return fail_errno(shown_path, errno);
  if (auto ok = check_secret_file(st, shown_path); !ok) return Unexpected(std::move(ok).error());
  auto text = read_secret(*fd, static_cast<std::size_t>(st.st_size), shown_path);
  if (!text) return Unexpected(std::move(text).error());
  const std::string_view content = base::as_text(text->bytes());
  const bool is_sealed = record::is_sealed_key(content);
  if (is_sealed && passphrase == nullptr)
    return fail(Errc::refused, shown_path + ": is sealed and needs its passphrase");
  auto key = is_sealed ? record::unseal_key(content, passphrase->bytes())
                       : record::SigningKey::from_file_text(content, known);
  if (!key) return Unexpected(std::move(key).error().with_context(shown_path));
  return key;
}

Result<record::SigningKey> read_secret_key(const std::string& path,
                                           const record::SecretBytes* passphrase) {
  const base::SplitPath split = base::split_path(path);
  if (split.name.empty()) return fail(Errc::usage, path + ": not a file name");
  auto directory = base::open_path(split.parent, O_RDONLY | O_DIRECTORY);
  if (!directory) return Unexpected(std::move(directory).error());
  return read_secret_key(*directory, split.name, path, passphrase);
}

Result<record::SecretBytes> secret_file_text(const record::SigningKey& key,
                                             const KeyAccess& access) {
  if (access.passphrase == nullptr) return key.file_text();
  auto sealed = record::seal_key(key, access.passphrase->bytes(), access.strength);
  if (!sealed) return Unexpected(std::move(sealed).error());
  return record::SecretBytes(base::as_bytes(*sealed));
}

std::string Keystore::agent_name(std::uint64_t epoch) {
  return "epoch-" + std::to_string(epoch) + ".agent";
}

std::string Keystore::file_name(std::uint64_t epoch) {
  return "epoch-" + std::to_string(epoch) + ".key";
}

Result<Keystore> Keystore::open(const std::string& path, KeyAccess access) {
  auto fd = base::open_path(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!fd) {
    // ENOTDIR is what a link or a file gives: it is there, and not usable.
    struct stat st {};
    if (::lstat(path.c_str(), &st) == 0 && !S_ISDIR(st.st_mode)) {
      return fail(Errc::refused, path + ": is not a directory");
    }
    return Unexpected(std::move(fd).error().with_context("key directory"));
  }
  struct stat st {};
  if (::fstat(fd->get(), &st) != 0) return fail_errno(path, errno);
  if (st.st_uid != ::geteuid()) return fail(Errc::refused, path + ": is owned by another user");
  if ((st.st_mode & 022U) != 0) {
    return fail(Errc::refused, path + ": group or others may write (chmod 700 it)");
  }
  return Keystore(std::move(*fd), path, std::move(access));
}

Result<Keystore> Keystore::create(const std::string& path, KeyAccess access) {
  if (::mkdir(path.c_str(), 0700) != 0) return fail_errno(path, errno);
  return open(path, std::move(access));
}

Result<EpochSigner> Keystore::load(std::uint64_t epoch, std::string_view vkey,
                                   const record::KeyMark* known) const {
  auto key =
      read_secret_key(directory_, file_name(epoch), shown(epoch), access_.passphrase.get(), known);
  if (key) {
    if (key->public_key().text() == vkey) return EpochSigner::of_secret(std::move(*key));
    return fail(Errc::mismatch, shown(epoch) + ": is not the key of this ledger's epoch");
  }
  if (key.error().code != Errc::not_found)
    return Unexpected(std::move(key).error().with_context("epoch key"));
  auto fd = base::open_beneath(directory_, agent_name(epoch), O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (!fd) return Unexpected(std::move(key).error().with_context("epoch key"));
  const std::string path = path_ + "/" + agent_name(epoch);
  auto text = base::read_fd(*fd, kMaxKeyFileBytes, path);
  if (!text) return Unexpected(std::move(text).error());
  if (*text != std::string(vkey) + "\n")
    return fail(Errc::mismatch, path + ": is not the key of this ledger's epoch");
  auto named = record::PublicKey::from_text(vkey);
  if (!named) return Unexpected(std::move(named).error());
  return EpochSigner::of_agent(std::move(*named), access_.agent_socket);
}

Result<void> Keystore::write(const std::string& name, base::ByteSpan bytes) const {
  const std::string path = path_ + "/" + name;
  if (::unlinkat(directory_.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(path, errno);
  }
  auto fd = base::open_beneath(directory_, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!fd) return Unexpected(std::move(fd).error().with_context(path_));
  if (auto ok = base::write_all(*fd, bytes, path); !ok) return ok;
  if (auto ok = base::sync_fd(*fd, path); !ok) return ok;
  return base::sync_fd(directory_, path_);
}

Result<void> Keystore::save(std::uint64_t epoch, const record::SigningKey& key) const {
  auto text = secret_file_text(key, access_);
  if (!text) return Unexpected(std::move(text).error());
  return write(file_name(epoch), text->bytes());
}

Result<void> Keystore::save_agent(std::uint64_t epoch, const record::PublicKey& key) const {
  return write(agent_name(epoch), base::as_bytes(key.text() + "\n"));
}

Result<void> Keystore::retire(std::uint64_t epoch) const {
  // What the agent holds is not ours to remove.
  if (::unlinkat(directory_.get(), agent_name(epoch).c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(path_ + "/" + agent_name(epoch), errno);
  }
  const std::string name = file_name(epoch);
  auto fd = base::open_beneath(directory_, name, O_WRONLY);
  if (!fd && fd.error().code == Errc::not_found) return {};
  if (fd) {
    // Best effort: it is not claimed that disks forget (K-10).
    struct stat st {};
    if (::fstat(fd->get(), &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= 4096) {
      const base::Bytes zeros(static_cast<std::size_t>(st.st_size));
      auto wiped = base::write_all(*fd, zeros, shown(epoch));
      if (wiped) wiped = base::sync_fd(*fd, shown(epoch));
      static_cast<void>(wiped.has_value());
    }
  }
  if (::unlinkat(directory_.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(shown(epoch), errno);
  }
  return {};
}

Result<std::vector<std::uint64_t>> Keystore::epochs_before(std::uint64_t epoch) const {
  const int fd = ::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail_errno(path_, errno);
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(fd));
  if (directory == nullptr) {
    const int error = errno;
    ::close(fd);
    return fail_errno(path_, error);
  }
  std::vector<std::uint64_t> out;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr && errno != 0) return fail_errno(path_, errno);
    if (entry == nullptr) return out;
    const auto found = epoch_of(entry->d_name);
    if (found && *found < epoch) out.push_back(*found);
  }
}

Result<void> Keystore::retire_before(std::uint64_t epoch) const {
  if (epoch <= retired_before_) return {};
  auto over = epochs_before(epoch);
  if (!over) return Unexpected(std::move(over).error());
  Result<void> out;
  for (const std::uint64_t one : *over) {
    auto ok = retire(one);
    if (out) out = std::move(ok);
  }
  if (out) retired_before_ = epoch;
  return out;
}

}  // namespace ethos::ledger
