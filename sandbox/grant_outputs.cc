// SPDX-License-Identifier: Apache-2.0
#include "sandbox/grant_outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include "ledger/base/paths.h"
#include "sandbox/commit_rules.h"
#include "sandbox/sha256.h"
#include "sandbox/staged_commit.h"

namespace ethos::sandbox {
namespace {

bool is_granted_file(const Mount& mount) {
  return mount.kind == MountKind::bind && !mount.read_only && mount.no_dev &&
         mount.type == NodeType::file;
}

std::int64_t change_time(const struct stat& found) {
  return static_cast<std::int64_t>(found.st_ctim.tv_sec) * 1'000'000'000 + found.st_ctim.tv_nsec;
}

Denial io_refusal(const Mount& mount, const base::Error& error) {
  Denial denial;
  denial.phase = Phase::commit;
  denial.source = DenialSource::commit;
  denial.operation = "commit";
  denial.operation_mark = Mark::supervisor;
  denial.object = mount.at;
  denial.object_kind = "path";
  denial.object_mark = Mark::supervisor;
  denial.where = mount.where;
  denial.error = error.sys != 0 ? error.sys : EIO;
  denial.rule = "io";
  denial.reason = error.message();
  return denial;
}

}  // namespace

GrantOutputs::GrantOutputs(const Plan& plan) : plan_(plan) {
  for (const Mount& mount : plan.mounts) {
    struct stat found {};
    if (!is_granted_file(mount) || lstat(mount.source.c_str(), &found) != 0) continue;
    files_.push_back({&mount, change_time(found), static_cast<std::uint64_t>(found.st_size)});
  }
}

void GrantOutputs::collect(const Launch& launch, const LaunchOptions& options, RunResult& result) {
  if (result.ending == Ending::exited && options.commit_staged)
    commit_directories(launch, options, result);
  look_at_files(result);
}

void GrantOutputs::commit_directories(const Launch& launch, const LaunchOptions& options,
                                      RunResult& result) {
  const CommitRules rules(plan_);
  result.is_committed = true;
  for (const BuildOp& op : launch.blueprint().ops) {
    if (op.kind != BuildKind::staged) continue;
    const Mount& mount = plan_.mounts[static_cast<std::size_t>(op.mount)];
    const auto slot = static_cast<std::size_t>(op.slot);
    const Layer layer{launch.uppers()[slot].get(), launch.is_copy(slot)};
    auto done = commit_staged(plan_, mount, layer, rules, options.commit_journal);
    if (!done) {
      result.commit_refusals.push_back(io_refusal(mount, done.error()));
      result.is_committed = false;
      continue;
    }
    if (!done->refusals.empty()) result.is_committed = false;
    std::move(done->artifacts.begin(), done->artifacts.end(), std::back_inserter(result.artifacts));
    std::move(done->refusals.begin(), done->refusals.end(),
              std::back_inserter(result.commit_refusals));
  }
}

void GrantOutputs::look_at_files(RunResult& result) const {
  for (const FileState& before : files_) {
    const Mount& mount = *before.mount;
    const auto fd = base::open_no_symlinks(mount.source, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat found {};
    if (!fd || fstat(fd->get(), &found) != 0 || found.st_ino != mount.inode) continue;
    if (change_time(found) == before.changed_ns &&
        static_cast<std::uint64_t>(found.st_size) == before.size)
      continue;
    Artifact artifact;
    artifact.grant = artifact.where = mount.where;
    artifact.action = "replaced";
    artifact.mode = found.st_mode & 0777;
    Sha256Stream digest;
    std::array<std::byte, 65536> buffer;
    ssize_t n = 0;
    while ((n = read(fd->get(), buffer.data(), buffer.size())) > 0) {
      digest.add(std::span<const std::byte>(buffer).first(static_cast<std::size_t>(n)));
      artifact.bytes += static_cast<std::uint64_t>(n);
    }
    artifact.sha256 = digest.finish();
    result.artifacts.push_back(std::move(artifact));
  }
}

}  // namespace ethos::sandbox
