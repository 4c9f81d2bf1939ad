// SPDX-License-Identifier: Apache-2.0
#include "sandbox/mask_index.h"

#include <algorithm>
#include <string>

namespace ethos::sandbox {
namespace {

std::string_view place(const Mount* mount) { return mount->at; }

}  // namespace

MaskIndex::MaskIndex(const Plan& plan) {
  for (const Mount& mount : plan.mounts)
    if (mount.kind == MountKind::mask) masks_.push_back(&mount);
  std::ranges::stable_sort(masks_, {}, place);
}

const Mount* MaskIndex::at(std::string_view path) const {
  const auto behind = std::ranges::upper_bound(masks_, path, {}, place);
  return behind != masks_.begin() && place(*std::prev(behind)) == path ? *std::prev(behind)
                                                                       : nullptr;
}

const Mount* MaskIndex::holder(std::string_view path) const {
  if (masks_.empty()) return nullptr;
  while (path.size() > 1) {
    if (const Mount* found = at(path)) return found;
    path = path.substr(0, path.rfind('/') + 1);
    path.remove_suffix(path.size() > 1 ? 1 : 0);
  }
  return path.empty() ? nullptr : at("/");
}

bool MaskIndex::has_below(std::string_view path) const {
  if (masks_.empty()) return false;
  if (at(path) != nullptr) return true;
  const std::string below = path == "/" ? "/" : std::string(path) + "/";
  const auto first = std::ranges::lower_bound(masks_, std::string_view(below), {}, place);
  return first != masks_.end() && place(*first).starts_with(below);
}

}  // namespace ethos::sandbox
