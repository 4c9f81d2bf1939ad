// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "reports/ledger_file.h"
#include "reports/model.h"

namespace ethos::reports {

// What a report is asked for. Texts are as given; nothing here is trusted.
struct Request {
  std::string ledger;  // or the bundle
  bool is_bundle = false;
  std::string pin;  // file; empty only with `unverified`
  // The state to report on: so many records, 0 for all. `checkpoint`: the signed note over them;
  // empty for the one that the ledger kept.
  std::int64_t at = 0;
  std::string checkpoint;
  std::string verifier;  // path of ethos-verify
  // Digest of the program that gave the verdict when a report is made again, as its manifest says;
  // absent: of `verifier`.
  std::optional<std::string> verifier_digest;
  std::optional<std::string> generator_digest;
  // The same of the versions of both programs; empty: this program's and the verifier's own. A
  // report is made again in the words of its time, and what made it again is said beside it.
  std::string generator, verifier_version;
  Period period;
  Zone zone;
  std::string tzdata;
  std::string title, organisation;
  ControlMap control_map;
  GrantPoint from, to;   // whose grants are compared
  std::string baseline;  // bundle of another ledger whose grants are those of `from`; or empty
  std::string baseline_pin;
  std::optional<Redaction> redaction;
  std::int64_t sample = 0;  // runs to draw, 0 for none
  std::string seed;
  std::string shaping;      // options that shape the bytes, for the commands printed in the report
  bool arguments = false;   // show command lines
  bool unverified = false;  // report even when verification does not pass, and say so everywhere
};

// Why there is no report: the exit status and one line.
struct Refusal {
  int status = 3;
  std::string text;
};

// Runs the verifier, reads exactly the records it accepted, and builds the model. The leaf hashes
// of what was read must give the root the verifier accepted, so a file that changes in between is
// not reported on. `refusal` is filled when there is no model.
bool build_model(const Request& request, Model& model, Refusal& refusal);

// The pair of a request with a redaction policy: the full model and the redacted one of the same
// records, verified once. Each knows the digest of the other's content.
bool build_pair(const Request& request, Model& full, Model& redacted, Refusal& refusal);

// Only what stands at the two points: no run is kept. For a comparison of grants alone.
bool build_comparison(const Request& request, Model& model, Refusal& refusal);

// Only the first step: the verdict, its judgement, and what the model says of its source.
bool accept_ledger(const Request& request, Model& model, Refusal& refusal);

// "ethos-report VERSION", of this build or as the request says.
std::string generator_of(const Request& request);

// "sha256:..." of a file that can be run; empty when it cannot be read or is too large.
std::string program_digest(const std::string& path);

// Whether a report may call itself verified; the reason when not. Completeness may be incomplete (a
// run that still goes on), a ledger behind its pin may not.
std::string unverified_reason(const Verdict& verdict);

// The verdict and the records, without a process: for build_model and for tests.
struct Totals {
  std::int64_t records = 0;
  std::string root_base64;
};
base::Result<Totals> read_into(const std::string& ledger, std::int64_t size, Model& model);

// The records of the request's ledger or bundle up to `size`.
base::Result<std::int64_t> read_records(const Request& request, std::int64_t size,
                                        const RecordSink& sink, const DroppedSink& dropped = {});

}  // namespace ethos::reports
