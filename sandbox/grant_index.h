// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/mask_index.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// What the plan says about one path: how the supervisor words a denial, and which calls it answers
// itself. Enforcement is the kernel's; this only has to be no wider than what the kernel does.
enum class Cover {
  writable,
  readable,  // some read grant covers it, no write grant
  hidden,    // below a mask
  git,       // below a mask that stands for `.git`
  policy,    // declaration, ceiling: never writable
  ancestor,  // a directory that only exists because something below it is mounted
  outside,   // no grant
};

[[nodiscard]] inline bool is_granted(Cover cover) {
  return cover == Cover::writable || cover == Cover::readable;
}

class GrantIndex {
 public:
  explicit GrantIndex(const Plan& plan);

  // `path` is absolute and plain.
  [[nodiscard]] Cover cover(std::string_view path) const;
  // Everything in the directory has the cover of the directory: nothing below it is mounted, ruled
  // or kept from writing for itself.
  [[nodiscard]] bool is_uniform(std::string_view directory) const;
  // Nothing is mounted, ruled or kept from writing at the place itself or below it.
  [[nodiscard]] bool is_unnamed(std::string_view path) const;
  [[nodiscard]] bool is_read_only_mount(std::string_view path) const;
  // On a tmpfs that is empty when the tool starts.
  [[nodiscard]] bool is_scratch(std::string_view path) const;
  // The cage made what stands here; it is not a view of the host's tree at the same place.
  [[nodiscard]] bool is_cages_own(std::string_view path) const;
  // In a run by root: ids of files are mapped there, one user's and one group's.
  [[nodiscard]] bool is_id_mapped(std::string_view path) const;
  // Something is mounted exactly there: it can be neither removed nor renamed.
  [[nodiscard]] bool is_mount_point(std::string_view path) const;
  // Directories that the tool cannot search are mounted over something.
  [[nodiscard]] bool has_shut_directories() const;
  [[nodiscard]] bool may_execute(std::string_view path) const;
  // Programs and their code are let be on the mount, whatever Landlock says.
  [[nodiscard]] bool may_map_code(std::string_view path) const;
  [[nodiscard]] const std::string& workspace() const { return plan_->workspace; }

 private:
  // The mount that a path lies on: of those at one place the last.
  [[nodiscard]] const Mount* holder(std::string_view path) const;

  const Plan* plan_;
  MaskIndex masks_;
  std::vector<const Mount*> others_;      // all mounts but the masks, in the plan's order
  std::vector<std::string> never_write_;  // absolute
};

}  // namespace ethos::sandbox
