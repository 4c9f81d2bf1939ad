// SPDX-License-Identifier: Apache-2.0
#include "sandbox/layer_walk.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sandbox/beneath.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxEntries = 1'000'000;
// A path has to fit into a record twice, as itself and as its grant's, each byte escaped.
constexpr std::size_t kMaxPath = 3072;
constexpr mode_t kPermissions = 0777;

}  // namespace

std::string join_path(const std::string& dir, const std::string& name) {
  return dir.empty() ? name : dir + "/" + name;
}

bool is_equal_folded(std::string_view a, std::string_view b) {
  const auto fold = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, fold, fold);
}

HostType host_type(int host, const std::string& path, struct stat& found) {
  const base::UniqueFd fd = open_beneath_dir(host, path, O_PATH | O_NOFOLLOW);
  if (!fd.is_open())
    return errno == ENOENT || errno == ENOTDIR ? HostType::absent : HostType::other;
  if (fstat(fd.get(), &found) != 0) return HostType::other;
  if (S_ISREG(found.st_mode)) return HostType::file;
  return S_ISDIR(found.st_mode) ? HostType::directory : HostType::other;
}

base::Result<void> LayerWalk::count_entry() {
  if (++entries_ > kMaxEntries)
    return base::fail(base::Errc::too_large,
                      "more than 1000000 files and directories below one grant; write fewer, or "
                      "one archive of them");
  if (interruption_.is_over()) return base::fail(base::Errc::refused, grant_at_ + ": given up");
  return {};
}

void LayerWalk::refuse(const std::string& path, std::string rule, std::string reason) {
  out_.refused.push_back({path, std::move(rule), std::move(reason)});
}

bool LayerWalk::is_too_long(const std::string& at, const std::string& path) {
  if (grant_at_.size() + 1 + path.size() <= kMaxPath) return false;
  refuse(at, "depth",
         "a path below is longer than 3072 bytes; use shorter names, or write one archive");
  return true;
}

bool LayerWalk::is_refused(const std::string& path, bool is_directory) {
  const auto refusal = rules_.refuses(grant_at_ + "/" + path, is_directory);
  if (refusal) refuse(path, refusal->rule, refusal->reason);
  return refusal.has_value();
}

bool LayerWalk::holds_protected(const std::string& path, int depth) {
  const base::UniqueFd dir = open_beneath_dir(host_, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  bool ok = false;
  if (!dir.is_open() || depth > kMaxUpperLevels) return true;
  for (const auto& name : list_names(dir.get(), ok)) {
    struct stat found {};
    const std::string inner = join_path(path, name);
    if (++entries_ > kMaxEntries || interruption_.is_over() ||
        fstatat(dir.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
      return true;
    if (rules_.refuses(grant_at_ + "/" + inner, S_ISDIR(found.st_mode))) return true;
    if (S_ISDIR(found.st_mode) && holds_protected(inner, depth + 1)) return true;
  }
  return !ok;
}

void LayerWalk::add(Change::Kind kind, const std::string& path, const struct stat& found) {
  Change change;
  change.kind = kind;
  change.path = path;
  change.mode = found.st_mode & kPermissions;
  // Without the sticky bit whoever may write into a directory may remove what is others'.
  if (S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0) change.mode &= ~mode_t{022};
  // One that its owner cannot list, or not enter, would end his later runs that hide something.
  if (S_ISDIR(found.st_mode)) change.mode |= S_IRUSR | S_IXUSR;
  change.is_mode_stripped = (found.st_mode & (S_ISUID | S_ISGID | S_ISVTX)) != 0;
  change.size = static_cast<std::uint64_t>(found.st_size);
  out_.changes.push_back(std::move(change));
}

void LayerWalk::add_removal(const std::string& path) {
  out_.changes.push_back({Change::Kind::removal, path, 0, false, 0});
}

}  // namespace ethos::sandbox
