// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "verify/report_json.h"
#include "verify/session_inputs.h"

namespace ethos::verify {

// Everything that belongs into an audit file: when and how the program was called, the digests of what it was
// given, the whole answer, every kept problem with its meaning, the checkpoint's text, and what stays open.
bool write_transcript(std::ostream& out, const SessionOptions& options, const AuditReport& report,
                      const ReportContext& context, Spool& runs);

}  // namespace ethos::verify
