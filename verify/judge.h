// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verify/documents.h"
#include "verify/effective.h"
#include "verify/problem.h"
#include "verify/run.h"

namespace ethos::verify {

// What became of recomputing a run's grants.
enum class RunPolicy { pass, fail, unknown };

struct RunJudgement {
  RunPolicy policy = RunPolicy::unknown;
  std::string why;       // when unknown: what was missing
  Effective effective;
};

// What was found for one run and holds for the next: most runs share their filter.
class JudgeCache {
 public:
  // "" when the program of that digest stops what one of that name must; else what it does not.
  const std::string& filter_fault(const std::string& digest, const std::string& program, const std::string& name);

 private:
  std::map<std::pair<std::string, std::string>, std::string> filters_;
};

// Judges one run at its end: order and counts, normal from the declaration, grants from normal and
// facts, the plan from those, and what the kernel showed against the plan. Problems go to the run
// and to `findings`.
RunJudgement judge_run(RunEvidence& run, DocumentReader& reader, JudgeCache& cache, Findings& findings);

}  // namespace ethos::verify
