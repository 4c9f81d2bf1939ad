// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/jsonc.h"
#include "sandbox/plan.h"

// What a tool asks for: the text of ethos.json and nothing else (docs/formats/declaration.md).
// Units are already numbers here; defaults, ceilings and the workspace come in when the normal form
// is built.
namespace ethos::sandbox {

struct PathEntry {
  std::string path;          // as declared
  bool is_optional = false;  // read, exec
  bool may_delete = false;   // write
  auto operator<=>(const PathEntry&) const = default;
};

// NAME passes the caller's value on; NAME=VALUE sets it.
struct EnvEntry {
  std::string name;
  std::optional<std::string> value;
  auto operator<=>(const EnvEntry&) const = default;
};

struct ToolDeclaration {
  std::string name;
  std::vector<std::string> command;
  std::string profile = "lint-offline";
  // Absent: the profile's default. Present and empty: nothing.
  std::optional<std::vector<PathEntry>> read;
  std::optional<std::vector<PathEntry>> write;
  std::optional<std::vector<PathEntry>> exec;
  std::vector<std::string> hide;
  Network network = Network::none;
  Git git = Git::none;
  std::vector<EnvEntry> env;
  std::map<std::string, std::uint64_t> limits;           // normal name -> value
  std::map<std::string, std::vector<Enforcer>> enforce;  // normal name -> tried in this order
  Observe observe = Observe::writes;
  std::string args = "any";
  std::string isolation = "namespace";  // the key `class`
  std::string on_output_limit = "kill";
  std::optional<std::string> output_format;

  std::uint32_t line = 0;                      // where the tool's object begins; 0 for options
  std::map<std::string, std::uint32_t> lines;  // key -> line of its value
};

struct Declaration {
  std::vector<ToolDeclaration> tools;  // in file order
  [[nodiscard]] const ToolDeclaration* find(std::string_view tool) const;
};

// Errc::malformed or too_large; `what` names line and column.
[[nodiscard]] base::Result<Declaration> parse_declaration(std::string_view text);

// The pieces that ad hoc options share with a file. `what` says what is wrong, without a place.
[[nodiscard]] bool is_tool_name(std::string_view name);
[[nodiscard]] base::Result<EnvEntry> parse_env_entry(std::string_view text);  // D-5
// Sets limits or enforce from "memory" and "2GiB" or "cgroup,rlimit".
[[nodiscard]] base::Result<void> set_limit(ToolDeclaration& tool, std::string_view key,
                                           std::string_view value);
[[nodiscard]] base::Result<void> set_enforce(ToolDeclaration& tool, std::string_view key,
                                             const std::vector<std::string>& names);

// The words each of them may be: "none, loopback".
[[nodiscard]] std::string_view allowed_words(std::string_view key);

[[nodiscard]] std::string_view network_name(Network network);
[[nodiscard]] std::string_view git_name(Git git);
[[nodiscard]] std::string_view observe_name(Observe observe);
[[nodiscard]] std::optional<Network> parse_network(std::string_view name);
[[nodiscard]] std::optional<Git> parse_git(std::string_view name);
[[nodiscard]] std::optional<Observe> parse_observe(std::string_view name);
[[nodiscard]] bool is_profile(std::string_view name);

// "tools whose names the command line takes for itself": plan, doctor, learn, drift, run.
[[nodiscard]] bool is_reserved_tool_name(std::string_view name);

}  // namespace ethos::sandbox
