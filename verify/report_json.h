// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "verify/audit.h"
#include "verify/json.h"
#include "verify/spool.h"

namespace ethos::verify {

// What a report says beside the audit itself.
struct ReportContext {
  std::string input_kind;
  std::string input_path;
  const Pin* pin = nullptr;
  std::string pin_path;
  int exit = 0;
  Value sarif = Value::array();       // one entry a file (verdict.md V-7)
  Value assertions = Value::array();
  Value reports = Value::array();     // one a --report (V-10)
  Value run_known;                    // of --run: since when it was there (V-11)
  Value witnesses;                    // of --policy (V-12)
};

// `ethos-verdict/1` (verdict.md). `runs` holds the objects of the array, joined by commas.
bool write_json(std::ostream& out, const AuditReport& report, const ReportContext& context, Spool& runs);

Value problem_json(const Problem& problem);
// One element of `runs`.
Value run_json(const RunEvidence& run, const RunJudgement& judgement);

}  // namespace ethos::verify
