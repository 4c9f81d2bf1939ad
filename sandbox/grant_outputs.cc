// SPDX-License-Identifier: Apache-2.0
#include "sandbox/grant_outputs.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "sandbox/boottime.h"
#include "sandbox/commit_rules.h"
#include "sandbox/commit_steps.h"
#include "sandbox/staged_file.h"

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kMaxRememberMs = 30'000;
constexpr std::uint64_t kMaxLockNs = 2'000'000'000;

bool is_granted_file(const Mount& mount) {
  return mount.kind == MountKind::bind && !mount.read_only && mount.no_dev &&
         mount.type == NodeType::file;
}

std::int64_t change_time(const struct stat& found) {
  return static_cast<std::int64_t>(found.st_ctim.tv_sec) * 1'000'000'000 + found.st_ctim.tv_nsec;
}

Denial commit_denial(const Mount& mount) {
  Denial denial;
  denial.phase = Phase::commit;
  denial.source = DenialSource::commit;
  denial.operation = "commit";
  denial.operation_mark = Mark::supervisor;
  denial.object = mount.at;
  denial.object_kind = "path";
  denial.object_mark = Mark::supervisor;
  denial.where = mount.where;
  return denial;
}

Denial io_refusal(const Mount& mount, const base::Error& error) {
  Denial denial = commit_denial(mount);
  denial.error = error.sys != 0 ? error.sys : EIO;
  denial.rule = error.code == base::Errc::too_large ? "quota" : "io";
  denial.reason = error.message();
  return denial;
}

// Half of a grant may be new and half old: that is not to be found out by chance.
void tell_stuck(const StagedCommit& commit, RunResult& result) {
  if (commit.stuck()) result.commit_refusals.push_back(io_refusal(commit.mount(), *commit.stuck()));
}

void undo_all(const std::vector<std::unique_ptr<StagedCommit>>& commits, RunResult& result) {
  for (const auto& commit : commits) {
    commit->undo();
    tell_stuck(*commit, result);
  }
}

// "/runs/x.journal" -> "/runs/x.1.journal" for the second grant of a run.
std::string numbered(const std::string& journal, std::size_t number) {
  const std::size_t dot = journal.rfind('.');
  if (journal.empty() || number == 0) return journal;
  if (dot == std::string::npos || dot < journal.rfind('/') + 1)
    return journal + "." + std::to_string(number);
  return journal.substr(0, dot) + "." + std::to_string(number) + journal.substr(dot);
}

}  // namespace

std::string decision_of(const std::string& journal) {
  return journal.empty() ? journal : journal + ".decided";
}

GrantOutputs::GrantOutputs(const Plan& plan) : plan_(plan) {
  for (const Mount& mount : plan.mounts) {
    struct stat found {};
    if (!is_granted_file(mount) || lstat(mount.source.c_str(), &found) != 0) continue;
    FileState state{&mount, {}, change_time(found), static_cast<std::uint64_t>(found.st_size)};
    auto fd = base::open_no_symlinks(mount.source, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd && fstat(fd->get(), &found) == 0 && found.st_ino == mount.inode)
      state.file = std::move(fd).value();
    files_.push_back(std::move(state));
  }
}

base::Result<void> GrantOutputs::remember_copies(const Launch& launch, int signal_fd) {
  Interruption interruption(signal_fd, kMaxRememberMs);
  bases_.resize(launch.uppers().size());
  for (const BuildOp& op : launch.blueprint().ops) {
    if (op.kind != BuildKind::staged) continue;
    const auto slot = static_cast<std::size_t>(op.slot);
    if (!launch.is_copy(slot)) continue;
    const Mount& mount = plan_.mounts[static_cast<std::size_t>(op.mount)];
    const auto grant = open_grant(mount.source, mount.device, mount.inode);
    if (!grant) return base::Unexpected(grant.error());
    auto taken =
        CopyBase::take_state(launch.uppers()[slot].get(), grant->get(), plan_, mount, interruption);
    if (!taken) return base::Unexpected(std::move(taken).error());
    bases_[slot] = std::make_unique<CopyBase>(std::move(taken).value());
  }
  return {};
}

void GrantOutputs::collect(const Launch& launch, const LaunchOptions& options, int signal_fd,
                           RunResult& result) {
  Interruption interruption(signal_fd, options.commit_ms, options.commit_probe);
  // First what may end the run otherwise: then no directory comes out.
  look_at_files(interruption, result);
  if (result.ending == Ending::exited && options.commit_staged)
    commit_directories(launch, options, interruption, result);
}

void GrantOutputs::commit_directories(const Launch& launch, const LaunchOptions& options,
                                      Interruption& interruption, RunResult& result) {
  result.is_committed = true;
  const std::vector<base::UniqueFd> locks = lock_grants(launch, interruption);
  Commits commits = prepare(launch, options, interruption, result);
  for (auto& commit : commits) {
    if (interruption.is_over()) break;
    if (auto done = commit->swap(); !done && !interruption.is_over()) {
      auto refusals = commit->take().refusals;
      if (refusals.empty()) refusals.push_back(io_refusal(commit->mount(), done.error()));
      std::move(refusals.begin(), refusals.end(), std::back_inserter(result.commit_refusals));
      result.is_committed = false;
      tell_stuck(*commit, result);
      commit.reset();
    }
  }
  std::erase(commits, nullptr);
  // The last chance to give up; from here on all of it is to stay.
  if (interruption.is_over()) return give_up(commits, interruption, result);
  if (commits.empty()) return;
  // Each grant has a journal, and one decision is for all of them: a runner that is killed in what
  // follows must not leave some grants new and others old.
  const std::string decision = decision_of(options.commit_journal);
  if (!decision.empty()) {
    base::ReplaceOptions private_file;
    private_file.mode = 0600;
    private_file.sync = base::Sync::none;
    if (auto made = base::replace_file(decision, {}, private_file); !made) {
      for (const auto& commit : commits)
        result.commit_refusals.push_back(io_refusal(commit->mount(), made.error()));
      undo_all(commits, result);
      result.is_committed = false;
      return;
    }
  }
  for (const auto& commit : commits) {
    commit->finish();
    CommitResult done = commit->take();
    std::move(done.artifacts.begin(), done.artifacts.end(), std::back_inserter(result.artifacts));
    if (options.decided_probe) options.decided_probe();
  }
  if (!decision.empty()) unlink(decision.c_str());
}

