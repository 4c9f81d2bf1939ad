// SPDX-License-Identifier: Apache-2.0
#include "sandbox/git_revision.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ledger/base/file_io.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::UniqueFd;

constexpr std::size_t kMaxPointer = 8192;
constexpr std::size_t kMaxPackedRefs = 64U << 20;

// A regular file or directory; never a fifo that would block, never a link.
UniqueFd open_at(const UniqueFd& directory, const std::string& path, int flags,
                 std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint32_t>(flags) | O_CLOEXEC;
  if ((flags & O_PATH) == 0) how.flags |= O_NONBLOCK;
  how.resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof how)));
}

Result<std::string> read_beneath(const UniqueFd& directory, const std::string& path,
                                 std::size_t most) {
  const UniqueFd file = open_at(directory, path, O_RDONLY, RESOLVE_BENEATH);
  struct stat st {};
  if (!file.is_open()) return base::fail_errno(path, errno);
  if (::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode))
    return fail(Errc::refused, path + " is no regular file");
  return base::read_fd(file, most, path);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  return text;
}

bool is_hash(std::string_view text) {
  constexpr std::size_t kSha1 = 40;
  constexpr std::size_t kSha256 = 64;
  return (text.size() == kSha1 || text.size() == kSha256) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// git-check-ref-format(1), the part that keeps a name a plain path.
bool is_ref_name(std::string_view name) {
  if (name.empty() || name.size() > 1024 || name.front() == '/' || name.back() == '/' ||
      name.front() == '-')
    return false;
  if (name.find("..") != std::string_view::npos || name.find("//") != std::string_view::npos ||
      name.find("@{") != std::string_view::npos)
    return false;
  return std::ranges::all_of(name, [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != '\x7F' &&
           std::string_view("~^:?*[\\").find(c) == std::string_view::npos;
  });
}

// "<hash> <name>\n" lines, sorted or not.
std::optional<std::string> find_packed(const UniqueFd& common, std::string_view name) {
  const auto text = read_beneath(common, "packed-refs", kMaxPackedRefs);
  if (!text) return std::nullopt;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string_view line = trim(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos && line.substr(space + 1) == name &&
        is_hash(line.substr(0, space)))
      return std::string(line.substr(0, space));
  }
  return std::nullopt;
}

// One name, following "ref: " lines.
std::optional<std::string> follow(const GitDirectories& git, std::string name) {
  constexpr int kMaxLinks = 5;
  for (int i = 0; i < kMaxLinks; ++i) {
    auto text = read_beneath(git.own, name, kMaxPointer);
    if (!text && name.starts_with("refs/")) text = read_beneath(git.common, name, kMaxPointer);
    if (!text) return name.starts_with("refs/") ? find_packed(git.common, name) : std::nullopt;
    const std::string_view line = trim(*text);
    constexpr std::string_view kRef = "ref: ";
    if (!line.starts_with(kRef))
      return is_hash(line) ? std::optional<std::string>(line) : std::nullopt;
    name = line.substr(kRef.size());
    if (!name.starts_with("refs/") || !is_ref_name(name)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<GitDirectories> open_git_directories(const Workspace& workspace) {
  GitDirectories out;
  struct stat st {};
  if (::fstatat(workspace.fd.get(), ".git", &st, AT_SYMLINK_NOFOLLOW) != 0)
    return base::fail_errno(".git", errno);
  if (S_ISDIR(st.st_mode)) {
    out.own = open_at(workspace.fd, ".git", O_PATH | O_DIRECTORY, RESOLVE_BENEATH);
  } else if (S_ISREG(st.st_mode)) {
    // Worktrees and submodules: one line "gitdir: PATH". The place may lie anywhere; only strictly
    // formed hashes are ever taken from it.
    auto text = read_beneath(workspace.fd, ".git", kMaxPointer);
    if (!text) return base::Unexpected(std::move(text).error());
    constexpr std::string_view kPointer = "gitdir: ";
    const std::string_view line = trim(*text);
    if (!line.starts_with(kPointer) || line.find('\0') != std::string_view::npos)
      return fail(Errc::malformed, ".git is no pointer file");
    out.own =
        open_at(workspace.fd, std::string(line.substr(kPointer.size())), O_PATH | O_DIRECTORY, 0);
  } else {
    return fail(Errc::refused, ".git is neither a directory nor a file");
  }
  if (!out.own.is_open()) return base::fail_errno("git directory", errno);
  const auto common = read_beneath(out.own, "commondir", kMaxPointer);
  out.common = common && trim(*common).find('\0') == std::string_view::npos
                   ? open_at(out.own, std::string(trim(*common)), O_PATH | O_DIRECTORY, 0)
                   : UniqueFd(::fcntl(out.own.get(), F_DUPFD_CLOEXEC, 0));
  if (!out.common.is_open()) return base::fail_errno("common git directory", errno);
  return out;
}

Result<std::string> resolve_git_name(const GitDirectories& git, const std::string& name) {
  if (is_hash(name)) return name;
  if (!is_ref_name(name))
    return fail(Errc::malformed, "no name of a commit: " + name.substr(0, 80));
  for (const char* prefix : {"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}) {
    const std::string full = prefix + name;
    if (full != "HEAD" && !full.starts_with("refs/")) continue;
    if (auto hash = follow(git, full)) return *hash;
  }
  return fail(Errc::not_found, "no commit of that name: " + name.substr(0, 80));
}

std::optional<GitRevision> read_git_revision(const Workspace& workspace) {
  struct stat st {};
  if (::fstatat(workspace.fd.get(), ".git", &st, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) return std::nullopt;
  GitRevision out;
  out.layout = S_ISDIR(st.st_mode) ? "directory" : "file";
  if (auto git = open_git_directories(workspace))
    if (auto hash = resolve_git_name(*git, "HEAD")) out.revision = *hash;
  return out;
}

}  // namespace ethos::sandbox
