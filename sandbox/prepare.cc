// SPDX-License-Identifier: Apache-2.0
#include "sandbox/prepare.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ledger/base/paths.h"
#include "sandbox/facts_collect.h"
#include "sandbox/file_rights.h"
#include "sandbox/io_limit.h"
#include "sandbox/output_format.h"
#include "sandbox/path_text.h"
#include "sandbox/plan_build.h"

extern char** environ;

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;

PolicyRequest policy_request(const RunOptions& options) {
  PolicyRequest request;
  request.tool = options.tool;
  if (!options.tool) request.program = options.words.front();
  request.options = options.grants;
  request.config = options.config;
  request.config_revision = options.config_revision;
  request.ceiling = options.ceiling;
  request.is_made_up = options.is_learning;
  if (options.host_ceiling) {
    request.host_ceiling = *options.host_ceiling;
    request.is_host_ceiling_required = true;
  }
  return request;
}

FactsRequest facts_request(const RunOptions& options, const Caller& caller, const Policy& policy,
                           const std::vector<std::string>& ledger, const HostFacts& host) {
  FactsRequest request;
  request.cwd = caller.cwd;
  request.host = host;
  if (const std::string* home = caller.variable("HOME");
      home != nullptr && home->starts_with('/')) {
    auto real = real_path(*home);
    request.home = real ? std::move(*real) : *home;
  }
  request.ledger_paths = ledger;
  request.policy_files = policy.files;
  if (options.decision)
    if (auto path = base::absolute_path(*options.decision)) request.policy_files.push_back(*path);
  for (const EnvVar& var : caller.environment) request.environment.push_back(var.name);
  return request;
}

// D-6: what the caller's words may not do to a declared tool.
std::optional<Refusal> check_arguments(const Normal& normal,
                                       const std::vector<std::string>& arguments) {
  Refusal r;
  r.rule = "args";
  r.on = "args:" + normal.args;
  r.key = "args";
  r.fix = "call it without, or declare args as any";
  if (normal.args == "fixed" && !arguments.empty()) {
    r.cause = "the declaration allows no further arguments";
    return r;
  }
  if (normal.args == "paths" &&
      std::ranges::any_of(arguments, [](const std::string& a) { return a.starts_with('-'); })) {
    r.cause = "the declaration allows paths as further arguments, not options";
    return r;
  }
  return std::nullopt;
}

Refusal too_much(const std::string& why) {
  Refusal r;
  r.rule = "facts";
  r.on = "hide:walk";
  r.key = "hide";
  r.cause = why;
  r.fix = "grant a smaller part of the workspace, or hide whole directories";
  return r;
}

// Everything that normal and facts decide; pure but for the directories that are made.
Result<void> decide(Prepared& p, const std::vector<std::string>& arguments, Purpose purpose) {
  const Normal& normal = *p.policy.normal;
  GrantResult granted = compute_grants(normal, *p.facts);
  p.refusals = std::move(granted.refusals);
  if (auto refused = check_arguments(normal, arguments)) p.refusals.push_back(std::move(*refused));
  const bool has_new = std::ranges::any_of(
      p.facts->paths, [](const PathFact& f) { return f.state == PathState::created; });
  if (p.refusals.empty() && has_new && purpose == Purpose::run) {
    if (auto made = create_write_directories(p.workspace, *p.facts); !made) return made;
    granted = compute_grants(normal, *p.facts);
    p.refusals = std::move(granted.refusals);
  }
  p.facts_bytes = encode_facts(*p.facts).encode();
  if (!p.refusals.empty()) return {};
  p.grants = std::move(granted.grants);
  p.plan = build_plan(normal, *p.facts, p.workspace.path);
  p.plan_bytes = encode_plan(*p.plan, p.grants, normal, *p.facts).encode();
  return {};
}

// "host" in what follows is the caller's side of the environment.
RunInputs run_inputs(const Caller& caller, const Facts& facts,
                     const std::vector<std::string>& arguments) {
  RunInputs inputs;
  inputs.arguments = arguments;
  for (const std::string& name : facts.env)
    if (const std::string* value = caller.variable(name))
      inputs.caller_env.push_back({name, *value});
  return inputs;
}

}  // namespace

const std::string* Caller::variable(std::string_view name) const {
  const auto it = std::ranges::find(environment, name, &EnvVar::name);
  return it == environment.end() ? nullptr : &it->value;
}

