// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sandbox/facts.h"
#include "sandbox/json_value.h"
#include "sandbox/normal.h"
#include "sandbox/plan.h"

// plan = g(normal, facts): docs/formats/plan.md, "Plan". Pure. The facts must have been granted
// (compute_grants without a refusal).
namespace ethos::sandbox {

// The part that the evidence holds: mounts, Landlock rules, limits, environment names, links.
[[nodiscard]] Plan build_plan(const Normal& normal, const Facts& facts,
                              const std::string& workspace);

// The bytes that are committed; `grants` are compute_grants' own.
[[nodiscard]] Json encode_plan(const Plan& plan, const std::vector<Json>& grants,
                               const Normal& normal, const Facts& facts);

// "read", "read_exec", "write", "write_exec", "device".
[[nodiscard]] std::string_view access_name(Access access);
// "root", "bind", "staged", "scratch", "proc", "dev", "mask".
[[nodiscard]] std::string_view mount_kind_name(MountKind kind);
// The `landlock` array of the plan, whose digest sandbox.enforced holds.
[[nodiscard]] Json encode_landlock(const Plan& plan);

// S-1: "writes-none", "all-loopback+mem".
[[nodiscard]] std::string seccomp_program_name(Observe observe, Network network,
                                               bool may_exec_memory);

// PATH, HOME, TMPDIR and LANG as every cage has them, sorted by name.
[[nodiscard]] std::vector<EnvVar> built_in_env();

// What the evidence does not hold, because it is private or changes with each run.
struct RunInputs {
  std::vector<std::string> arguments;  // after the declared command
  std::vector<EnvVar> caller_env;      // values for Facts::env
  std::uint32_t host_id = 0;           // root only: the unprivileged uid and gid of this run
};
void complete_plan(Plan& plan, const Normal& normal, const Facts& facts, const RunInputs& inputs);

}  // namespace ethos::sandbox
