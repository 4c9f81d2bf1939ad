// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>

#include "verify/attestation.h"
#include "verify/session.h"
#include "verify/session_inputs.h"

namespace ethos::verify {

// What is to be attested, and with which key.
struct AttestationPlan {
  StatementType type = StatementType::svr;
  std::optional<StatementKey> key;
};

// Reads the key and looks at the options, before anything is verified. 0, or the exit status after a line on `err`.
int prepare_outputs(const SessionOptions& options, AttestationPlan& plan, std::ostream& err);

// The files that were asked for: JUnit, transcript, statement. 0, or the exit status after a line on `err`.
int write_outputs(const SessionOptions& options, const SessionInputs& inputs, const AttestationPlan& plan, const AuditReport& report,
                  const ReportContext& context, Spool& runs, std::ostream& err);

}  // namespace ethos::verify
