// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/documents.h"
#include "verify/problem.h"
#include "verify/run.h"

namespace ethos::verify {

// run.close against the run's other records: its figures, the limit or the denials that its status
// speaks of, its cage, and the programs it lists (events.md E-8, E-14 to E-16).
// Returns the list of started programs, when there is a good one.
std::optional<std::string> check_end(RunEvidence& run, DocumentReader& reader, Findings& findings);

}  // namespace ethos::verify
