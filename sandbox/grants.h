// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/facts.h"
#include "sandbox/json_value.h"
#include "sandbox/normal.h"

// grants = f(normal, facts): docs/formats/plan.md, "Grants". Pure: the same input gives the same
// answer, and an auditor's own evaluator must give it too.
namespace ethos::sandbox {

// Why a run is refused before anything is built. Not an error: it becomes a denial record.
struct Refusal {
  std::string rule;   // ceiling, class, missing, path, limit, conflict
  std::string on;     // what it is about: "read:../x", "limit:cpu_percent", "network:loopback"
  std::string cause;  // one sentence
  std::string fix;    // what to change
  int error = 0;      // errno, for rule `path`
  std::string key;    // the declaration's key, for the line to point at: "read", "limits"
  std::optional<BasedPath> path;
};

struct GrantResult {
  // In the order of the rules. The first one is the answer; the others are told too.
  std::vector<Refusal> refusals;
  // Complete only when nothing was refused: bodies of capability.grant, in order.
  std::vector<Json> grants;
};

[[nodiscard]] GrantResult compute_grants(const Normal& normal, const Facts& facts);

// The first enforcer of the list that this host has; nothing when there is none (G-8).
[[nodiscard]] std::optional<Enforcer> choose_enforcer(const Normal& normal, const Facts& facts,
                                                      const std::string& limit);

// G-9 alone: what of `normal` goes beyond one of its ceilings.
[[nodiscard]] std::vector<Refusal> check_ceilings(const Normal& normal);

// More hidden places than this are refused: each is a mount of its own, and their cost is
// quadratic.
inline constexpr std::size_t kMaxHides = 4096;

}  // namespace ethos::sandbox
