// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "verify/report_json.h"

namespace ethos::verify {

// The verdict table, the first bad record and what it means, the runs, and what is left to say; for
// people. `runs` holds what run_line or run_words gave. False: the output failed.
bool write_text(std::ostream& out, const AuditReport& report, const ReportContext& context, Spool& runs);

// One run in one line, and in full sentences.
std::string run_line(const RunEvidence& run, const RunJudgement& judgement, const Zone& zone);
std::string run_words(const RunEvidence& run, const RunJudgement& judgement, const Zone& zone);

// `fail`, `unknown` and so on.
std::string_view severity_name(Severity severity);

// `--explain CODE`.
void explain(std::ostream& out, const CodeInfo& info);

// One line a code.
void list_codes(std::ostream& out);

}  // namespace ethos::verify
