// SPDX-License-Identifier: Apache-2.0
#include "sandbox/grants.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "sandbox/conflicts.h"
#include "sandbox/io_limit.h"
#include "sandbox/limits.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

Json encode_texts(const std::vector<std::string>& texts) {
  Json out = Json::Array{};
  for (const std::string& text : texts) out.push_back(text);
  return out;
}

std::string on(const PathFact& fact) {
  return std::string(capability_name(fact.capability)) + ":" + fact.asked;
}

// The declared entry a fact answers. Facts come one an entry, in order, so it is always there.
const PathEntry& entry_of(const Normal& normal, const PathFact& fact) {
  const auto& list = fact.capability == Capability::read    ? normal.read
                     : fact.capability == Capability::write ? normal.write
                                                            : normal.exec;
  const auto it = std::ranges::find(list, fact.asked, &PathEntry::path);
  assert(it != list.end());
  return *it;
}

std::string fix_for(int error) {
  constexpr int kLoop = 40;  // ELOOP
  if (error == kLoop) return "name the place the symbolic link points to";
  return "name a directory or regular file that the caller may read";
}

void refuse_path(const PathFact& fact, std::vector<Refusal>& out) {
  Refusal r;
  const bool is_absent = fact.state == PathState::absent;
  r.rule = is_absent ? "missing" : "path";
  r.on = on(fact);
  r.key = capability_name(fact.capability);
  r.path = host_path(fact.asked);
  r.error = is_absent ? ENOENT : fact.error;
  r.cause = is_absent ? fact.asked + " does not exist"
                      : fact.asked + " cannot be granted: " + std::strerror(fact.error);
  // Only read and exec can be optional; only in the workspace is a directory to write made.
  const bool is_write = fact.capability == Capability::write;
  r.fix = !is_absent ? fix_for(fact.error)
          : is_write ? "create it; what is missing is made only below the workspace"
                     : "create it, or mark the entry as optional";
  out.push_back(std::move(r));
}

Json path_grant(const PathFact& fact, std::string_view name) {
  Json out;
  out["cap"] = name;
  out["dev"] = big(fact.device);
  out["ino"] = big(fact.inode);
  out["path"] = encode_path(host_path(fact.asked));
  out["type"] = node_type_name(fact.type);
  return out;
}

// G-1 to G-3.
void grant_paths(const Normal& normal, const Facts& facts, GrantResult& out) {
  for (const PathFact& fact : facts.paths) {
    const PathEntry& entry = entry_of(normal, fact);
    const bool is_write = fact.capability == Capability::write;
    if (!fact.is_there()) {
      const bool is_forgiven = fact.state == PathState::absent && entry.is_optional && !is_write;
      if (!is_forgiven) refuse_path(fact, out.refusals);
      continue;
    }
    if (!is_write) {
      out.grants.push_back(
          path_grant(fact, fact.capability == Capability::read ? "fs.read" : "fs.exec"));
      continue;
    }
    Json grant = path_grant(fact, "fs.write");
    grant["created"] = fact.state == PathState::created;
    grant["delete"] = entry.may_delete;
    grant["staged"] = fact.type == NodeType::directory;
    out.grants.push_back(std::move(grant));
  }
  for (const auto& [special, cap] :
       {std::pair{kExecMemory, "exec.memory"}, std::pair{kExecScratch, "exec.scratch"}}) {
    if (!normal.may_exec(special)) continue;
    Json grant;
    grant["cap"] = cap;
    out.grants.push_back(std::move(grant));
  }
}

// G-4 to G-7.
void grant_rest(const Normal& normal, const Facts& facts, std::vector<Json>& out) {
  if (!normal.hide.empty() || !facts.hides.empty()) {
    Json hide;
    hide["cap"] = "fs.hide";
    hide["matches"] = static_cast<std::int64_t>(facts.hides.size());
    hide["patterns"] = encode_texts(normal.hide);
    out.push_back(std::move(hide));
  }
  Json network;
  network["cap"] = "network";
  network["mode"] = network_name(normal.network);
  out.push_back(std::move(network));
  Json git;
  git["cap"] = "git";
  git["layout"] = git_layout_name(facts.git);
  git["mode"] = git_name(normal.git);
  out.push_back(std::move(git));
  Json env;
  env["cap"] = "env";
  Json& fixed = env["fixed"] = Json::Array{};
  for (const EnvEntry& entry : normal.env)
    if (entry.value) fixed.push_back(entry.name);
  env["pass"] = encode_texts(facts.env);
  out.push_back(std::move(env));
}

// G-8.
void grant_limits(const Normal& normal, const Facts& facts, GrantResult& out) {
  for (const auto& [limit, value] : normal.limits) {
    const auto enforcer = choose_enforcer(normal, facts, limit);
    if (!enforcer) {
      Refusal r;
      r.rule = "limit";
      r.on = "limit:" + limit;
      r.key = "limits";
      r.cause = "nothing on this host that the declaration allows can enforce " + limit;
      if (is_io_limit(limit)) r.cause += " (it needs a workspace on a disk, too)";
      const LimitSpec* spec = find_limit_by_normal_name(limit);
      r.fix = "delegate a cgroup v2 subtree with the controller (see ethos-run doctor), or " +
              std::string(spec != nullptr && spec->possible.size() > 1
                              ? "let enforce name a weaker form"
                              : "drop the limit: it has no weaker form");
      out.refusals.push_back(std::move(r));
      continue;
    }
    Json grant;
    grant["cap"] = "limit";
    grant["enforced_by"] = enforcer_name(*enforcer);
    grant["name"] = limit;
    grant["value"] = big(value);
    out.grants.push_back(std::move(grant));
  }
}

// To create what may not be granted anyway helps nobody: such an entry has the fix of what else
// refuses it.
void share_fixes(std::vector<Refusal>& refusals) {
  for (Refusal& missing : refusals) {
    if (missing.rule != "missing") continue;
    const auto other = std::ranges::find_if(refusals, [&](const Refusal& r) {
      return r.on == missing.on && (r.rule == "ceiling" || r.rule == "conflict");
    });
    if (other != refusals.end()) missing.fix = other->fix;
  }
}

}  // namespace

std::optional<Enforcer> choose_enforcer(const Normal& normal, const Facts& facts,
                                        const std::string& limit) {
  const auto list = normal.enforce.find(limit);
  if (list == normal.enforce.end()) return std::nullopt;
  const std::string_view controller = limit == "cpu_percent" ? "cpu"
                                      : is_io_limit(limit)   ? "io"
                                      : limit == "pids"      ? "pids"
                                                             : "memory";
  for (const Enforcer e : list->second) {
    if (e != Enforcer::cgroup) return e;
    if (std::ranges::find(facts.host.cgroup_controllers, controller) !=
        facts.host.cgroup_controllers.end())
      return e;
  }
  return std::nullopt;
}

GrantResult compute_grants(const Normal& normal, const Facts& facts) {
  GrantResult out;
  out.refusals = check_ceilings(normal);
  if (normal.isolation != "namespace") {
    Refusal r;
    r.rule = "class";
    r.on = "class:" + normal.isolation;
    r.key = "class";
    r.cause =
        "the class " + normal.isolation + " is not available, and nothing weaker takes its place";
    r.fix = "declare the class namespace if that is enough";
    out.refusals.push_back(std::move(r));
  }
  grant_paths(normal, facts, out);
  grant_rest(normal, facts, out.grants);
  grant_limits(normal, facts, out);
  find_conflicts(normal, facts, out.refusals);
  share_fixes(out.refusals);
  return out;
}

}  // namespace ethos::sandbox
