// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/grants.h"
#include "sandbox/record_bodies.h"

// The control plane's decision that allowed a run: docs/formats/decision.md.
namespace ethos::sandbox {

struct Decision {
  DecisionFact fact;
  std::optional<Refusal> refusal;  // it does not allow this run
};

struct DecisionInput {
  std::string_view document;
  std::vector<std::string> trusted_keys;  // base64 of Ed25519 public keys
  std::string_view tool;
  std::vector<std::string> argv;
  std::int64_t now_ms = 0;  // wall clock
};

// Errc::malformed or too_large: it is no decision at all.
[[nodiscard]] base::Result<Decision> read_decision(const DecisionInput& input);

}  // namespace ethos::sandbox
