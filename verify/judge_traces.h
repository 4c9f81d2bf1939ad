// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/problem.h"
#include "verify/run.h"

namespace ethos::verify {

// What the records of a run say of how it ended, held against run.close (events.md E-22): who ended
// it, what it wrote, what it used, and how long it took.
void judge_traces(RunEvidence& run, Findings& findings);

}  // namespace ethos::verify
