// SPDX-License-Identifier: Apache-2.0
#include "sandbox/readback.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "sandbox/mountinfo.h"
#include "sandbox/proc_dir.h"
#include "sandbox/proc_status.h"

namespace ethos::sandbox {
namespace {

using base::Result;
using base::Unexpected;

constexpr std::array<const char*, 7> kNamespaces = {"cgroup", "ipc",  "mnt", "net",
                                                    "pid",    "user", "uts"};

// Reads `name`, parses it with `parse`, stores it in `out`.
template <typename Parse, typename T>
Result<void> take(const ProcDir& proc, const char* name, Parse parse, T& out) {
  const auto text = proc.read(name);
  if (!text) return Unexpected(base::Error(text.error()));
  auto value = parse(*text);
  if (!value) return Unexpected(std::move(value).error());
  out = std::move(value).value();
  return {};
}

Result<void> read_namespaces(const ProcDir& proc, const std::vector<std::uint64_t>& own,
                             std::vector<NamespaceState>& out) {
  const auto theirs = proc.namespace_inodes(kNamespaces);
  if (!theirs) return Unexpected(base::Error(theirs.error()));
  // pid 1's own pid namespace is the one its children get, and its own: the same here.
  for (std::size_t i = 0; i < kNamespaces.size(); ++i)
    out.push_back({kNamespaces[i], (*theirs)[i], (*theirs)[i] != own.at(i)});
  return {};
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

struct ProbeText {
  ProbeId id;
  const char* name;
  std::array<int, 4> expected;
};

constexpr std::array<ProbeText, 12> kProbes = {{
    {ProbeId::open_ungranted, "open_ungranted", {EACCES, ENOENT, 0, 0}},
    {ProbeId::write_read_grant, "write_read_grant", {EACCES, EROFS, 0, 0}},
    {ProbeId::create_in_root, "create_in_root", {EACCES, EROFS, 0, 0}},
    {ProbeId::unshare_user, "unshare_user", {EPERM, ENOSYS, 0, 0}},
    {ProbeId::mount, "mount", {EPERM, ENOSYS, 0, 0}},
    {ProbeId::socket_inet, "socket_inet", {EPERM, EACCES, ENOSYS, EAFNOSUPPORT}},
    {ProbeId::connect_public, "connect_public", {ENETUNREACH, EACCES, 0, 0}},
    {ProbeId::socket_vsock, "socket_vsock", {EPERM, EACCES, ENOSYS, EAFNOSUPPORT}},
    {ProbeId::ptrace, "ptrace", {EPERM, ENOSYS, 0, 0}},
    {ProbeId::i386_gate, "i386_gate", {EPERM, ENOSYS, 0, 0}},
    {ProbeId::cgroup_procs, "cgroup_procs", {EACCES, EROFS, ENOENT, 0}},
    {ProbeId::memfd_exec, "memfd_exec", {ENOSYS, EACCES, EPERM, 0}},
}};

}  // namespace

Result<std::vector<std::uint64_t>> read_own_namespaces() {
  auto own = ProcDir::open(getpid());
  if (!own) return Unexpected(std::move(own).error());
  return own->namespace_inodes(kNamespaces);
}

Result<void> read_back(pid_t pid, const Plan& plan, const std::vector<std::uint64_t>& own,
                       Enforced& out) {
  auto opened = ProcDir::open(pid);
  if (!opened) return Unexpected(std::move(opened).error());
  const ProcDir& proc = *opened;
  const auto mounts = [&](std::string_view text) { return parse_mountinfo(text, plan.workspace); };
  if (auto r = take(proc, "status", parse_status, out.status); !r) return r;
  if (auto r = take(proc, "uid_map", parse_id_map, out.uid_map); !r) return r;
  if (auto r = take(proc, "gid_map", parse_id_map, out.gid_map); !r) return r;
  if (auto r = take(proc, "limits", parse_limits, out.rlimits); !r) return r;
  if (auto r = take(proc, "mountinfo", mounts, out.mounts); !r) return r;
  if (auto r = read_namespaces(proc, own, out.namespaces); !r) return r;
  auto setgroups = proc.read("setgroups");
  if (!setgroups) return Unexpected(std::move(setgroups).error());
  out.setgroups = trimmed(std::move(setgroups).value());
  auto cgroup = proc.read("cgroup");
  if (cgroup) out.cgroup.path = parse_cgroup_v2(*cgroup);  // absent without cgroup support
  auto fds = proc.descriptors();
  if (!fds) return Unexpected(std::move(fds).error());
  out.fds = std::move(fds).value();
  return {};
}

std::vector<Probe> describe_probes(const Shared& shared) {
  std::vector<Probe> out;
  const std::size_t count = std::min<std::size_t>(shared.probe_count, kMaxProbes);
  for (const auto& text : kProbes) {
    for (std::size_t i = 0; i < count; ++i) {
      const ProbeResult& result = shared.probes[i];
      if (result.id != text.id) continue;
      const bool is_expected =
          result.error != 0 && std::find(text.expected.begin(), text.expected.end(),
                                         result.error) != text.expected.end();
      out.push_back({text.name, result.error, is_expected});
    }
  }
  return out;
}

}  // namespace ethos::sandbox
