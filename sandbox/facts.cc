// SPDX-License-Identifier: Apache-2.0
#include "sandbox/facts.h"

#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

Json encode_texts(const std::vector<std::string>& texts) {
  Json out = Json::Array{};
  for (const std::string& text : texts) out.push_back(text);
  return out;
}

Json encode_path_fact(const PathFact& fact) {
  Json out;
  out["asked"] = fact.asked;
  out["cap"] = capability_name(fact.capability);
  out["state"] = path_state_name(fact.state);
  if (fact.state == PathState::refused) out["errno"] = fact.error;
  if (!fact.is_there()) return out;
  out["dev"] = big(fact.device);
  if (!fact.holds.empty()) out["holds"] = encode_texts(fact.holds);
  out["ino"] = big(fact.inode);
  out["nlink"] = static_cast<std::int64_t>(fact.links);
  out["path"] = encode_path(host_path(fact.asked));
  out["type"] = node_type_name(fact.type);
  out["uid"] = fact.owner;
  return out;
}

Json encode_system_entry(const SystemEntry& entry, bool has_type) {
  Json out;
  out["at"] = entry.at;
  out["dev"] = big(entry.device);
  out["ino"] = big(entry.inode);
  if (has_type) out["type"] = node_type_name(entry.type);
  return out;
}

Json encode_host(const HostFacts& host) {
  Json out;
  out["arch"] = host.arch;
  out["cgroup_controllers"] = encode_texts(host.cgroup_controllers);
  out["cgroup_kill"] = host.has_cgroup_kill;
  out["gid"] = host.gid;
  Json& groups = out["groups"] = Json::Array{};
  for (const std::uint32_t group : host.groups) groups.push_back(group);
  out["kernel"] = host.kernel;
  out["landlock_abi"] = host.landlock_abi;
  out["overlay_userxattr"] = host.has_overlay_userxattr;
  out["uid"] = host.uid;
  return out;
}

Json encode_system(const Facts& facts) {
  Json out;
  Json& dirs = out["dirs"] = Json::Array{};
  for (const SystemEntry& entry : facts.system_dirs)
    dirs.push_back(encode_system_entry(entry, false));
  Json& etc = out["etc"] = Json::Array{};
  for (const SystemEntry& entry : facts.system_etc) etc.push_back(encode_system_entry(entry, true));
  Json& links = out["links"] = Json::Array{};
  for (const Link& link : facts.system_links) {
    Json item;
    item["at"] = link.at;
    item["to"] = link.target;
    links.push_back(std::move(item));
  }
  return out;
}

}  // namespace

std::string_view capability_name(Capability capability) {
  switch (capability) {
    case Capability::read:
      return "read";
    case Capability::write:
      return "write";
    case Capability::exec:
      break;
  }
  return "exec";
}

std::string_view path_state_name(PathState state) {
  switch (state) {
    case PathState::present:
      return "present";
    case PathState::absent:
      return "absent";
    case PathState::created:
      return "created";
    case PathState::refused:
      break;
  }
  return "refused";
}

std::string_view git_layout_name(GitLayout layout) {
  switch (layout) {
    case GitLayout::none:
      return "none";
    case GitLayout::directory:
      return "directory";
    case GitLayout::file:
      break;
  }
  return "file";
}

std::string_view node_type_name(NodeType type) {
  return type == NodeType::directory ? "dir" : "file";
}

Json encode_facts(const Facts& facts) {
  Json out;
  out["cwd"] = encode_path(host_path(facts.cwd));
  out["env"] = encode_texts(facts.env);
  Json& git = out["git"];
  git["layout"] = git_layout_name(facts.git);
  if (facts.git != GitLayout::none) {
    git["dev"] = big(facts.git_device);
    git["ino"] = big(facts.git_inode);
  }
  Json& hides = out["hides"] = Json::Array{};
  for (const HideFact& hide : facts.hides) {
    Json item;
    item["by"] = hide.by == HiddenBy::hide ? "hide" : "git";
    item["path"] = encode_path(host_path(hide.path));
    item["type"] = node_type_name(hide.type);
    hides.push_back(std::move(item));
  }
  out["host"] = encode_host(facts.host);
  Json& paths = out["paths"] = Json::Array{};
  for (const PathFact& fact : facts.paths) paths.push_back(encode_path_fact(fact));
  Json& policy = out["policy"] = Json::Array{};
  for (const std::string& path : facts.policy_files) policy.push_back(encode_path(host_path(path)));
  out["system"] = encode_system(facts);
  out["v"] = 1;
  Json& workspace = out["workspace"];
  workspace["dev"] = big(facts.workspace_device);
  workspace["gid"] = facts.workspace_gid;
  workspace["ino"] = big(facts.workspace_inode);
  workspace["uid"] = facts.workspace_uid;
  return out;
}

}  // namespace ethos::sandbox
