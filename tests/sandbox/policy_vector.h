// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/facts.h"
#include "sandbox/json_value.h"
#include "sandbox/jsonc.h"

// Reads tests/data/policy/*.json (its README.md says what is in them).
namespace ethos::support {

struct PolicyVector {
  std::string file;
  std::string about;
  std::string workspace;
  std::string declaration;
  std::string tool;
  std::string origin;
  std::vector<std::string> ceilings;
  std::optional<sandbox::Facts> facts;
  sandbox::Json inputs;               // the members above, to write them again
  std::optional<std::string> normal;  // ethos-json/1 bytes
  std::optional<std::string> grants;
  std::optional<std::string> plan;
  std::optional<std::string> refusal;
};

std::vector<PolicyVector> read_policy_vectors(const std::string& directory);
void write_policy_vector(const std::string& directory, const PolicyVector& vector);

sandbox::Json to_json(const sandbox::JsonNode& node);
sandbox::Facts facts_from_json(const sandbox::JsonNode& node);

}  // namespace ethos::support
