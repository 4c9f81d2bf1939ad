// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verify/anchors.h"
#include "verify/checkpoint.h"
#include "verify/clock_steps.h"
#include "verify/documents.h"
#include "verify/epochs.h"
#include "verify/judge.h"
#include "verify/kept_list.h"
#include "verify/known_states.h"
#include "verify/pin.h"
#include "verify/problem.h"
#include "verify/pruned.h"
#include "verify/run.h"
#include "verify/source.h"
#include "verify/zone.h"

namespace ethos::verify {

enum class Outcome { pass, fail, incomplete, unknown, none };
std::string_view outcome_name(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::unknown;
  std::uint64_t checked = 0;
  std::string text;
};

struct AuditCounts {
  std::uint64_t records = 0;
  std::uint64_t runs = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t signatures = 0;
  std::uint64_t grants = 0;
  std::uint64_t denials = 0;
  std::uint64_t commitments = 0;  // that the records name
  std::uint64_t disclosures = 0;
  std::uint64_t blobs = 0;
  std::uint64_t open_runs = 0;
  std::uint64_t aborted_runs = 0;
  std::uint64_t late_runs = 0;  // whose beginning is not in the bundle
  std::uint64_t runs_recomputed = 0;
};

struct AuditReport;

struct AuditOptions {
  std::optional<Pin> pin;
  DocumentBudget documents;
  std::optional<unsigned> extra_threads;  // nothing: what the processors suggest
  // How many assertions, SARIF files and reports are to be held against it.
  std::uint64_t statements = 0;
  bool has_memory = false;  // --memory was given, whatever it held
  std::int64_t now_ms = 0;  // the reader's clock; 0: not known
  Zone zone = {};           // of the times in sentences
  // Of time stamp authorities; tokens of others are unknown.
  std::vector<Certificate> tsa_roots;
  // In ascending order of sizes; of the pin's `min` and of the memory. audit() fills in the answers.
  std::vector<KnownState>* known = nullptr;
  // Each checkpoint whose text could be read, in order; signatures by unknown keys included.
  std::function<void(const Checkpoint&, const Note&, Findings&)> on_checkpoint;
  // Whether on_run will look at what this run could do (RunJudgement::effective).
  std::function<bool(const RunEvidence&)> wants_effective;
  // And at what it used and left.
  std::function<bool(const RunEvidence&)> wants_used;
  // And whether it will look at the grants themselves, opened.
  bool wants_grants = false;
  // Seen once for each run, at its end; the auditor keeps none.
  std::function<void(const RunEvidence&, const RunJudgement&)> on_run;
  std::function<void(const std::string& run, const SarifMoment&, const Value& body)> on_sarif;
  // After the last record and before the verdicts are drawn; with all epoch keys of the ledger.
  std::function<void(EvidenceSource&, const std::vector<Vkey>& keys, const AuditReport& so_far, Findings&)> on_finish;
  // Of a proof of one record (tlog_proof.h), instead of on_finish.
  std::function<void(Findings&)> on_proof;
  // Asked after on_finish.
  std::function<std::optional<TimeAnchor>()> anchor;
  // done and expected records; called now and then.
  std::function<void(std::uint64_t, std::uint64_t)> on_progress;
};

// Committed values of one kind that are not here, as the format allows.
struct WithheldKind {
  std::string kind;
  std::uint64_t count = 0;
  std::vector<std::int64_t> records;  // the first that name one
};

struct AuditReport {
  Findings findings;
  std::array<Verdict, kVerdicts> verdicts;
  AuditCounts counts;
  std::string origin;
  std::optional<Checkpoint> checkpoint;  // the last one
  std::string checkpoint_note;
  std::string how;  // how the input was read
  std::vector<KnownState> known;
  Pruned pruned;
  StateMarks marks;  // of the last checkpoint, as far as they can be told
  // Of a bundle of later records: the time of its first one. Runs that began before are not judged.
  std::optional<std::int64_t> begins_ms;
  std::int64_t begins_seq = 0;  // its number; 0: all records are here
  AnchorSummary anchors;
  ClockSteps clock;
  std::vector<WithheldKind> withheld;
  bool is_bundle = false;  // what is not here was left out of it, as far as the ledger kept it
  std::int64_t last_record_ms = -1;            // by the host's clock; -1: no record's time could be read
  std::uint64_t other_signatures = 0;          // lines under checkpoints that are by no key of the ledger
  std::string other_signer;                    // the name in the first of them
  std::uint64_t keys = 0;                      // epoch keys that signed one after the other
  std::vector<EpochBook::Change> key_changes;  // where the later ones begin
  EvidenceSource::Coverage coverage = EvidenceSource::Coverage::whole;

  [[nodiscard]] const Verdict& verdict(VerdictName name) const {
    return verdicts[static_cast<std::size_t>(name)];
  }
};

// Reads all evidence once, front to back, and answers each question by itself. `source` null: the
// container was refused already, `findings` says why.
AuditReport audit(EvidenceSource* source, Findings findings, const AuditOptions& options);

// The one exit status that the verdicts give (verdict.md V-2).
int exit_status(const AuditReport& report);
// The same without what was stated of its runs: does the evidence itself hold?
int evidence_status(const AuditReport& report);

}  // namespace ethos::verify
