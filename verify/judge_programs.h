// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "verify/documents.h"
#include "verify/judge_cache.h"
#include "verify/recompute.h"
#include "verify/run.h"

namespace ethos::verify {

// The programs of a run that ended (events.md E-16, E-21): what was started could be started in
// that cage. `programs`: the text of `execs.list`, canonical.
void judge_programs(const RunEvidence& run, const Policy& policy, std::string_view programs,
                    RunReport& report);

// `exe` of a run that told an exit status lies where the plan lets a program be executed.
void judge_measured(const RunEvidence& run, const Policy& policy, DocumentReader& reader,
                    RunReport& report);

}  // namespace ethos::verify
