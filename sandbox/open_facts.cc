// SPDX-License-Identifier: Apache-2.0
#include "sandbox/open_facts.h"

#include <unistd.h>

#include "ledger/appender.h"
#include "ledger/base/build_version.h"
#include "ledger/base/bytes.h"
#include "ledger/base/file_io.h"
#include "sandbox/git_revision.h"
#include "sandbox/read_host.h"

namespace ethos::sandbox {
namespace {

// The kernel's audit identity, which survives su and sudo; 4294967295 when there is none.
std::optional<std::uint32_t> login_uid() {
  constexpr std::size_t kMost = 32;
  constexpr unsigned long kUnset = 4294967295UL;
  const auto text = base::read_file("/proc/self/loginuid", kMost);
  if (!text || text->empty()) return std::nullopt;
  const unsigned long value = std::strtoul(text->c_str(), nullptr, 10);
  if (value >= kUnset) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

// The words as the caller and the declaration give them.
std::vector<std::string> command_line(const RunOptions& options, const Policy& policy) {
  std::vector<std::string> out;
  if (policy.declaration && options.tool) out = policy.declaration->command;
  out.insert(out.end(), options.words.begin(), options.words.end());
  return out;
}

}  // namespace

OpenFacts collect_open_facts(const RunOptions& options, const Prepared& prepared,
                             const HostFacts& host) {
  OpenFacts out;
  const Policy& policy = prepared.policy;
  out.tool = policy.tool;
  out.origin = origin_name(policy.origin);
  out.profile = policy.declaration ? policy.declaration->profile : "lint-offline";
  out.observe = observe_name(policy.normal ? policy.normal->observe : Observe::writes);
  out.isolation = policy.declaration ? policy.declaration->isolation : "namespace";
  out.product = base::kBuildVersion;
  out.argv = prepared.plan ? prepared.plan->argv : command_line(options, policy);
  out.caller_uid = ::getuid();
  out.caller_gid = ::getgid();
  out.caller_pid = ::getppid();
  out.login_uid = login_uid();
  for (const Ceiling& ceiling : policy.ceilings) {
    const std::string bytes = encode_ceiling(ceiling).encode();
    out.ceilings.emplace_back(ceiling.name, record::sha256(base::as_bytes(bytes)));
  }
  out.actor = options.actor;
  out.task = options.task;
  out.source = policy.source;
  out.source_revision = policy.source_revision;
  out.normal_bytes = prepared.normal_bytes;
  out.facts_bytes = prepared.facts_bytes;
  out.plan_bytes = prepared.plan_bytes;
  out.arch = host.arch;
  out.kernel = host.kernel;
  out.landlock_abi = host.landlock_abi;
  out.cgroup = cgroup_layout();
  if (auto git = read_git_revision(prepared.workspace)) {
    out.git_layout = git->layout;
    out.git_revision = git->revision;
  }
  out.workspace = prepared.workspace.path;
  out.workspace_device = prepared.workspace.device;
  out.workspace_inode = prepared.workspace.inode;
  return out;
}

std::vector<ledger::Blob> ceiling_blobs(const Policy& policy) {
  std::vector<ledger::Blob> out;
  for (const Ceiling& ceiling : policy.ceilings) {
    std::string bytes = encode_ceiling(ceiling).encode();
    const record::Digest digest = record::sha256(base::as_bytes(bytes));
    out.push_back({digest, std::move(bytes)});
  }
  return out;
}

}  // namespace ethos::sandbox