Result<Caller> read_caller() {
  Caller out;
  auto cwd = current_directory();
  if (!cwd) return base::Unexpected(std::move(cwd).error());
  out.cwd = std::move(*cwd);
  std::size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) ++count;
  out.environment.reserve(count);
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const char* equals = std::strchr(*at, '=');
    if (equals != nullptr)
      out.environment.push_back(
          {std::string(*at, static_cast<std::size_t>(equals - *at)), std::string(equals + 1)});
  }
  return out;
}

std::vector<std::string> ledger_paths(const ledger::LedgerFiles& files) {
  std::vector<std::string> out;
  std::string known;  // nearly all lie in one directory, and resolving it is what costs
  std::string real;
  for (const std::string& path : {files.database, files.wal(), files.journal(), files.lock(),
                                  files.high_water(), files.runs(), files.root_key(), files.keys}) {
    const auto [parent, name] = base::split_path(path);
    if (parent != known) {
      const auto resolved = real_path(parent);
      real = resolved ? *resolved : parent;
      known = parent;
    }
    out.push_back(real + "/" + name);
  }
  // A link in the last component leads elsewhere; the ledger itself refuses to follow one.
  return out;
}

Result<Prepared> prepare(const RunOptions& options, const Caller& caller,
                         const std::optional<ledger::LedgerFiles>& ledger, const HostFacts& host,
                         Purpose purpose) {
  Prepared p;
  auto workspace = open_workspace(options.workspace, caller.cwd);
  if (!workspace) return base::Unexpected(std::move(workspace).error());
  p.workspace = std::move(*workspace);
  // The tool acts as the owner of the workspace, in its group: that must be no more than the
  // caller.
  if (const auto& rights = lent_rights();
      rights && rights->uid != 0 &&
      (p.workspace.uid != rights->uid || !rights->has_group(p.workspace.gid))) {
    return base::fail(Errc::refused, "workspace " + p.workspace.path +
                                         ": belongs to another user or group; the service builds "
                                         "cages on the caller's own files only");
  }
  const auto places = ledger ? ledger_paths(*ledger) : std::vector<std::string>();
  for (const std::string& path : places)
    if (is_at_or_below(path, p.workspace.path))
      return base::fail(Errc::refused, "the ledger " + path + " lies in the workspace " +
                                           p.workspace.path +
                                           "; keep it elsewhere (--ledger, ETHOS_LEDGER)");
  auto policy = load_policy(p.workspace, policy_request(options));
  if (!policy) return base::Unexpected(std::move(policy).error());
  p.policy = std::move(*policy);
  if (p.policy.refusal) {
    p.refusals.push_back(*p.policy.refusal);
    return p;
  }
  const auto& format = p.policy.normal->output_format;
  const bool is_format_used = purpose == Purpose::show || options.sarif;
  if (format && is_format_used && !is_known_format(*format))
    return base::fail(Errc::refused, "the tool " + p.policy.tool + " declares output_format \"" +
                                         *format + "\", which is not one of: " + known_formats());
  p.normal_bytes = encode_normal(*p.policy.normal).encode();
  auto facts = collect_facts(p.workspace, *p.policy.normal,
                             facts_request(options, caller, p.policy, places, host));
  if (!facts && facts.error().code == Errc::too_large) {
    p.refusals.push_back(too_much(facts.error().what));
    return p;
  }
  if (!facts) return base::Unexpected(std::move(facts).error());
  p.facts = std::move(*facts);
  // F-6: io.max knows disks only.
  const auto& limits = p.policy.normal->limits;
  if (std::ranges::any_of(limits, [](const auto& l) { return is_io_limit(l.first); }) &&
      !disk_of(p.facts->workspace_device))
    std::erase(p.facts->host.cgroup_controllers, "io");
  std::vector<std::string> arguments = options.words;
  if (!options.tool) arguments.erase(arguments.begin());
  if (auto decided = decide(p, arguments, purpose); !decided)
    return base::Unexpected(std::move(decided).error());
  if (p.plan)
    complete_plan(*p.plan, *p.policy.normal, *p.facts, run_inputs(caller, *p.facts, arguments));
  return p;
}

std::string plan_document(const Prepared& p) {
  return "{\"facts\":" + p.facts_bytes + ",\"normal\":" + p.normal_bytes +
         ",\"plan\":" + p.plan_bytes + "}";
}

}  // namespace ethos::sandbox
