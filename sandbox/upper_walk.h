// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/commit_rules.h"
#include "sandbox/interruption.h"

namespace ethos::sandbox {

// One change that the upper layer of a staged grant holds, relative to the grant's directory.
struct Change {
  enum class Kind {
    file,       // new or changed content
    directory,  // new directory; what is in it follows
    removal,    // something of the host is to go
  };
  Kind kind = Kind::file;
  std::string path;
  mode_t mode = 0;                // permission bits
  bool is_mode_stripped = false;  // set-id or sticky bits were dropped
  std::uint64_t size = 0;
};

class CopyBase;

struct Refused {
  std::string path;
  std::string rule;
  std::string reason;
};

struct UpperWalk {
  std::vector<Change> changes;  // parents before children
  std::vector<Refused> refused;
  // Directories that would be repositories without a working tree, by what lies in them ("": the
  // grant itself), changed or not.
  std::vector<std::string> repositories;
};

// Where the tool's writes are.
struct Layer {
  int fd = -1;                     // overlay's upper directory, or a whole copy of the grant
  const CopyBase* base = nullptr;  // of a copy: how it was before the tool
};

// Levels of directories below the grant that are looked at.
constexpr int kMaxUpperLevels = 128;

// Reads the layer and compares it with the grant's directory on the host, both by
// descriptor: no name is followed out of them. Everything that is no regular file or directory is
// refused, removals unless `allow_delete`, and what lies deeper than kMaxUpperLevels.
// Errc::too_large beyond 1,000,000 entries, Errc::refused when it was given up.
[[nodiscard]] base::Result<UpperWalk> walk_upper(const Layer& layer, int host,
                                                 const std::string& grant_at,
                                                 const CommitRules& rules, bool allow_delete,
                                                 Interruption& interruption);

}  // namespace ethos::sandbox
