// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ledger/base/result.h"

namespace ethos::sarif {

// Where a path that a tool printed lies.
struct Place {
  std::string uri;       // relative to the root when it lies below it, else file:///..., encoded
  std::string relative;  // plain path below the root, empty when it lies elsewhere
};

// Turns the paths that a tool prints (relative to the directory it ran in, or absolute) into URIs
// relative to the root of the repository. Purely lexical: ".." is folded before anything is opened,
// and no link is followed, since the tree may be hostile.
class PathMapper {
 public:
  // No root known: relative paths are taken as relative to it, absolute ones become file: URIs.
  PathMapper() = default;
  // `root` is a directory, absolute or relative to the current directory; `working_directory` is
  // where the tool ran, relative to `root` or absolute, "" for the root itself.
  static base::Result<PathMapper> create(std::string_view root, std::string_view working_directory);

  [[nodiscard]] Place map(std::string_view path) const;
  // Absolute path of the root, empty when none is known.
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  [[nodiscard]] std::optional<std::string> below_root(std::string_view absolute) const;

  std::string root_;
  std::string real_root_;  // the same with its links resolved: tools print either
  std::string working_directory_;
};

}  // namespace ethos::sarif
