// SPDX-License-Identifier: Apache-2.0
#include "sandbox/commit_steps.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "sandbox/beneath.h"
#include "sandbox/cage.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

constexpr int kMaxDepth = 256;

// Opens the parent of `path` beneath the grant and leaves the last component in `name`.
UniqueFd open_parent(int grant, const std::string& path, std::string& name) {
  const base::SplitPath split = base::split_path(path);
  name = split.name;
  return open_beneath_dir(grant, split.parent.empty() ? "." : split.parent,
                          O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

int rename_at(int grant, const std::string& from, const std::string& to, unsigned flags) {
  std::string from_name;
  std::string to_name;
  const UniqueFd from_dir = open_parent(grant, from, from_name);
  if (!from_dir.is_open()) return errno;
  const UniqueFd to_dir = open_parent(grant, to, to_name);
  if (!to_dir.is_open()) return errno;
  return renameat2(from_dir.get(), from_name.c_str(), to_dir.get(), to_name.c_str(), flags) == 0
             ? 0
             : errno;
}

void remove_inner(int dir, const std::string& name, int depth) {
  if (unlinkat(dir, name.c_str(), 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
  const UniqueFd inner = open_beneath_dir(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!inner.is_open() || depth > kMaxDepth) return;
  fchmod(inner.get(), 0700);  // one of our own temporaries, or a removal that was granted
  bool ok = false;
  for (const auto& entry : list_names(inner.get(), ok)) remove_inner(inner.get(), entry, depth + 1);
  unlinkat(dir, name.c_str(), AT_REMOVEDIR);
}

// What lies under the temporary name, unless a stranger put it there. Before the inode is known
// (the supervisor died while it was built) the random name has to do.
void remove_new(int grant, const CommitStep& step) {
  if (step.new_inode == 0 || inode_at(grant, step.temp) == step.new_inode)
    remove_tree(grant, step.temp);
}

void undo_step(int grant, const CommitStep& step) {
  const std::uint64_t at_temp = inode_at(grant, step.temp);
  const std::uint64_t at_final = inode_at(grant, step.final);
  switch (step.kind) {
    case CommitStep::Kind::exchange:
      if (step.old_inode != 0 && at_temp == step.old_inode && at_final == step.new_inode)
        static_cast<void>(rename_at(grant, step.temp, step.final, RENAME_EXCHANGE));
      if (inode_at(grant, step.temp) != step.old_inode) remove_new(grant, step);
      break;
    case CommitStep::Kind::create:
      if (step.new_inode != 0 && at_temp == 0 && at_final == step.new_inode)
        static_cast<void>(rename_at(grant, step.final, step.temp, RENAME_NOREPLACE));
      remove_new(grant, step);
      break;
    case CommitStep::Kind::remove:
      if (at_temp != 0 && at_temp == step.old_inode)
        static_cast<void>(rename_at(grant, step.temp, step.final, RENAME_NOREPLACE));
      break;
    case CommitStep::Kind::discard:
      remove_tree(grant, step.temp);
      break;
  }
}

// Inode under a path, 0 when there is none, nothing when that cannot be known.
std::optional<std::uint64_t> look(int grant, const std::string& path) {
  const UniqueFd fd = open_beneath_dir(grant, path, O_PATH | O_NOFOLLOW);
  if (!fd.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return 0;
    return std::nullopt;
  }
  struct stat found {};
  if (fstat(fd.get(), &found) != 0) return std::nullopt;
  return found.st_ino;
}

// Is the grant still not as it was before this step?
bool is_stuck(int grant, const CommitStep& step) {
  const auto temp = look(grant, step.temp);
  const auto final = look(grant, step.final);
  if (!temp || !final) return true;
  switch (step.kind) {
    case CommitStep::Kind::remove:
      return step.old_inode != 0 && *temp == step.old_inode;
    case CommitStep::Kind::discard:
      return *temp != 0;
    case CommitStep::Kind::exchange:
    case CommitStep::Kind::create:
      break;
  }
  if (step.new_inode == 0) return *temp != 0;
  return *temp == step.new_inode || *final == step.new_inode ||
         (step.old_inode != 0 && *temp == step.old_inode);
}

}  // namespace

base::Result<UniqueFd> open_grant(const std::string& path, std::uint64_t device,
                                  std::uint64_t inode) {
  auto dir = base::open_no_symlinks(path, O_RDONLY | O_DIRECTORY);
  if (!dir) return dir;
  struct stat found {};
  if (fstat(dir->get(), &found) != 0) return base::fail_errno(path, errno);
  if (found.st_dev != device || found.st_ino != inode)
    return base::fail(base::Errc::mismatch, path + " is another directory now");
  return dir;
}

std::uint64_t inode_at(int grant, const std::string& path) {
  const UniqueFd fd = open_beneath_dir(grant, path, O_PATH | O_NOFOLLOW);
  struct stat found {};
  return fd.is_open() && fstat(fd.get(), &found) == 0 ? found.st_ino : 0;
}

// Names are all that a rename takes, and others may write in the directory too: only afterwards is
// it certain what was moved.
int apply_step(int grant, const CommitStep& step) {
  const bool is_removal = step.kind == CommitStep::Kind::remove;
  if (step.kind == CommitStep::Kind::discard) return 0;
  const unsigned flags =
      step.kind == CommitStep::Kind::exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  const std::string& from = is_removal ? step.final : step.temp;
  const std::string& to = is_removal ? step.temp : step.final;
  if (const int error = rename_at(grant, from, to, flags)) return error;
  const bool is_new_right = is_removal || inode_at(grant, step.final) == step.new_inode;
  const bool is_old_right =
      step.kind == CommitStep::Kind::create || inode_at(grant, step.temp) == step.old_inode;
  if (is_new_right && is_old_right) return 0;
  static_cast<void>(rename_at(grant, to, from, flags));
  return ESTALE;
}

std::size_t undo_steps(int grant, const std::vector<CommitStep>& steps) {
  std::size_t stuck = 0;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    undo_step(grant, *step);
    if (is_stuck(grant, *step)) ++stuck;
  }
  return stuck;
}

base::Error undo_error(std::size_t stuck, std::size_t all, const std::string& grant) {
  return {base::Errc::io,
          grant + ": " + std::to_string(stuck) + " of " + std::to_string(all) +
              " changes could not be undone; the journal of the run, beside the ledger, is kept",
          0};
}

void finish_steps(int grant, const std::vector<CommitStep>& steps) {
  for (const CommitStep& step : steps) {
    if (step.kind == CommitStep::Kind::discard) {
      remove_new(grant, step);
    } else if (step.old_inode != 0 && inode_at(grant, step.temp) == step.old_inode) {
      remove_tree(grant, step.temp);
    }
  }
}

void remove_tree(int grant, const std::string& path) {
  std::string name;
  const UniqueFd parent = open_parent(grant, path, name);
  if (parent.is_open()) remove_inner(parent.get(), name, 0);
}

namespace {

base::Result<std::size_t> end_commit(const std::string& journal,
                                     std::size_t (*end)(int, const std::vector<CommitStep>&)) {
  const auto file = base::open_regular(journal, O_RDONLY);
  const auto text = file ? base::read_fd(*file, kMaxJournal, journal)
                         : base::Result<std::string>(base::Unexpected(file.error()));
  if (!text) {
    if (text.error().code == base::Errc::not_found) return std::size_t{0};
    return base::Unexpected(base::Error(text.error()));
  }
  const auto parsed = parse_journal(*text);
  if (!parsed) return base::Unexpected(base::Error(parsed.error()));
  const auto grant = open_grant(parsed->grant_path, parsed->device, parsed->inode);
  if (!grant) return base::Unexpected(base::Error(grant.error()));
  if (const std::size_t stuck = end(grant->get(), parsed->steps); stuck > 0)
    return base::Unexpected(undo_error(stuck, parsed->steps.size(), parsed->grant_path));
  if (unlink(journal.c_str()) != 0) return base::fail_errno(journal, errno);
  return parsed->steps.size();
}

}  // namespace

base::Result<std::size_t> roll_back_commit(const std::string& journal) {
  return end_commit(journal, undo_steps);
}

base::Result<std::size_t> complete_commit(const std::string& journal) {
  return end_commit(journal, [](int grant, const std::vector<CommitStep>& steps) {
    finish_steps(grant, steps);
    return std::size_t{0};
  });
}

}  // namespace ethos::sandbox
