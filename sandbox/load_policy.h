// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/ceiling.h"
#include "sandbox/declaration.h"
#include "sandbox/grants.h"
#include "sandbox/narrow.h"
#include "sandbox/normal.h"
#include "sandbox/workspace.h"

// Finds the declaration and the ceilings that apply, and says where they came from.
namespace ethos::sandbox {

struct PolicyRequest {
  std::optional<std::string> tool;  // absent: ad hoc
  std::string program;              // ad hoc: first word of the command
  GrantOptions options;
  std::optional<std::string> config;           // --config
  std::optional<std::string> config_revision;  // --config-rev
  std::optional<std::string> ceiling;          // --ceiling
  bool is_made_up = false;                     // `config` is what `learn` tries
  std::string host_ceiling = "/etc/ethos/ceiling.json";
  bool is_host_ceiling_required = false;
};

struct Policy {
  std::string tool;
  Origin origin = Origin::options;
  std::optional<std::string> source;           // exact bytes of the declaration
  std::string source_name;                     // for people: its path, "catalog", "REV:ethos.json"
  std::optional<std::string> source_revision;  // origin `revision`: the commit's full hash
  std::vector<std::string> files;              // absolute paths of the files that were read
  std::vector<Ceiling> ceilings;
  std::vector<std::string> decision_keys;  // of the host's ceiling
  std::optional<ToolDeclaration> declaration;
  std::optional<Normal> normal;
  // What refuses the run already: a malformed declaration or ceiling (rules `declaration`,
  // `ceiling`). Then `normal` is absent.
  std::optional<Refusal> refusal;
};

// An error means that the program was called wrongly (no such file, no such tool, an option that
// widens): exit 125. A refusal inside the result means that the run is denied: exit 120.
[[nodiscard]] base::Result<Policy> load_policy(const Workspace& workspace,
                                               const PolicyRequest& request);

// The shipped declarations, one document (sandbox/catalog/).
[[nodiscard]] std::string_view catalog_text();

}  // namespace ethos::sandbox
