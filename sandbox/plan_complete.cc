// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "sandbox/plan_build.h"

// What a tool finds in its cage that is not evidence: who it is, its environment's values and its
// arguments.
namespace ethos::sandbox {
namespace {

// Owner of the workspace inside, so that files look as they do outside. Root gives the tool an
// unprivileged uid on the host and maps it; an ordinary user can only map itself.
Identity choose_identity(const Facts& facts, std::uint32_t host_id) {
  Identity id;
  id.is_mapped_by_root = facts.host.uid == 0;
  if (id.is_mapped_by_root) {
    id.inside_uid = facts.workspace_uid;
    id.inside_gid = facts.workspace_gid;
    id.host_uid = host_id;
    id.host_gid = host_id;
  } else {
    id.inside_uid = id.host_uid = facts.host.uid;
    id.inside_gid = id.host_gid = facts.host.gid;
  }
  return id;
}

void add_etc(Plan& plan) {
  const std::string user = plan.identity.inside_uid == 0 ? "root" : "user";
  const std::string group = plan.identity.inside_gid == 0 ? "root" : "user";
  const std::string gid = std::to_string(plan.identity.inside_gid);
  plan.files.push_back({"/etc/passwd", user + ":x:" + std::to_string(plan.identity.inside_uid) +
                                           ":" + gid + "::/tmp/home:/bin/sh\n"});
  plan.files.push_back({"/etc/group", group + ":x:" + gid + ":\n"});
  plan.files.push_back({"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"});
  plan.files.push_back({"/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"});
}

}  // namespace

std::vector<EnvVar> built_in_env() {
  return {
      {"HOME", "/tmp/home"}, {"LANG", "C.UTF-8"}, {"PATH", "/usr/bin:/bin"}, {"TMPDIR", "/tmp"}};
}

void complete_plan(Plan& plan, const Normal& normal, const Facts& facts, const RunInputs& inputs) {
  plan.identity = choose_identity(facts, inputs.host_id);
  add_etc(plan);
  std::map<std::string, std::string> env;
  for (const EnvVar& var : built_in_env()) env[var.name] = var.value;
  for (const EnvVar& var : inputs.caller_env) env[var.name] = var.value;
  for (const EnvEntry& entry : normal.env)
    if (entry.value) env[entry.name] = *entry.value;
  plan.env.clear();
  for (const auto& [name, value] : env) plan.env.push_back({name, value});
  plan.argv = normal.command;
  plan.argv.insert(plan.argv.end(), inputs.arguments.begin(), inputs.arguments.end());
}

}  // namespace ethos::sandbox
