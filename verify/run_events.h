// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/problem.h"
#include "verify/record.h"
#include "verify/run.h"

namespace ethos::verify {

// Of a limit that was reached: counts it, and holds it against the grant (events.md E-14).
void check_limit(const Envelope& e, RunEvidence& run, Findings& findings);
// One a stream, and not whole only beyond its limit.
void check_output(const Envelope& e, RunEvidence& run, Findings& findings);
// What was brought out lies within the write grant it names, and that was granted.
void check_artifact(const Envelope& e, const PathOpener& open, RunEvidence& run, Findings& findings);
// The kernel's audit told it, so that must have been a live source of the run (events.md E-11).
void check_audit(const Envelope& e, RunEvidence& run, Findings& findings);
// Of one digest, whatever run brought it out, there is one size.
void check_size(const Envelope& e, DigestSizes& sizes, RunEvidence& run, Findings& findings);
// What the writer adds last has one order: places that were not hidden, output, files, programs
// that were not listed, the end.
void check_stage(const Envelope& e, RunEvidence& run, Findings& findings);
// Counts what was lost.
void count_gap(const Envelope& e, RunEvidence& run, Findings& findings);

}  // namespace ethos::verify
