// SPDX-License-Identifier: Apache-2.0
#include "sandbox/enforced_json.h"

#include <algorithm>

#include "ledger/base/bytes.h"
#include "ledger/record/digest.h"
#include "sandbox/limits.h"
#include "sandbox/path_text.h"
#include "sandbox/plan_build.h"

namespace ethos::sandbox {
namespace {

std::string digest_text(const Sha256& sha256) { return record::Digest(sha256).text(); }

std::string hex16(std::uint64_t value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i > 0; --i, value >>= 4) out[i - 1] = kHex[value & 0xF];
  return out;
}

Json encode_texts(const std::vector<std::string>& texts) {
  Json out = Json::Array{};
  for (const std::string& text : texts) out.push_back(text);
  return out;
}

Json encode_id_map(const std::vector<IdMapLine>& lines) {
  Json out = Json::Array{};
  for (const IdMapLine& line : lines)
    out.push_back(std::to_string(line.inside) + " " + std::to_string(line.outside) + " " +
                  std::to_string(line.count));
  return out;
}

Json encode_caps(const TaskStatus& status) {
  Json out;
  out["amb"] = hex16(status.cap_ambient);
  out["bnd"] = hex16(status.cap_bounding);
  out["eff"] = hex16(status.cap_effective);
  out["inh"] = hex16(status.cap_inheritable);
  out["prm"] = hex16(status.cap_permitted);
  return out;
}

Json encode_cgroup(const CgroupState& cgroup) {
  Json out;
  std::vector<std::string> controllers;
  for (const auto& file : cgroup.files) {
    const std::string controller = file.name.substr(0, file.name.find('.'));
    if (controller != "cgroup" && std::ranges::find(controllers, controller) == controllers.end())
      controllers.push_back(controller);
  }
  std::ranges::sort(controllers);
  out["controllers"] = encode_texts(controllers);
  // File names hold dots, which keys of ethos-json/1 cannot; read_back() lists them in order.
  Json& values = out["values"] = Json::Array{};
  for (const auto& file : cgroup.files) {
    Json item;
    item["file"] = file.name;
    item["value"] = file.value;
    values.push_back(std::move(item));
  }
  return out;
}

// K-7 names these; the others are the kernel's defaults and say nothing about the plan.
Json encode_rlimits(const std::vector<RlimitEntry>& rlimits) {
  Json out;
  for (const RlimitEntry& limit : rlimits)
    for (const std::string_view name : {"core", "data", "fsize", "memlock", "nofile", "nproc"})
      if (limit.name == name) out[name] = limit.is_unlimited ? Json("unlimited") : big(limit.value);
  return out;
}

// A process may be in up to 65,536 groups; a record holds 16 KiB.
Json encode_groups(const std::vector<std::uint32_t>& groups, Committer& committer) {
  Json list = Json::Array{};
  for (const std::uint32_t group : groups) list.push_back(group);
  std::string bytes = list.encode();
  return bytes.size() > kMaxListBytes ? committer.commit("list", std::move(bytes)) : list;
}

Json encode_kernel_view(const Enforced& e, Committer& committer) {
  Json k;
  k["caps"] = encode_caps(e.status);
  if (e.cgroup.is_present) k["cgroup"] = encode_cgroup(e.cgroup);
  Json& fds = k["fds"] = Json::Array{};
  for (const FdEntry& fd : e.fds) {
    Json item;
    item["fd"] = fd.number;
    item["kind"] = fd.kind;
    fds.push_back(std::move(item));
  }
  k["gid_map"] = encode_id_map(e.gid_map);
  k["groups"] = encode_groups(e.status.groups, committer);
  k["limits"] = encode_rlimits(e.rlimits);
  k["listener"] = e.is_listener_live;
  k["mounts"] = committer.commit("mounts", encode_mount_table(e.mounts).encode());
  k["no_new_privs"] = e.status.no_new_privs ? 1 : 0;
  Json& ns = k["ns"];
  std::vector<std::string> shared;
  for (const NamespaceState& state : e.namespaces) {
    ns[state.name] = big(state.inode);
    if (!state.is_own) shared.push_back(state.name);
  }
  std::ranges::sort(shared);
  k["ns_shared"] = encode_texts(shared);
  k["seccomp"] = e.status.seccomp_mode;
  k["seccomp_filters"] = e.status.seccomp_filters;
  k["setgroups"] = e.setgroups;
  k["uid_map"] = encode_id_map(e.uid_map);
  return k;
}

Json encode_given(const Enforced& e, const Plan& plan) {
  Json s;
  s["init"] = digest_text(e.init_sha256);
  Json& landlock = s["landlock"];
  landlock["abi"] = e.landlock.abi;
  landlock["handled_fs"] = big(e.landlock.handled_fs);
  landlock["handled_net"] = big(e.landlock.handled_net);
  landlock["rules"] = record::sha256(base::as_bytes(encode_landlock(plan).encode())).text();
  landlock["scoped"] = big(e.landlock.scoped);
  Json& seccomp = s["seccomp"];
  seccomp["name"] = e.seccomp.name;
  seccomp["sha256"] = digest_text(e.seccomp.sha256);
  return s;
}

Json encode_weaker(const Plan& plan) {
  std::vector<std::pair<std::string, std::string>> weaker;
  for (const Limit& limit : plan.limits) {
    const LimitSpec* spec = find_limit_by_normal_name(limit.name);
    const bool can_be_cgroup =
        spec != nullptr &&
        std::ranges::find(spec->possible, Enforcer::cgroup) != spec->possible.end();
    if (can_be_cgroup && limit.by != Enforcer::cgroup)
      weaker.emplace_back(limit.name, enforcer_name(limit.by));
  }
  if (!plan.has_proc) weaker.emplace_back("proc", "no-proc");
  std::ranges::sort(weaker);
  Json out = Json::Array{};
  for (const auto& [limit, by] : weaker) {
    Json item;
    item["by"] = by;
    item["limit"] = limit;
    out.push_back(std::move(item));
  }
  return out;
}

}  // namespace

Json encode_mount_table(const std::vector<MountEntry>& mounts) {
  std::vector<const MountEntry*> sorted;
  for (const MountEntry& mount : mounts) sorted.push_back(&mount);
  std::ranges::stable_sort(sorted, {}, [](const MountEntry* m) {
    return std::pair(base_text(m->where.base), std::string_view(m->where.path));
  });
  Json out = Json::Array{};
  for (const MountEntry* mount : sorted) {
    Json item;
    item["dev"] = mount->device;
    Json& flags = item["flags"] = Json::Array{};
    if (mount->no_dev) flags.push_back("nodev");
    if (mount->no_exec) flags.push_back("noexec");
    if (mount->no_suid) flags.push_back("nosuid");
    if (mount->read_only) flags.push_back("ro");
    item["kind"] = mount_kind_name(mount->kind);
    item["where"] = encode_path(mount->where);
    out.push_back(std::move(item));
  }
  return out;
}

Json encode_enforced(const Enforced& enforced, const Plan& plan, Committer& committer) {
  Json out;
  out["k"] = encode_kernel_view(enforced, committer);
  Json& probes = out["p"] = Json::Array{};
  for (const Probe& probe : enforced.probes) {
    Json item;
    item["errno"] = probe.error;
    item["name"] = probe.name;
    probes.push_back(std::move(item));
  }
  out["s"] = encode_given(enforced, plan);
  std::vector<std::string> sources = enforced.live_sources;
  std::ranges::sort(sources);
  out["sources"] = encode_texts(sources);
  out["weaker"] = encode_weaker(plan);
  return out;
}

}  // namespace ethos::sandbox
