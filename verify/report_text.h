// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "verify/report_json.h"

namespace ethos::verify {

// The verdict table, the first bad record and what it means, and what is left to say; for people.
void write_text(std::ostream& out, const AuditReport& report, const ReportContext& context);

// `--explain CODE`.
void explain(std::ostream& out, const CodeInfo& info);

// One line a code.
void list_codes(std::ostream& out);

}  // namespace ethos::verify
