// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <tuple>

#include "sandbox/limits.h"
#include "sandbox/path_text.h"
#include "sandbox/plan_build.h"

// The plan as evidence: docs/formats/plan.md, "Plan".
namespace ethos::sandbox {
namespace {

Json encode_mount(const Mount& mount) {
  Json out;
  Json& flags = out["flags"] = Json::Array{};
  if (mount.no_dev) flags.push_back("nodev");
  if (mount.no_exec) flags.push_back("noexec");
  if (mount.no_suid) flags.push_back("nosuid");
  if (mount.read_only) flags.push_back("ro");
  out["kind"] = mount_kind_name(mount.kind);
  if (mount.inode != 0) {
    out["dev"] = big(mount.device);
    out["ino"] = big(mount.inode);
  }
  out["where"] = encode_path(mount.where);
  return out;
}

Json encode_mounts(const Plan& plan) {
  std::vector<const Mount*> sorted;
  for (const Mount& mount : plan.mounts) sorted.push_back(&mount);
  std::ranges::sort(sorted, {}, [](const Mount* m) {
    return std::tuple(base_text(m->where.base), std::string_view(m->where.path));
  });
  Json out = Json::Array{};
  for (const Mount* mount : sorted) out.push_back(encode_mount(*mount));
  return out;
}

// Names with the values the plan itself gives; a value of the caller's is not evidence (it may be
// a secret) and is in the commitment of kind env only.
Json encode_env(const Normal& normal, const Facts& facts) {
  std::map<std::string, std::optional<std::string>> entries;
  for (const EnvVar& var : built_in_env()) entries[var.name] = var.value;
  for (const std::string& name : facts.env) entries[name] = std::nullopt;
  for (const EnvEntry& entry : normal.env)
    if (entry.value) entries[entry.name] = entry.value;
  Json out = Json::Array{};
  for (const auto& [name, value] : entries) {
    Json item;
    item["name"] = name;
    if (value) item["value"] = *value;
    out.push_back(std::move(item));
  }
  return out;
}

}  // namespace

std::string_view access_name(Access access) {
  switch (access) {
    case Access::read:
      return "read";
    case Access::read_exec:
      return "read_exec";
    case Access::write:
      return "write";
    case Access::write_exec:
      return "write_exec";
    case Access::device:
      break;
  }
  return "device";
}

std::string_view mount_kind_name(MountKind kind) {
  switch (kind) {
    case MountKind::root:
      return "root";
    case MountKind::bind:
      return "bind";
    case MountKind::staged:
      return "staged";
    case MountKind::scratch:
      return "scratch";
    case MountKind::proc:
      return "proc";
    case MountKind::dev:
      return "dev";
    case MountKind::mask:
      break;
  }
  return "mask";
}

Json encode_landlock(const Plan& plan) {
  Json out = Json::Array{};
  for (const LandlockRule& rule : plan.landlock) {
    Json item;
    item["access"] = access_name(rule.access);
    item["where"] = encode_path(rule.where);
    out.push_back(std::move(item));
  }
  return out;
}

Json encode_plan(const Plan& plan, const std::vector<Json>& grants, const Normal& normal,
                 const Facts& facts) {
  Json out;
  out["cwd"] = encode_path(cage_path(plan.cwd, plan.workspace));
  out["env"] = encode_env(normal, facts);
  out["grants"] = Json::Array(grants);
  out["landlock"] = encode_landlock(plan);
  Json& limits = out["limits"] = Json::Array{};
  for (const Limit& limit : plan.limits) {
    Json item;
    item["enforced_by"] = enforcer_name(limit.by);
    item["name"] = limit.name;
    item["value"] = big(limit.value);
    limits.push_back(std::move(item));
  }
  out["mounts"] = encode_mounts(plan);
  out["network"] = network_name(plan.network);
  Json& never = out["never_write"] = Json::Array{};
  for (const BasedPath& path : plan.never_write) never.push_back(encode_path(path));
  out["observe"] = observe_name(plan.observe);
  out["seccomp"] = seccomp_program_name(plan.observe, plan.network, plan.may_exec_memory);
  out["v"] = 1;
  return out;
}

}  // namespace ethos::sandbox
