// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/documents.h"
#include "verify/effective.h"
#include "verify/recompute.h"
#include "verify/problem.h"
#include "verify/run.h"
#include "verify/used.h"

namespace ethos::verify {

// What became of recomputing a run's grants.
enum class RunPolicy { pass, fail, unknown };

struct RunJudgement {
  RunPolicy policy = RunPolicy::unknown;
  std::string why;       // when unknown: what was missing
  std::optional<Effective> effective;  // when it was asked for (AuditOptions::wants_effective)
  std::optional<Used> used;            // likewise (wants_used)
  std::vector<Value> grants;           // likewise (wants_grants): what is committed in them opened, where it is disclosed
  std::vector<std::string> command;    // likewise (wants_grants): of the declaration; empty where that is not disclosed
};

std::vector<Value> opened_grants(const RunEvidence& run, DocumentReader& reader);

// Judges one run at its end: order and counts, normal from the declaration, grants from normal and
// facts, the plan from those, and what the kernel showed against the plan. Problems go to the run
// and to `findings`.
RunJudgement judge_run(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, Findings& findings);

}  // namespace ethos::verify
