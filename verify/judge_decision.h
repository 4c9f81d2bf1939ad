// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/documents.h"
#include "verify/recompute.h"
#include "verify/run.h"

namespace ethos::verify {

// Holds what run.open says of a control plane's decision against the document itself, and that
// against the run (decision.md). Who signed it is not known here: the keys are the host's. `argv`:
// of the run, when it is disclosed.
void judge_decision(const RunEvidence& run, DocumentReader& reader, RunReport& report);

}  // namespace ethos::verify
