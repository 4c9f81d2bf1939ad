// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "verify/audit.h"
#include "verify/json.h"
#include "verify/named_digest.h"
#include "verify/spool.h"
#include "verify/zone.h"

namespace ethos::verify {

// The days that were asked about.
struct AskedPeriod {
  std::string days;  // as given
  std::int64_t from_ms = 0;
  std::int64_t until_ms = 0;  // exclusive
  std::uint64_t runs = 0;     // that began in them
  std::uint64_t after_step = 0;  // of those: after the host's clock was set
  std::uint64_t dated_back = 0;  // of those: dated before records that came earlier
  std::uint64_t open = 0;        // of those: without an end
  std::uint64_t aborted = 0;
  std::int64_t from_record = 0;  // of a bundle of later records: its first one
};

// What a report says beside the audit itself.
struct ReportContext {
  std::string input_kind;
  std::string input_path;
  bool is_input_from_environment = false;
  const Pin* pin = nullptr;
  std::string pin_path;
  std::vector<NamedDigest> digests;   // of every file that was read, the evidence first
  std::optional<AskedPeriod> period;  // none: all runs were judged
  Zone zone;                          // of the times that are shown
  std::string zone_name = "UTC";
  std::string at;                     // of --at
  bool is_min_left_out = false;       // --no-min
  std::int64_t now_ms = 0;            // the reader's clock
  std::string run;                    // of --run, as given
  bool run_was_found = false;
  int exit = 0;
  Value sarif = Value::array();       // one entry a file (verdict.md V-7)
  Value assertions = Value::array();
  Value reports = Value::array();     // one a --report (V-10)
  Value shown = Value::array();       // of --show
  Value run_known;                    // of --run: since when it was there (V-11)
  Value witnesses;                    // of --policy (V-12)
  Value memory;                       // of --memory: whether this state is remembered (V-24)
  Value since_visit;                  // of --memory: what came since the last visit (V-24)
};

// `ethos-verdict/1` (verdict.md). `runs` holds the objects of the array, joined by commas.
bool write_json(std::ostream& out, const AuditReport& report, const ReportContext& context, Spool& runs);

Value verdict_json(VerdictName name, const Verdict& verdict);
// null without a period.
Value period_json(const ReportContext& context);
Value digests_json(const ReportContext& context);
Value problem_json(const Problem& problem);
// One element of `runs`.
Value run_json(const RunEvidence& run, const RunJudgement& judgement);

}  // namespace ethos::verify