// Two runs with the same grant, of whatever ledgers, bring out one after the other, so that each
// judges what the other left. In the order of the inodes, so that no two wait for each other. A
// tool that may read the directory can lock it too: then this goes on without, and the look at what
// came of it (StagedCommit::swap) is what holds.
std::vector<base::UniqueFd> GrantOutputs::lock_grants(const Launch& launch,
                                                      Interruption& interruption) const {
  std::vector<const Mount*> grants;
  for (const BuildOp& op : launch.blueprint().ops)
    if (op.kind == BuildKind::staged)
      grants.push_back(&plan_.mounts[static_cast<std::size_t>(op.mount)]);
  std::ranges::sort(grants, {}, [](const Mount* m) { return std::pair(m->device, m->inode); });
  std::vector<base::UniqueFd> out;
  const std::uint64_t until = boottime_ns() + kMaxLockNs;
  for (const Mount* grant : grants) {
    auto fd = open_grant(grant->source, grant->device, grant->inode);
    if (!fd) continue;  // said when it is prepared
    while (flock(fd->get(), LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR) &&
           boottime_ns() < until && !interruption.is_over()) {
      const timespec pause{0, 5'000'000};
      nanosleep(&pause, nullptr);
    }
    out.push_back(std::move(fd).value());
  }
  return out;
}

GrantOutputs::Commits GrantOutputs::prepare(const Launch& launch, const LaunchOptions& options,
                                            Interruption& interruption, RunResult& result) const {
  const CommitRules rules(plan_);
  const auto staged = plan_.limit("staged_bytes");
  std::uint64_t quota = staged ? staged->value : 0;
  Commits out;
  for (const BuildOp& op : launch.blueprint().ops) {
    if (op.kind != BuildKind::staged) continue;
    const Mount& mount = plan_.mounts[static_cast<std::size_t>(op.mount)];
    const auto slot = static_cast<std::size_t>(op.slot);
    const Layer layer{launch.uppers()[slot].get(), bases_[slot].get()};
    auto commit = std::make_unique<StagedCommit>(
        plan_, mount, layer, numbered(options.commit_journal, out.size()), interruption);
    std::uint64_t own_quota = mount.size_bytes;
    const auto is_ready = commit->prepare(rules, staged ? quota : own_quota);
    if (interruption.is_over()) {
      out.push_back(std::move(commit));
      return out;
    }
    if (is_ready && *is_ready) {
      out.push_back(std::move(commit));
      continue;
    }
    auto refusals = commit->take().refusals;
    if (!is_ready) refusals.push_back(io_refusal(mount, is_ready.error()));
    tell_stuck(*commit, result);
    if (!refusals.empty()) result.is_committed = false;
    std::move(refusals.begin(), refusals.end(), std::back_inserter(result.commit_refusals));
  }
  return out;
}

void GrantOutputs::give_up(const Commits& commits, const Interruption& interruption,
                           RunResult& result) {
  undo_all(commits, result);
  result.is_committed = false;
  if (interruption.reason() == Interruption::Reason::signal) {
    result.ending = Ending::interrupted;
    result.status = interruption.signal();
    return;
  }
  for (const auto& commit : commits) {
    Denial denial = commit_denial(commit->mount());
    denial.error = ETIME;
    denial.rule = "time";
    denial.reason = "bringing the outputs out took longer than " +
                    std::to_string(interruption.most_ms()) +
                    " ms; write less, or fewer files, and nothing of this run came out";
    result.commit_refusals.push_back(std::move(denial));
  }
}

// The tool wrote these directly: what is there is there, read or not. A change that cannot be
// described is counted.
void GrantOutputs::look_at_files(Interruption& interruption, RunResult& result) const {
  for (const FileState& before : files_) {
    const Mount& mount = *before.mount;
    struct stat found {};
    const bool is_there = before.file.is_open() ? fstat(before.file.get(), &found) == 0
                                                : lstat(mount.source.c_str(), &found) == 0 &&
                                                      found.st_ino == mount.inode;
    if (is_there && change_time(found) == before.changed_ns &&
        static_cast<std::uint64_t>(found.st_size) == before.size)
      continue;
    std::optional<FileContent> content;
    if (is_there && before.file.is_open())
      if (auto read = digest_file(before.file, mount.source, interruption)) content = *read;
    if (!content) {
      ++result.unread_artifacts;
      if (result.detail.empty())
        result.detail = "what the tool wrote into " + mount.source + " could not be read";
      continue;
    }
    Artifact artifact;
    artifact.grant = artifact.where = mount.where;
    artifact.action = "replaced";
    artifact.mode = found.st_mode & 0777;
    artifact.bytes = content->bytes;
    artifact.sha256 = content->sha256;
    result.artifacts.push_back(std::move(artifact));
  }
  if (result.unread_artifacts == 0) return;
  if (interruption.reason() == Interruption::Reason::signal) {
    result.ending = Ending::interrupted;
    result.status = interruption.signal();
  } else {
    result.ending = Ending::evidence;
    result.status = 0;
  }
}

}  // namespace ethos::sandbox
