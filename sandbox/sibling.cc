// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sibling.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <tuple>
#include <utility>

#include "ledger/base/bytes.h"
#include "ledger/base/file_io.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/cage.h"
#include "sandbox/path_text.h"
#include "sandbox/plan_build.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;
using base::UniqueFd;

constexpr std::uint64_t kMi = 1U << 20;

bool is_visible(const Plan& plan, const std::string& path) {
  return std::ranges::any_of(plan.mounts, [&](const Mount& m) {
    return m.kind == MountKind::bind && !m.no_exec && m.where.base == Base::system &&
           is_at_or_below(path, m.at);
  });
}

void make_readable_only(Mount& mount) {
  if (mount.kind == MountKind::staged) mount.kind = MountKind::bind;
  if (mount.kind != MountKind::bind) return;
  const bool is_device = mount.at.starts_with("/dev/");
  if (!is_device) mount.read_only = true;
  if (mount.where.base != Base::system) mount.no_exec = true;
}

Access readable_only(const LandlockRule& rule) {
  const bool is_own = rule.where.base == Base::scratch && rule.where.path == ".";
  if (rule.access == Access::device || is_own || rule.at == "/dev/shm")
    return is_own ? Access::write : rule.access;
  const bool may_execute = rule.where.base == Base::system && rule.access == Access::read_exec;
  return may_execute ? Access::read_exec : Access::read;
}

void add_program(Plan& plan, const std::string& program) {
  if (is_visible(plan, program)) return;
  struct stat st {};
  if (::stat(program.c_str(), &st) != 0) return;  // the cage will say that it is not there
  Mount mount;
  mount.kind = MountKind::bind;
  mount.at = mount.source = program;
  mount.where = cage_path(program, plan.workspace);
  mount.type = NodeType::file;
  mount.device = st.st_dev;
  mount.inode = st.st_ino;
  mount.no_exec = false;
  // After every mount that could lie above it.
  plan.mounts.push_back(std::move(mount));
  plan.landlock.push_back(
      {program, cage_path(program, plan.workspace), NodeType::file, Access::read_exec});
}

// Nothing of the sibling's run becomes evidence by itself; what matters is what it prints.
class NoSink final : public EvidenceSink {
 public:
  bool on_barrier(const Enforced&) override { return true; }
  bool on_exec(const ExecEvent&) override { return true; }
  bool on_denial(const Denial&) override { return true; }
  bool on_limit(const LimitEvent&) override { return true; }
  bool on_gap(const Gap&) override { return true; }
};

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), text.size()));
}

}  // namespace

std::uint64_t reading_wall_ms(const Plan& run) {
  const auto own = run.limit("wall_ms");
  constexpr std::uint64_t kMost = 600'000;
  return own && own->value != 0 ? std::clamp<std::uint64_t>(own->value, 60'000, kMost) : kMost;
}

Plan reading_plan(const Plan& run, const std::string& program,
                  const std::vector<std::string>& arguments) {
  Plan plan = run;
  plan.tool = program.substr(program.rfind('/') + 1);
  for (Mount& mount : plan.mounts) make_readable_only(mount);
  for (LandlockRule& rule : plan.landlock) rule.access = readable_only(rule);
  add_program(plan, program);
  // Memory leaves room for a large report; the converter itself streams. What it writes is held in
  // our own memory, and digested and validated from there.
  plan.limits = {{"file_bytes", 1024 * kMi, Enforcer::rlimit},
                 {"inodes", 1000, Enforcer::tmpfs},
                 {"memory_bytes", 2048 * kMi, Enforcer::rlimit},
                 {"open_files", 256, Enforcer::rlimit},
                 {"output_bytes", 256 * kMi, Enforcer::supervisor},
                 {"pids", 16, Enforcer::supervisor},
                 {"scratch_bytes", 64 * kMi, Enforcer::tmpfs},
                 {"wall_ms", reading_wall_ms(run), Enforcer::supervisor}};
  for (Mount& mount : plan.mounts) {
    if (mount.kind != MountKind::scratch) continue;
    mount.size_bytes = 64 * kMi;
    mount.inodes = 1000;
    mount.no_exec = true;
  }
  plan.network = Network::none;
  plan.observe = Observe::writes;
  plan.may_exec_memory = false;
  plan.truncate_output = false;
  plan.env = built_in_env();
  plan.argv = {program};
  plan.argv.insert(plan.argv.end(), arguments.begin(), arguments.end());
  return plan;
}

Result<SiblingOutput> run_sibling(const Plan& plan, std::string_view input) {
  UniqueFd memory(::memfd_create("ethos-input", MFD_CLOEXEC));
  if (!memory.is_open()) return base::fail_errno("input of " + plan.tool, errno);
  if (auto written = base::write_all(memory, base::as_bytes(input), "input of " + plan.tool);
      !written)
    return base::Unexpected(std::move(written).error());
  // Opened again: the sibling gets neither the place where writing stopped nor the right to write.
  const UniqueFd reading(
      ::open(("/proc/self/fd/" + std::to_string(memory.get())).c_str(), O_RDONLY | O_CLOEXEC));
  if (!reading.is_open()) return base::fail_errno("input of " + plan.tool, errno);
  LaunchOptions options;
  options.stdin_fd = reading.get();
  options.stdout_fd = -1;
  options.stderr_fd = -1;
  options.keep_stdout = true;
  options.keep_stderr = true;
  options.cgroup_found = CgroupParent{};  // none of its limits is a control group's
  NoSink sink;
  CageOutcome outcome = run_cage(plan, options, sink);
  if (const auto* denial = std::get_if<SetupDenial>(&outcome))
    return base::fail(Errc::refused, plan.tool + ": " + denial->cause + "; " + denial->fix);
  if (const auto* failure = std::get_if<RunnerFailure>(&outcome))
    return base::fail(Errc::io, plan.tool + ": " + failure->what, failure->error);
  auto& result = std::get<RunResult>(outcome);
  if (result.ending != Ending::exited)
    return base::fail(Errc::io, plan.tool + " did not end by itself");
  if (result.out.is_truncated)
    return base::fail(Errc::too_large, plan.tool + " wrote more than is allowed");
  return SiblingOutput{result.status, std::move(result.out.kept), first_line(result.err.kept)};
}

Result<std::string> find_sibling(const std::string& name) {
  std::array<char, 4096> self{};
  const ssize_t n = ::readlink("/proc/self/exe", self.data(), self.size());
  if (n <= 0 || static_cast<std::size_t>(n) == self.size())
    return base::fail_errno("own executable", errno);
  std::string path(self.data(), static_cast<std::size_t>(n));
  path.replace(path.rfind('/') + 1, std::string::npos, name);
  if (::access(path.c_str(), X_OK) != 0) return base::fail_errno(path, errno);
  return path;
}

}  // namespace ethos::sandbox
