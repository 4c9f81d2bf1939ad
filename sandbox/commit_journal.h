// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"

namespace ethos::sandbox {

// One step of bringing a change out: what lies under `temp` takes the place of `final`.
//   exchange  both exist; afterwards the old content lies under temp
//   create    only temp exists
//   remove    only final exists; afterwards it lies under temp
//   discard   nothing changes; what lies under temp goes
// Paths are relative to the grant's directory. Inodes tell after a crash whether it happened.
struct CommitStep {
  enum class Kind { exchange, create, remove, discard };
  Kind kind = Kind::create;
  std::string temp;
  std::string final;
  std::uint64_t new_inode = 0;  // of what temp held before
  std::uint64_t old_inode = 0;  // of what final held before
};

// What a commit is about to do to one grant. As text, one line each:
//   ethos-commit 1
//   grant <device> <inode> <path in hex>
//   exchange|create|remove|discard <new inode> <old inode> <temp in hex> <final in hex>
struct CommitJournal {
  std::string grant_path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::vector<CommitStep> steps;
};

// The largest journal that roll-back reads.
constexpr std::size_t kMaxJournal = 64U << 20;
// At most as long as its text gets while the commit goes on: inodes and kinds change, paths do not.
[[nodiscard]] std::size_t max_journal_size(const CommitJournal& journal);

[[nodiscard]] std::string encode_journal(const CommitJournal& journal);
// Errc::malformed for anything else, trailing text included.
[[nodiscard]] base::Result<CommitJournal> parse_journal(std::string_view text);

}  // namespace ethos::sandbox
