// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/documents.h"
#include "verify/judge_cache.h"
#include "verify/recompute.h"
#include "verify/run.h"

namespace ethos::verify {

// Before the names of a run that brings out very many files are let go: they are judged by what its
// rules and facts say now. Whether these are right is found at the run's end.
void judge_artifacts_so_far(RunEvidence& run, DocumentReader& reader, JudgeCache& cache,
                            Findings& findings);
// At the end, by the policy that was recomputed; null when there is none.
void judge_artifacts(RunEvidence& run, const Policy* policy, JudgeCache& cache, RunReport& report);

}  // namespace ethos::verify
