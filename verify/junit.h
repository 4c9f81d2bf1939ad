// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "verify/report_json.h"

namespace ethos::verify {

// The answers as JUnit XML: a test case a verdict, assertion, SARIF file and report. What is false is a failure,
// what could not be judged an error, what is not there at all is skipped.
bool write_junit(std::ostream& out, const AuditReport& report, const ReportContext& context);

}  // namespace ethos::verify
