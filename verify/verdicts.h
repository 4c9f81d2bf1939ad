// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "verify/audit.h"

namespace ethos::verify {

// What the verdicts depend on beside the findings and the counts.
struct VerdictInput {
  bool has_pin = false;
  bool is_run = false;  // a bundle of one run
  std::uint64_t runs_unknown = 0;
  std::uint64_t commitments = 0;
  std::uint64_t opened = 0;
  std::uint64_t erased = 0;
  std::uint64_t withheld = 0;
  std::optional<TimeAnchor> anchor;
  std::uint64_t statements = 0;
  bool has_memory = false;
  Zone zone = {};
};

// Fills the verdicts (verdict.md V-1). Nothing checked is never a pass.
void draw_verdicts(AuditReport& report, const VerdictInput& input);

}  // namespace ethos::verify
