// SPDX-License-Identifier: Apache-2.0
#include "sandbox/mask_watch.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <utility>

#include "sandbox/based_path.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxAtOnce = 512;

// The mount that shows what lies below the mask at `at`.
const Mount* mount_below(const Plan& plan, const std::string& at) {
  const Mount* below = nullptr;
  for (const Mount& mount : plan.mounts)
    if (mount.kind != MountKind::mask && is_within(at, mount.at) &&
        (below == nullptr || mount.at.size() >= below->at.size()))
      below = &mount;
  return below;
}

}  // namespace

// Below /proc nobody can move what is masked.
MaskWatch::MaskWatch(const Plan& plan, pid_t pid) {
  const std::string* first = nullptr;
  bool has_layer = false;
  for (const Mount& mount : plan.mounts) {
    if (mount.kind != MountKind::mask) continue;
    const Mount* below = mount_below(plan, mount.at);
    if (below == nullptr) continue;
    has_layer = has_layer || below->kind == MountKind::staged;
    if (below->kind != MountKind::bind) continue;
    places_.push_back({&mount.at, -1, {}, 0, 0});
    if (first == nullptr) first = &mount.at;
  }
  if (places_.empty() && !has_layer) return;
  const std::string process = "/proc/" + std::to_string(pid);
  root_.reset(open((process + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (first != nullptr) {
    table_.reset(open((process + "/mountinfo").c_str(), O_RDONLY | O_CLOEXEC));
    struct stat found {};
    if (fstatat(root_.get(), first->c_str() + 1, &found, AT_SYMLINK_NOFOLLOW) == 0)
      device_ = found.st_dev;
  }
  if (!has_layer) return;
  for (const Mount& mount : plan.mounts)
    if (mount.kind == MountKind::staged) watch_layer(mount, plan);
}

// A copy of the directory (where overlayfs is no use) shows nothing of what the host does to it.
void MaskWatch::watch_layer(const Mount& layer, const Plan& plan) {
  const base::UniqueFd inside(
      openat(root_.get(), layer.at.c_str() + 1, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct statfs system {};
  const bool is_copy = inside.is_open() && fstatfs(inside.get(), &system) == 0 &&
                       system.f_type != OVERLAYFS_SUPER_MAGIC;
  if (is_copy) return;
  int host = -1;
  for (const Mount& mount : plan.mounts) {
    if (mount.kind != MountKind::mask || mount_below(plan, mount.at) != &layer) continue;
    if (host < 0) {
      hosts_.emplace_back(open(layer.source.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      host = hosts_.back().get();
    }
    Place place{&mount.at, host, mount.at.substr(layer.at.size()), 0, 0};
    place.name.erase(0, place.name.find_first_not_of('/'));
    struct stat found {};
    // One that is gone already has no inode, and is not in its place at the first look.
    if (fstatat(host, place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) {
      place.device = found.st_dev;
      place.inode = found.st_ino;
    }
    places_.push_back(std::move(place));
  }
}

bool MaskWatch::is_in_place(const Place& place) const {
  struct stat found {};
  if (place.host < 0)
    return fstatat(root_.get(), place.at->c_str() + 1, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           found.st_dev == device_;
  return fstatat(place.host, place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         found.st_dev == place.device && found.st_ino == place.inode;
}

const std::string* MaskWatch::find_lost() const {
  for (const Place& place : places_)
    if (!is_in_place(place)) return place.at;
  return nullptr;
}

const std::string* MaskWatch::find_lost_by_turns() {
  for (std::size_t left = std::min(places_.size(), kMaxAtOnce); left > 0; --left) {
    const Place& place = places_[next_];
    next_ = (next_ + 1) % places_.size();
    if (!is_in_place(place)) return place.at;
  }
  return nullptr;
}

}  // namespace ethos::sandbox
