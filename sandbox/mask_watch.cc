// SPDX-License-Identifier: Apache-2.0
#include "sandbox/mask_watch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "sandbox/based_path.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxAtOnce = 512;

// Over a view of the host's tree. In a layer only the tool itself can move what is masked, and
// takes the mask along; below /proc nobody can.
bool is_over_host(const Plan& plan, const std::string& at) {
  const Mount* below = nullptr;
  for (const Mount& mount : plan.mounts)
    if (mount.kind != MountKind::mask && is_within(at, mount.at) &&
        (below == nullptr || mount.at.size() >= below->at.size()))
      below = &mount;
  return below != nullptr && below->kind == MountKind::bind;
}

}  // namespace

MaskWatch::MaskWatch(const Plan& plan, pid_t pid) {
  for (const Mount& mount : plan.mounts)
    if (mount.kind == MountKind::mask && is_over_host(plan, mount.at)) masks_.push_back(&mount.at);
  if (masks_.empty()) return;
  const std::string process = "/proc/" + std::to_string(pid);
  root_.reset(open((process + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  table_.reset(open((process + "/mountinfo").c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found {};
  if (fstatat(root_.get(), masks_[0]->c_str() + 1, &found, AT_SYMLINK_NOFOLLOW) == 0)
    device_ = found.st_dev;
}

bool MaskWatch::is_in_place(const std::string& at) const {
  struct stat found {};
  return fstatat(root_.get(), at.c_str() + 1, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         found.st_dev == device_;
}

const std::string* MaskWatch::find_lost() const {
  for (const std::string* mask : masks_)
    if (!is_in_place(*mask)) return mask;
  return nullptr;
}

const std::string* MaskWatch::find_lost_by_turns() {
  for (std::size_t left = std::min(masks_.size(), kMaxAtOnce); left > 0; --left) {
    const std::string* mask = masks_[next_];
    next_ = (next_ + 1) % masks_.size();
    if (!is_in_place(*mask)) return mask;
  }
  return nullptr;
}

}  // namespace ethos::sandbox
