// SPDX-License-Identifier: Apache-2.0
#include "sandbox/grant_index.h"

#include <algorithm>

#include "sandbox/based_path.h"

namespace ethos::sandbox {
namespace {

std::string absolute(const BasedPath& where, const std::string& workspace) {
  const std::string base = where.base == Base::workspace ? workspace
                           : where.base == Base::scratch ? "/tmp"
                                                         : "";
  if (where.path == ".") return base.empty() ? "/" : base;
  return base + "/" + where.path;
}

bool gives_write(Access access) {
  return access == Access::write || access == Access::write_exec || access == Access::device;
}

}  // namespace

GrantIndex::GrantIndex(const Plan& plan) : plan_(&plan), masks_(plan) {
  for (const Mount& mount : plan.mounts)
    if (mount.kind != MountKind::mask) others_.push_back(&mount);
  never_write_.reserve(plan.never_write.size());
  for (const auto& where : plan.never_write)
    never_write_.push_back(absolute(where, plan.workspace));
}

const Mount* GrantIndex::holder(std::string_view path) const {
  const Mount* found = nullptr;
  for (const Mount* mount : others_)
    if (is_within(path, mount->at) && (found == nullptr || mount->at.size() >= found->at.size()))
      found = mount;
  const Mount* mask = masks_.holder(path);
  const bool is_masked =
      mask != nullptr && (found == nullptr || mask->at.size() >= found->at.size());
  return is_masked ? mask : found;
}

bool GrantIndex::is_read_only_mount(std::string_view path) const {
  const Mount* mount = holder(path);
  return mount == nullptr || mount->read_only;
}

Cover GrantIndex::cover(std::string_view path) const {
  if (const Mount* mask = masks_.holder(path))
    return mask->is_git_mask ? Cover::git : Cover::hidden;
  for (const auto& never : never_write_)
    if (is_within(path, never)) return Cover::policy;
  bool is_readable = false;
  for (const auto& rule : plan_->landlock) {
    if (!is_within(path, rule.at)) continue;
    if (gives_write(rule.access) && !is_read_only_mount(path)) return Cover::writable;
    is_readable = true;
  }
  if (is_readable) return Cover::readable;
  const bool has_mount =
      std::ranges::any_of(others_, [&](const Mount* mount) { return is_within(mount->at, path); });
  return has_mount || masks_.has_below(path) ? Cover::ancestor : Cover::outside;
}

bool GrantIndex::is_uniform(std::string_view directory) const {
  const auto is_below = [directory](std::string_view path) {
    return path.size() > directory.size() && is_within(path, directory);
  };
  return !masks_.has_below(directory) && std::ranges::none_of(others_, is_below, &Mount::at) &&
         std::ranges::none_of(plan_->landlock, is_below, &LandlockRule::at) &&
         std::ranges::none_of(never_write_, is_below);
}

bool GrantIndex::is_unnamed(std::string_view path) const {
  const auto is_named = [path](std::string_view at) { return is_within(at, path); };
  return !masks_.has_below(path) && std::ranges::none_of(others_, is_named, &Mount::at) &&
         std::ranges::none_of(plan_->landlock, is_named, &LandlockRule::at) &&
         std::ranges::none_of(never_write_, is_named);
}

bool GrantIndex::is_scratch(std::string_view path) const {
  const Mount* mount = holder(path);
  return mount != nullptr && mount->kind == MountKind::scratch;
}

bool GrantIndex::is_cages_own(std::string_view path) const {
  const Mount* mount = holder(path);
  return mount == nullptr || (mount->kind != MountKind::bind && mount->kind != MountKind::staged);
}

bool GrantIndex::is_id_mapped(std::string_view path) const {
  const Mount* mount = holder(path);
  return plan_->identity.is_mapped_by_root && mount != nullptr &&
         (mount->kind == MountKind::bind || mount->kind == MountKind::staged) &&
         mount->where.base != Base::system;
}

bool GrantIndex::is_mount_point(std::string_view path) const {
  return masks_.at(path) != nullptr ||
         std::ranges::any_of(others_, [&](const Mount* mount) { return mount->at == path; });
}

bool GrantIndex::has_shut_directories() const {
  return std::ranges::any_of(masks_.masks(), [](const Mount* mask) {
    return mask->type == NodeType::directory && !mask->is_git_mask;
  });
}

bool GrantIndex::may_map_code(std::string_view path) const {
  const Mount* mount = holder(path);
  return mount != nullptr && !mount->no_exec && mount->kind != MountKind::mask;
}

bool GrantIndex::may_execute(std::string_view path) const {
  if (!may_map_code(path)) return false;
  for (const auto& rule : plan_->landlock)
    if ((rule.access == Access::read_exec || rule.access == Access::write_exec) &&
        is_within(path, rule.at))
      return true;
  return false;
}

}  // namespace ethos::sandbox
