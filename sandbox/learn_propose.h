// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sandbox/declaration.h"
#include "sandbox/learn_needs.h"

// From needs to declarations; pure.
namespace ethos::sandbox {

// What is no matter of observation: taken from the present declaration and from options.
struct LearnFrame {
  ToolDeclaration base;                        // name, command, hide, env, args, ...
  std::string cwd = ".";                       // where the caller stands, in normal form
  bool is_memory_counted = true;               // by a cgroup
  std::map<std::string, std::uint64_t> fixed;  // limits that the caller named
  std::map<std::string, std::uint64_t> least;  // of joined declarations, and raised ones
  std::set<std::string> withheld;              // "read:/etc/x": what no ceiling allows
  bool keeps_new_trees = true;  // grant a directory that the tool makes itself, not its parent
  bool reads_all = false;       // rather "." than single places
  bool executes_all = false;
};

// The cage of the first look: everything of the workspace can be read, changed (in a layer that is
// thrown away) and started; no network, no repository, nothing outside.
[[nodiscard]] ToolDeclaration widest(const LearnFrame& frame);

// `tool` with more of what was needed and can only be told from a denial.
void widen(ToolDeclaration& tool, const Needs& needs, const LearnFrame& frame);

// The smallest declaration for these needs, limits with head-room (docs/learn.md).
[[nodiscard]] ToolDeclaration propose(const Needs& needs, const LearnFrame& frame);

// The limit with head-room over what was measured; nothing for limits that are not measured.
[[nodiscard]] std::map<std::string, std::uint64_t> propose_limits(const Needs& needs,
                                                                  const LearnFrame& frame,
                                                                  bool has_staged);

// The same declaration for trying it out without touching the workspace: every read is looked at,
// and files that may be written are granted with their directory, which is staged.
[[nodiscard]] ToolDeclaration for_trial(ToolDeclaration tool, const HostLook& look,
                                        const std::string& workspace);

}  // namespace ethos::sandbox
