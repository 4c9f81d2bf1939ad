// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/ceiling.h"
#include "sandbox/declaration.h"
#include "sandbox/json_value.h"

// Declaration + profile + ceilings with every default written out: docs/formats/plan.md, "Normal".
namespace ethos::sandbox {

enum class Origin { options, workspace, catalog, pinned, revision, learn };
[[nodiscard]] std::string_view origin_name(Origin origin);

// The entries of `exec` that are no paths.
inline constexpr std::string_view kExecMemory = "@memory";
inline constexpr std::string_view kExecScratch = "@scratch";

struct Normal {
  std::string tool;
  Origin origin = Origin::workspace;
  std::string profile;
  std::string isolation;  // the key `class`
  std::string args;
  std::string on_output_limit;
  std::optional<std::string> output_format;
  std::vector<std::string> command;
  std::vector<PathEntry> read;  // paths in normal form, sorted, unique
  std::vector<PathEntry> write;
  std::vector<PathEntry> exec;
  std::vector<std::string> hide;  // full form, sorted, unique
  std::vector<EnvEntry> env;      // sorted by name
  std::map<std::string, std::uint64_t> limits;
  std::map<std::string, std::vector<Enforcer>> enforce;  // one a limit
  Network network = Network::none;
  Git git = Git::none;
  Observe observe = Observe::writes;
  std::vector<Ceiling> ceilings;  // in the order applied
  // Keys that options on the command line made narrower than the declaration; sorted, unique.
  std::vector<std::string> narrowed;

  [[nodiscard]] bool may_exec(std::string_view special) const;
};

// `workspace` is its absolute path. Errc::malformed when a text is not UTF-8 (possible for options
// only) or when enforce names a limit that has no value.
[[nodiscard]] base::Result<Normal> build_normal(const ToolDeclaration& tool, Origin origin,
                                                const std::vector<Ceiling>& ceilings,
                                                std::string_view workspace);

[[nodiscard]] Json encode_normal(const Normal& normal);

}  // namespace ethos::sandbox
