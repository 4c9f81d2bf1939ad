// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/export/run_story.h"
#include "ledger/record/checkpoint.h"

namespace ethos::ledger {

// in-toto Statements v1 about a run that ended (docs/formats/export.md, section 1), as JSON text.
// `head` is the checkpoint that covers its records.
std::string runtime_trace_statement(const RunStory& story, const record::Checkpoint& head);
std::string test_result_statement(const RunStory& story, const record::Checkpoint& head);

}  // namespace ethos::ledger
