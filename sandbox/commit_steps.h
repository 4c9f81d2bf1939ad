// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/commit_journal.h"
#include "sandbox/plan.h"

// The renames of a commit and their undoing. All paths are beneath the grant's directory.
namespace ethos::sandbox {

// The grant's directory again, through no link, and only if it is still the same one.
[[nodiscard]] base::Result<base::UniqueFd> open_grant(const std::string& path, std::uint64_t device,
                                                      std::uint64_t inode);

// 0 or the errno. ESTALE: what was moved is not what the step names, by its inodes; it was moved
// back.
[[nodiscard]] int apply_step(int grant, const CommitStep& step);
// Puts back what `steps` did or would have done, last first; whatever state each of them is in. How
// many of them could not be put back (a disk that fails, rights that somebody took away meanwhile),
// or nobody can tell: then the journal has to stay.
[[nodiscard]] std::size_t undo_steps(int grant, const std::vector<CommitStep>& steps);
// What is said then.
[[nodiscard]] base::Error undo_error(std::size_t stuck, std::size_t all, const std::string& grant);
// Removes what `steps`, all of them done, replaced.
void finish_steps(int grant, const std::vector<CommitStep>& steps);
// A file, or a directory with all that is in it.
void remove_tree(int grant, const std::string& path);
// Inode under a path, 0 when there is none.
[[nodiscard]] std::uint64_t inode_at(int grant, const std::string& path);

}  // namespace ethos::sandbox
