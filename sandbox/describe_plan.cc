// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "sandbox/limits.h"
#include "sandbox/path_text.h"
#include "sandbox/plan_build.h"
#include "sandbox/prepare.h"
#include "sandbox/shown_text.h"

namespace ethos::sandbox {
namespace {

std::string amount(const std::string& name, std::uint64_t value) {
  if (name.ends_with("_ms"))
    return value % 1000 == 0 ? std::to_string(value / 1000) + " s" : std::to_string(value) + " ms";
  if (name.ends_with("_percent")) return std::to_string(value) + " % of one CPU";
  if (!name.ends_with("_bytes")) return std::to_string(value);
  constexpr std::uint64_t kMi = 1U << 20;
  return value % kMi == 0 ? std::to_string(value / kMi) + " MiB" : std::to_string(value) + " bytes";
}

// What the weaker form of a limit leaves open (docs/threat-model.md).
const char* weakness(const Limit& limit) {
  if (limit.name == "memory_bytes" && limit.by == Enforcer::rlimit)
    return " of each process, and ten looks a second at their sum; no files in memory;\n"
           "      an allocation that is refused far below the limit leaves no record";
  if (limit.name == "pids" && limit.by == Enforcer::supervisor)
    return ", which is RLIMIT_NPROC and ten looks a second";
  return "";
}

void print_paths(std::ostringstream& out, const char* label, const std::vector<PathFact>& facts,
                 Capability capability) {
  for (const PathFact& fact : facts) {
    if (fact.capability != capability || !fact.is_there()) continue;
    out << "  " << label << shown(fact.asked) << (fact.type == NodeType::directory ? "/" : "");
    if (fact.state == PathState::created) out << "  (will be made)";
    out << '\n';
  }
}

}  // namespace

std::string describe_plan(const Prepared& p) {
  std::ostringstream out;
  const Normal& normal = *p.policy.normal;
  const Plan& plan = *p.plan;
  out << "tool       " << shown(p.policy.tool) << "  (declared by " << shown(p.policy.source_name)
      << ", profile " << normal.profile << ")\n";
  out << "workspace  " << shown(p.workspace.path) << "\n";
  out << "starts in  " << shown(plan.cwd) << "\n";
  out << "command   ";
  for (const std::string& word : plan.argv) out << ' ' << shown(word);
  out << "\nceilings  ";
  for (const Ceiling& ceiling : normal.ceilings) out << ' ' << ceiling.name;
  if (normal.ceilings.empty()) out << " none";
  out << "\nmay\n";
  print_paths(out, "read   ", p.facts->paths, Capability::read);
  print_paths(out, "write  ", p.facts->paths, Capability::write);
  print_paths(out, "start  ", p.facts->paths, Capability::exec);
  if (plan.may_exec_memory) out << "  start  code in memory\n";
  if (normal.may_exec(kExecScratch)) out << "  start  files in its own /tmp\n";
  out << "  read and start what the base runtime has (/usr)\n";
  out << "sees\n";
  out << "  network " << network_name(plan.network) << ", git " << git_name(plan.git) << ", "
      << p.facts->hides.size() << " places hidden\n";
  constexpr std::size_t kShownHides = 20;
  for (std::size_t i = 0; i < std::min(p.facts->hides.size(), kShownHides); ++i)
    out << "  hidden " << shown(p.facts->hides[i].path)
        << (p.facts->hides[i].by == HiddenBy::git ? "  (git rule)" : "") << '\n';
  if (p.facts->hides.size() > kShownHides)
    out << "  hidden ... and " << p.facts->hides.size() - kShownHides << " more\n";
  if (!plan.has_proc) out << "  no /proc (a weaker cage: profile no-proc)\n";
  out << "  environment";
  for (const EnvVar& var : plan.env) out << ' ' << var.name;
  out << "\nlimits\n";
  for (const Limit& limit : plan.limits)
    out << "  " << limit.name << "  " << amount(limit.name, limit.value) << "  by "
        << enforcer_name(limit.by) << weakness(limit) << '\n';
  out << "observed   " << observe_name(plan.observe) << ", filter "
      << seccomp_program_name(plan.observe, plan.network, plan.may_exec_memory) << '\n';
  return out.str();
}

}  // namespace ethos::sandbox
