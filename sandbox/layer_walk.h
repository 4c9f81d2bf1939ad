// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/upper_walk.h"

namespace ethos::sandbox {

enum class HostType { absent, file, directory, other };

// What the host has under `path` below `host`; a mount point is `other`.
[[nodiscard]] HostType host_type(int host, const std::string& path, struct stat& found);
[[nodiscard]] std::string join_path(const std::string& dir, const std::string& name);

// What walks over both kinds of layers have in common.
class LayerWalk {
 public:
  LayerWalk(int host, const std::string& grant_at, const CommitRules& rules, bool allow_delete,
            Interruption& interruption)
      : host_(host),
        grant_at_(grant_at),
        rules_(rules),
        allow_delete_(allow_delete),
        interruption_(interruption) {}

  UpperWalk take() { return std::move(out_); }

 protected:
  // One more name was seen; fails beyond 1,000,000, and when it was given up.
  base::Result<void> count_entry();
  void refuse(const std::string& path, std::string rule, std::string reason);
  // Refuses `at` when a path below it would be too long for a record.
  bool is_too_long(const std::string& at, const std::string& path);
  // True, and refused, when no commit may touch this name.
  bool is_refused(const std::string& path, bool is_directory);
  // Does a directory of the host hold a name that no commit may touch?
  bool holds_protected(const std::string& path, int depth);
  void add(Change::Kind kind, const std::string& path, const struct stat& found);
  void add_removal(const std::string& path);

  int host_;
  const std::string& grant_at_;
  const CommitRules& rules_;
  bool allow_delete_;
  Interruption& interruption_;
  std::size_t entries_ = 0;
  UpperWalk out_;
};

[[nodiscard]] bool is_equal_folded(std::string_view a, std::string_view b);

// HEAD with objects and refs, or with a name that says where those are: what git(1) goes by when it
// looks for a repository in a directory. `is_there` answers for one name.
template <typename IsThere>
bool looks_like_repository(IsThere is_there) {
  return is_there("HEAD") && ((is_there("objects") && is_there("refs")) || is_there("commondir"));
}

}  // namespace ethos::sandbox
