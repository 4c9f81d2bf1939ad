// SPDX-License-Identifier: Apache-2.0
#include "sandbox/quick_look.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/based_path.h"
#include "sandbox/cage_object.h"
#include "sandbox/exec_check.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kKeptNs = 100'000'000;
constexpr int kLook = O_PATH | O_CLOEXEC;

// "/a/b": absolute, and no component is empty, "." or "..".
bool is_plain(std::string_view text) {
  if (text.empty() || text.front() != '/') return false;
  std::size_t from = 1;
  for (std::size_t at = 1; at <= text.size(); ++at) {
    if (at < text.size() && text[at] != '/') continue;
    const std::size_t size = at - from;
    if (size == 0 || (text[from] == '.' && (size == 1 || (size == 2 && text[from + 1] == '.'))))
      return false;
    from = at + 1;
  }
  return true;
}

}  // namespace

QuickLook::QuickLook(const Plan& plan, const GrantIndex& grants)
    : plan_(&plan),
      grants_(&grants),
      has_links_(std::ranges::any_of(
          plan.links, [&grants](const Link& link) { return grants.is_scratch(link.at); })) {}

std::string QuickLook::place_of(std::string_view path) const {
  const std::string_view top = path.substr(0, path.find('/', 1));
  for (const Link& link : plan_->links)
    if (link.at == top && is_plain("/" + link.target))
      return "/" + link.target + std::string(path.substr(top.size()));
  return std::string(path);
}

QuickLook::Directory* QuickLook::directory_of(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || !is_plain(text)) return nullptr;
  const std::string_view path = text.substr(0, slash);
  const auto known = std::ranges::find(known_, path, &Directory::path);
  Directory* const found = known != known_.end() ? &*known : remember(path);
  if (found == nullptr || !found->is_mixed) return found;
  const std::string place = found->place + std::string(text.substr(slash));
  return grants_->is_unnamed(place) && grants_->cover(place) == found->cover ? found : nullptr;
}

QuickLook::Directory* QuickLook::remember(std::string_view path) {
  std::string place = place_of(path);
  if (is_within(place, "/proc")) return nullptr;  // what it says depends on who asks
  const Cover cover = grants_->cover(place);
  const bool is_fixed = cover == Cover::readable && grants_->is_read_only_mount(place);
  if (!is_fixed && cover != Cover::writable) return nullptr;
  Directory& made = known_[next_++ % known_.size()];
  made.path = path;
  made.cover = cover;
  made.is_scratch = grants_->is_scratch(place);
  made.is_cages_own = grants_->is_cages_own(place);
  made.is_id_mapped = grants_->is_id_mapped(place);
  made.is_mixed = !grants_->is_uniform(place);
  made.place = std::move(place);
  made.kept.reset();
  return &made;
}

Glance QuickLook::at_read(int root, std::string_view text, std::uint64_t now_ns) {
  Directory* const directory = directory_of(text);
  if (directory == nullptr) return Glance::unknown;
  if (directory->cover != Cover::readable)
    return is_without_links(*directory) ? Glance::passes : Glance::unknown;
  if (!directory->kept.is_open() || now_ns - directory->opened_ns > kKeptNs) {
    directory->kept.reset(
        open_how_at(root, directory->place.c_str() + 1, kLook | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
    directory->opened_ns = now_ns;
    // Root's supervisor passes directories that the tool may not search.
    directory->is_closed = plan_->identity.is_mapped_by_root &&
                           !may_pass(root, directory->place + "/", plan_->identity).value_or(false);
  }
  if (!directory->kept.is_open() || directory->is_closed) return Glance::unknown;
  const char* const name = text.data() + directory->path.size() + 1;
  struct stat found {};
  if (fstatat(directory->kept.get(), name, &found, AT_SYMLINK_NOFOLLOW) != 0)
    return errno != ENOENT ? Glance::unknown
           // In the host's own tree it is not there for anybody.
           : directory->is_cages_own ? Glance::missing
                                     : Glance::passes;
  const bool passes = (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) &&
                      bits_let_read(found.st_mode, found.st_uid, found.st_gid, plan_->identity);
  // An access list may take away what the bits seem to give; of what root's supervisor could read
  // itself that would be a refusal.
  const bool is_told =
      passes && (!plan_->identity.is_mapped_by_root || found.st_uid == plan_->identity.host_uid ||
                 is_without_list(*directory, name, found, now_ns));
  return is_told ? Glance::passes : Glance::unknown;
}

bool QuickLook::is_without_list(const Directory& directory, const char* name,
                                const struct stat& found, std::uint64_t now_ns) {
  Plain& known = plain_[found.st_ino % plain_.size()];
  const bool is_known = known.inode == found.st_ino && known.device == found.st_dev &&
                        known.changed.tv_sec == found.st_ctim.tv_sec &&
                        known.changed.tv_nsec == found.st_ctim.tv_nsec &&
                        now_ns - known.seen_ns <= kKeptNs;
  if (is_known) return true;
  if (has_list(directory.kept.get(), name)) return false;
  known = {found.st_dev, found.st_ino, found.st_ctim, now_ns};
  return true;
}

bool QuickLook::is_of_others(const Directory& directory, const base::UniqueFd& object) const {
  const Identity& tool = plan_->identity;
  if (!directory.is_id_mapped) return false;
  struct stat found {};
  return fstat(object.get(), &found) != 0 || found.st_uid != tool.host_uid ||
         found.st_gid != tool.host_gid;
}

Glance QuickLook::at_write(int root, const std::string& text) {
  Directory* const directory = directory_of(text);
  if (directory == nullptr || directory->cover != Cover::writable) return Glance::unknown;
  if (is_without_links(*directory)) return Glance::passes;
  const base::UniqueFd object(open_how_at(root, text.c_str() + 1, kLook, RESOLVE_NO_SYMLINKS));
  if (object.is_open()) return is_of_others(*directory, object) ? Glance::unknown : Glance::passes;
  return errno == ENOENT ? Glance::missing : Glance::unknown;
}

}  // namespace ethos::sandbox
