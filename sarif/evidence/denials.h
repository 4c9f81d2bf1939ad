// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sarif/evidence/evidence.h"
#include "sarif/model.h"
#include "sarif/source_files.h"

namespace ethos::sarif {

inline constexpr const char* kDenialRuleId = "runtime.sandbox_denial";

// The descriptor of rule runtime.sandbox_denial.
[[nodiscard]] Rule denial_rule();

// One finding for each runtime.sandbox_denial and resource.limit record, in record order
// (docs/formats/sarif-property.md, rules SD-*). Finding::rule is left for the caller to set;
// places are already URIs. `sources` decides whether a denied path is a file of the repository;
// without sources every workspace path outside .git counts as one.
[[nodiscard]] std::vector<Finding> denial_findings(const Evidence& evidence, SourceFiles* sources);

}  // namespace ethos::sarif
