// SPDX-License-Identifier: Apache-2.0
#include "tests/sandbox/policy_vector.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "ledger/base/file_io.h"

namespace ethos::support {
namespace {

using sandbox::Json;
using sandbox::JsonNode;
using sandbox::NodeType;

constexpr std::size_t kMaxVector = 8U << 20;

const JsonNode& get(const JsonNode& node, const char* key) {
  const JsonNode* found = node.find(key);
  if (found == nullptr) throw std::runtime_error(std::string("vector lacks ") + key);
  return *found;
}
std::string text(const JsonNode& node, const char* key) { return get(node, key).text; }
std::uint64_t number(const JsonNode& node, const char* key) {
  return std::stoull(get(node, key).text);
}
std::uint32_t id(const JsonNode& node, const char* key) {
  return static_cast<std::uint32_t>(number(node, key));
}

std::string path(const JsonNode& node) {
  const std::string& base = get(node, "base").text;
  const std::string& rest = get(node, "path").text;
  if (base == "workspace") return rest;
  return rest == "." ? "/" : "/" + rest;
}
NodeType type(const JsonNode& node) {
  return text(node, "type") == "dir" ? NodeType::directory : NodeType::file;
}

std::vector<std::string> texts(const JsonNode& node) {
  std::vector<std::string> out;
  for (const JsonNode& item : node.items) out.push_back(item.text);
  return out;
}

sandbox::PathFact path_fact(const JsonNode& node) {
  sandbox::PathFact f;
  const std::string cap = text(node, "cap");
  f.capability = cap == "read"    ? sandbox::Capability::read
                 : cap == "write" ? sandbox::Capability::write
                                  : sandbox::Capability::exec;
  f.asked = text(node, "asked");
  const std::string state = text(node, "state");
  for (const auto s : {sandbox::PathState::present, sandbox::PathState::absent,
                       sandbox::PathState::created, sandbox::PathState::refused})
    if (sandbox::path_state_name(s) == state) f.state = s;
  if (f.state == sandbox::PathState::refused) f.error = static_cast<int>(number(node, "errno"));
  if (!f.is_there()) return f;
  f.device = number(node, "dev");
  f.inode = number(node, "ino");
  f.links = number(node, "nlink");
  f.owner = id(node, "uid");
  f.type = type(node);
  if (const JsonNode* holds = node.find("holds")) f.holds = texts(*holds);
  return f;
}

sandbox::SystemEntry system_entry(const JsonNode& node) {
  return {text(node, "at"), number(node, "dev"), number(node, "ino"),
          node.find("type") != nullptr ? type(node) : NodeType::directory};
}

sandbox::HostFacts host_facts(const JsonNode& node) {
  sandbox::HostFacts h;
  h.arch = text(node, "arch");
  h.cgroup_controllers = texts(get(node, "cgroup_controllers"));
  h.has_cgroup_kill = get(node, "cgroup_kill").flag;
  h.gid = id(node, "gid");
  for (const JsonNode& group : get(node, "groups").items)
    h.groups.push_back(static_cast<std::uint32_t>(group.number));
  h.kernel = text(node, "kernel");
  h.landlock_abi = static_cast<int>(number(node, "landlock_abi"));
  h.has_overlay_userxattr = get(node, "overlay_userxattr").flag;
  h.uid = id(node, "uid");
  return h;
}

PolicyVector read_vector(const std::filesystem::path& file) {
  auto bytes = base::read_file(file.string(), kMaxVector);
  if (!bytes) throw std::runtime_error(bytes.error().message());
  auto parsed = sandbox::parse_jsonc(*bytes, {kMaxVector, 32});
  if (!parsed) throw std::runtime_error(file.string() + ": " + parsed.error().what);
  PolicyVector v;
  v.file = file.filename().string();
  v.about = text(*parsed, "about");
  v.workspace = text(*parsed, "workspace");
  v.declaration = text(*parsed, "declaration");
  v.tool = text(*parsed, "tool");
  v.origin = text(*parsed, "origin");
  v.ceilings = texts(get(*parsed, "ceilings"));
  for (const char* key :
       {"about", "workspace", "declaration", "tool", "origin", "ceilings", "facts"})
    if (const JsonNode* node = parsed->find(key)) v.inputs[key] = to_json(*node);
  if (const JsonNode* facts = parsed->find("facts")) v.facts = facts_from_json(*facts);
  const auto expected = [&](const char* key) -> std::optional<std::string> {
    const JsonNode* node = parsed->find(key);
    return node == nullptr ? std::nullopt : std::optional(to_json(*node).encode());
  };
  v.normal = expected("normal");
  v.grants = expected("grants");
  v.plan = expected("plan");
  v.refusal = expected("refusal");
  return v;
}

}  // namespace

Json to_json(const JsonNode& node) {
  switch (node.kind) {
    case JsonNode::Kind::boolean:
      return node.flag;
    case JsonNode::Kind::integer:
      return node.number;
    case JsonNode::Kind::string:
      return node.text;
    case JsonNode::Kind::array: {
      Json out = Json::Array{};
      for (const JsonNode& item : node.items) out.push_back(to_json(item));
      return out;
    }
    case JsonNode::Kind::object: {
      Json out;
      for (std::size_t i = 0; i < node.keys.size(); ++i) out[node.keys[i]] = to_json(node.items[i]);
      return out;
    }
    case JsonNode::Kind::null:
      break;
  }
  throw std::runtime_error("null in a vector");
}

sandbox::Facts facts_from_json(const JsonNode& node) {
  sandbox::Facts f;
  f.cwd = path(get(node, "cwd"));
  f.env = texts(get(node, "env"));
  const JsonNode& git = get(node, "git");
  for (const auto layout :
       {sandbox::GitLayout::none, sandbox::GitLayout::directory, sandbox::GitLayout::file})
    if (sandbox::git_layout_name(layout) == text(git, "layout")) f.git = layout;
  if (f.git != sandbox::GitLayout::none) {
    f.git_device = number(git, "dev");
    f.git_inode = number(git, "ino");
  }
  for (const JsonNode& hide : get(node, "hides").items)
    f.hides.push_back(
        {text(hide, "by") == "hide" ? sandbox::HiddenBy::hide : sandbox::HiddenBy::git,
         path(get(hide, "path")), type(hide)});
  f.host = host_facts(get(node, "host"));
  for (const JsonNode& entry : get(node, "paths").items) f.paths.push_back(path_fact(entry));
  for (const JsonNode& entry : get(node, "policy").items) f.policy_files.push_back(path(entry));
  const JsonNode& system = get(node, "system");
  for (const JsonNode& entry : get(system, "dirs").items)
    f.system_dirs.push_back(system_entry(entry));
  for (const JsonNode& entry : get(system, "etc").items)
    f.system_etc.push_back(system_entry(entry));
  for (const JsonNode& link : get(system, "links").items)
    f.system_links.push_back({text(link, "at"), text(link, "to")});
  const JsonNode& workspace = get(node, "workspace");
  f.workspace_device = number(workspace, "dev");
  f.workspace_inode = number(workspace, "ino");
  f.workspace_uid = id(workspace, "uid");
  f.workspace_gid = id(workspace, "gid");
  return f;
}

std::vector<PolicyVector> read_policy_vectors(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<PolicyVector> out;
  for (const auto& file : files) out.push_back(read_vector(file));
  return out;
}

void write_policy_vector(const std::string& directory, const PolicyVector& v) {
  std::string out = "{\n";
  const auto member = [&](const char* key, const std::string& bytes) {
    if (out.size() > 2) out += ",\n";
    out += "\"" + std::string(key) + "\":" + bytes;
  };
  for (const char* key :
       {"about", "workspace", "declaration", "tool", "origin", "ceilings", "facts"})
    if (const auto it = v.inputs.object()->find(key); it != v.inputs.object()->end())
      member(key, it->second.encode());
  if (v.normal) member("normal", *v.normal);
  if (v.grants) member("grants", *v.grants);
  if (v.plan) member("plan", *v.plan);
  if (v.refusal) member("refusal", *v.refusal);
  out += "\n}\n";
  std::ofstream(directory + "/" + v.file) << out;
}

}  // namespace ethos::support
