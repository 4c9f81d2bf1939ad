// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/json_value.h"

// What nobody may exceed: docs/formats/declaration.md, "Ceiling".
namespace ethos::sandbox {

struct Ceiling {
  std::string name;
  // Absent: this ceiling does not restrict it. Paths in normal form, sorted and unique.
  std::optional<std::vector<std::string>> read;
  std::optional<std::vector<std::string>> write;
  std::optional<std::vector<std::string>> exec;
  std::optional<std::vector<std::string>> network;
  std::optional<std::vector<std::string>> git;
  std::optional<std::vector<std::string>> profiles;
  std::optional<std::vector<std::string>> env_deny;
  std::optional<std::map<std::string, std::uint64_t>> limits;  // normal name -> highest value
  // Not part of the canonical form: they say whom to trust, not what is allowed.
  std::vector<std::string> pinned;         // "sha256:..." of declaration files
  std::vector<std::string> decision_keys;  // base64 of Ed25519 public keys that may sign decisions
};

// Errc::malformed or too_large; `what` names line and column.
[[nodiscard]] base::Result<Ceiling> parse_ceiling(std::string_view text);

// The built-in ceiling of everything that comes from a workspace, the catalog or options (D-15).
[[nodiscard]] const Ceiling& workspace_ceiling();

// N-12: the object whose bytes are digested, and which the normal form carries.
[[nodiscard]] Json encode_ceiling(const Ceiling& ceiling);

// D-13: '*' stands for any bytes; case does not count.
[[nodiscard]] bool matches_env_pattern(std::string_view pattern, std::string_view name);

}  // namespace ethos::sandbox
