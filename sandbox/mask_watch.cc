// SPDX-License-Identifier: Apache-2.0
#include "sandbox/mask_watch.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sandbox/based_path.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxAtOnce = 512;

// The mount, which is no mask, that shows what lies below the mask at `at`.
const Mount* mount_below(const std::vector<const Mount*>& mounts, const std::string& at) {
  const Mount* below = nullptr;
  for (const Mount* mount : mounts)
    if (is_within(at, mount->at) && (below == nullptr || mount->at.size() >= below->at.size()))
      below = mount;
  return below;
}

}  // namespace

// Below /proc nobody can move what is masked.
MaskWatch::MaskWatch(const Plan& plan, pid_t pid) {
  const std::string* first = nullptr;
  std::vector<const Mount*> others;
  for (const Mount& mount : plan.mounts)
    if (mount.kind != MountKind::mask) others.push_back(&mount);
  std::map<const Mount*, std::vector<const Mount*>> of_layers;
  for (const Mount& mount : plan.mounts) {
    if (mount.kind != MountKind::mask) continue;
    const Mount* below = mount_below(others, mount.at);
    if (below == nullptr) continue;
    if (below->kind == MountKind::staged) of_layers[below].push_back(&mount);
    if (below->kind != MountKind::bind) continue;
    places_.push_back({&mount.at, -1, {}, 0, 0});
    if (first == nullptr) first = &mount.at;
  }
  if (places_.empty() && of_layers.empty()) return;
  const std::string process = "/proc/" + std::to_string(pid);
  root_.reset(open((process + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (first != nullptr) {
    table_.reset(open((process + "/mountinfo").c_str(), O_RDONLY | O_CLOEXEC));
    struct stat found {};
    if (fstatat(root_.get(), first->c_str() + 1, &found, AT_SYMLINK_NOFOLLOW) == 0)
      device_ = found.st_dev;
  }
  for (const auto& [layer, masks] : of_layers) watch_layer(*layer, masks);
}

// A copy of the directory (where overlayfs is no use) shows nothing of what the host does to it.
void MaskWatch::watch_layer(const Mount& layer, const std::vector<const Mount*>& masks) {
  const base::UniqueFd inside(
      openat(root_.get(), layer.at.c_str() + 1, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct statfs system {};
  const bool is_copy = inside.is_open() && fstatfs(inside.get(), &system) == 0 &&
                       system.f_type != OVERLAYFS_SUPER_MAGIC;
  if (is_copy) return;
  hosts_.emplace_back(open(layer.source.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const int host = hosts_.back().get();
  for (const Mount* mask : masks) {
    Place place{&mask->at, host, mask->at.substr(layer.at.size()), 0, 0};
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
