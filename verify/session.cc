// SPDX-License-Identifier: Apache-2.0
#include "verify/session.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "verify/assertion.h"
#include "verify/assertion_report.h"
#include "verify/audit.h"
#include "verify/commands.h"
#include "verify/encoding.h"
#include "verify/evidence_digest.h"
#include "verify/input.h"
#include "verify/memory.h"
#include "verify/output_guard.h"
#include "verify/report_json.h"
#include "verify/report_text.h"
#include "verify/run_known.h"
#include "verify/sarif_check.h"
#include "verify/session_inputs.h"
#include "verify/session_outputs.h"
#include "verify/show_record.h"
#include "verify/snapshot.h"
#include "verify/stdin_file.h"
#include "verify/times.h"
#include "verify/tlog_proof.h"
#include "verify/trust_policy.h"
#include "verify/visits.h"

namespace ethos::verify {
namespace {

// Tells how far the work is, on one line that is overwritten.
class Progress {
 public:
  Progress(std::ostream& err, bool wanted) : err_(err), wanted_(wanted) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::uint64_t done, std::uint64_t expected) {
    if (!wanted_ || done < next_) return;
    next_ = done + 50'000;
    err_ << "\r  " << done;
    if (expected > 0) err_ << " of " << expected;
    err_ << " records " << std::flush;
    shown_ = true;
  }
  void clear() {
    if (shown_) err_ << "\r" << std::string(60, ' ') << "\r" << std::flush;
    shown_ = false;
  }

 private:
  std::ostream& err_;
  bool wanted_;
  bool shown_ = false;
  std::uint64_t next_ = 50'000;
};

class Session {
 public:
  Session(const SessionOptions& options, std::ostream& out, std::ostream& err) : options_(options), out_(out), err_(err) {}

  int run() {
    if (const int status = prepare(); status != 0) return status;
    return is_tlog_proof(input_) ? run_proof() : run_evidence();
  }

 private:
  [[nodiscard]] std::optional<std::string> find_clash() const {
    std::vector<std::string> inputs{options_.input, options_.pin, options_.at, options_.policy, options_.tsa_roots, options_.attest_key};
    for (const auto* more : {&options_.records, &options_.sarif, &options_.reports}) inputs.insert(inputs.end(), more->begin(), more->end());
    inputs.insert(inputs.end(), inputs_.grant_files.begin(), inputs_.grant_files.end());
    return output_clash({{"--memory", options_.memory}, {"--junit", options_.junit}, {"--transcript", options_.transcript}, {"--attest", options_.attest}}, inputs);
  }

  // Everything that can be wrong with the command line is found before the ledger is opened.
  int prepare() {
    if (const auto clash = find_clash()) return complain(err_, exit_usage, *clash);
    if (const int status = read_inputs(options_, inputs_, err_); status != 0) return status;
    // Once more: assertions name files of their own.
    if (const auto clash = find_clash()) return complain(err_, exit_usage, *clash);
    if (const int status = prepare_outputs(options_, attestation_, err_); status != 0) return status;
    input_ = options_.input;
    if (input_ == "-") {
      auto spooled = spool_stdin();
      if (!spooled) return complain(err_, exit_unverifiable, spooled.error().what);
      spooled_ = *std::move(spooled);
      input_ = spooled_->path;
    }
    audit_.pin = inputs_.pin;
    audit_.extra_threads = options_.extra_threads;
    audit_.tsa_roots = inputs_.tsa_roots;
    for (auto& [name, file] : inputs_.sarif) sarif_.add(name, std::move(file));
    for (const auto& [name, claims] : inputs_.reports) {
      inputs_.known.push_back({.size = claims.size, .root = claims.root, .from = KnownState::From::report});
    }
    std::stable_sort(inputs_.known.begin(), inputs_.known.end(), [](const KnownState& x, const KnownState& y) { return x.size < y.size; });
    audit_.known = &inputs_.known;
    audit_.has_memory = !options_.memory.empty();
    audit_.now_ms = options_.now_ms;
    audit_.zone = inputs_.zone;
    since_visit_.start(inputs_.known, inputs_.prefix ? std::optional(static_cast<std::uint64_t>(inputs_.prefix->size)) : std::nullopt);
    audit_.statements = inputs_.assertions.size() + inputs_.sarif.size() + inputs_.reports.size();
    if (inputs_.policy) {
      witnesses_.emplace(*inputs_.policy);
      audit_.on_checkpoint = [this](const Checkpoint& checkpoint, const Note& note, Findings& findings) { witnesses_->on_checkpoint(checkpoint, note, findings); };
      audit_.on_proof = [this](Findings& findings) { witnesses_->finish(findings); };
      audit_.anchor = [this] { return witnesses_->anchor(inputs_.zone); };
    }
    return 0;
  }

  int run_proof() {
    const bool runs_asked = !options_.run.empty() || !options_.assertions.empty() || !options_.sarif.empty() || !options_.reports.empty() || !options_.period.empty() || !options_.at.empty() || !options_.show.empty();
    if (runs_asked) return complain(err_, exit_usage, "a proof of one record says nothing of runs: --run, --show, --assert, --sarif, --report, --period and --at need a ledger or bundle");
    context_.input_kind = "proof";
    const auto bytes = read_file(input_, kMaxProof);
    if (!bytes) return complain(err_, exit_unverifiable, bytes.error().what);
    const auto proof = parse_tlog_proof(*bytes);
    if (!proof) {
      findings_.add({.code = Code::proof_malformed, .text = proof.error().what});
      return tell(audit(nullptr, std::move(findings_), audit_));
    }
    return tell(audit_proof(*proof, inputs_.records, inputs_.policy ? inputs_.policy->logs : std::vector<Vkey>{}, audit_));
  }

  int run_evidence() {
    if (!inputs_.records.empty()) return complain(err_, exit_usage, "--record is for a proof of one record");
    auto source = open_input(input_, context_.input_kind, findings_);
    if (source && *source && inputs_.prefix) source = open_prefix(*std::move(source), *inputs_.prefix);
    // What is not there was not judged: the call is wrong.
    if (!source) return complain(err_, source.error().code == Errc::not_found ? exit_usage : exit_unverifiable, options_.input + ": " + source.error().what);
    Progress progress(err_, options_.progress);
    audit_.on_progress = [&](std::uint64_t done, std::uint64_t expected) { progress.show(done, expected); };
    audit_.wants_effective = [this](const RunEvidence& run) { return (in_period(run) && !inputs_.assertions.empty()) || shows(run); };
    audit_.wants_used = [this](const RunEvidence& run) { return shows(run) && !options_.bad_runs && (options_.json || in_words()); };
    audit_.wants_grants = !inputs_.grant_files.empty();
    audit_.on_run = [this](const RunEvidence& run, const RunJudgement& judgement) { on_run(run, judgement); };
    audit_.on_sarif = [this](const std::string& run, const SarifMoment& moment, const Value& body) {
      since_visit_.on_sarif(moment);
      sarif_.on_sarif_written(run, body, moment.late);
      if (run == asked_.id && !moment.late.empty()) asked_.sarif_late = "record " + std::to_string(moment.seq) + ", which names its SARIF file, may not be its own: " + moment.late;
    };
    audit_.on_finish = [this](EvidenceSource& evidence, const std::vector<Vkey>& keys, const AuditReport& report, Findings& findings) {
      on_finish(evidence, keys, report, findings);
    };
    const AuditReport report = audit(source->get(), std::move(findings_), audit_);
    progress.clear();
    if (!options_.run.empty() && chosen_ > 1) {
      return complain(err_, exit_usage, "--run " + options_.run + " fits " + std::to_string(chosen_) + " runs: give more of its characters");
    }
    return tell(report);
  }

  [[nodiscard]] bool in_period(const RunEvidence& run) const { return !inputs_.period || inputs_.period->holds(run.wall_ms); }
  // Is there a place where runs are told?
  [[nodiscard]] bool tells_runs() const { return options_.json || !options_.quiet || !options_.transcript.empty(); }
  [[nodiscard]] bool chosen(const RunEvidence& run) const {
    // Who asks for single records is not told of all runs again.
    if (!options_.show.empty() && !options_.json && !options_.all_runs && options_.run.empty() && options_.transcript.empty()) return false;
    return tells_runs() && (options_.run.empty() ? in_period(run) : run.id.starts_with(options_.run));
  }
  // Whether more of the run is told than that it is there.
  [[nodiscard]] bool shows(const RunEvidence& run) const {
    return chosen(run) && (options_.json || !options_.run.empty() || options_.all_runs || shown_ < kShortRuns);
  }

  void on_run(const RunEvidence& run, const RunJudgement& judgement) {
    since_visit_.on_run(run);
    sarif_.on_run_end(run.id, run.pieces, run.last_leaf, !run.has_foreign);
    if (in_period(run)) {
      ++in_period_;
      is_straddled_ = is_straddled_ || (run.is_straddled && options_.run.empty());
      after_step_ += run.is_after_step ? 1U : 0U;
      dated_back_in_period_ += run.dated_back.is_told() ? 1U : 0U;
      aborted_in_period_ += run.state == RunEvidence::State::aborted ? 1U : 0U;
      open_in_period_ += run.state != RunEvidence::State::aborted && run.state != RunEvidence::State::closed ? 1U : 0U;
      for (Assertion& assertion : inputs_.assertions) assertion.judge(run, judgement);
    }
    if (!options_.run.empty() && run.id.starts_with(options_.run)) {
      ++chosen_;
      is_straddled_ = is_straddled_ || run.is_straddled;
      asked_ = {run.id, std::string(run.state_name()), run.first_seq, run.last_seq, run.wall_ms, {}, false};
    }
    if (!chosen(run)) return;
    ++shown_;
    if (options_.json) {
      if (!options_.bad_runs || judgement.policy != RunPolicy::pass) {
        if (!runs_.empty()) runs_.add(",");
        runs_.add(encode_canonical(run_json(run, judgement)));
      }
      if (!options_.transcript.empty() && (in_words() || shown_ <= kShortRuns)) words_.add(text_of(run, judgement));
    } else if (in_words() || shown_ <= kShortRuns) {
      runs_.add(text_of(run, judgement));
    }
  }

  [[nodiscard]] bool in_words() const { return !options_.run.empty() || options_.all_runs; }
  [[nodiscard]] std::string text_of(const RunEvidence& run, const RunJudgement& judgement) const {
    return in_words() ? run_words(run, judgement, inputs_.zone) : run_line(run, judgement, inputs_.zone);
  }

  void on_finish(EvidenceSource& evidence, const std::vector<Vkey>& keys, const AuditReport& report, Findings& findings) {
    context_.sarif = sarif_.check(evidence, keys, findings);
    // What a dropped run did is not known: no statement over its time passes, and its period is no empty one.
    // Nor what is missing of one that goes on behind an order.
    is_pruned_ = report.pruned.records > 0 && (!inputs_.period || is_straddled_ || report.pruned.touches(inputs_.period->from_ms, inputs_.period->to_ms));
    if (is_pruned_ && (inputs_.period || !inputs_.assertions.empty() || !options_.run.empty())) tell_pruned(report.pruned, findings);
    for (const std::int64_t seq : options_.show) {
      Value shown = show_record(evidence, seq);
      if (shown.is_object()) {
        context_.shown.push(std::move(shown));
      } else {
        findings.add({.code = Code::run_unknown, .seq = seq, .text = "record " + std::to_string(seq) + " is not in this evidence, so it is not shown"});
      }
    }
    if (!options_.run.empty() && chosen_ == 0 && !is_pruned_) {
      findings.add({.code = Code::run_unknown, .expected = options_.run, .text = "run " + options_.run + " is not in this evidence: what was asked about it is not answered"});
    }
    if (inputs_.period && in_period_ == 0 && !is_pruned_) {
      findings.add({.code = Code::period_empty, .expected = options_.period, .text = "no run began in the period"});
    }
    const bool is_cut = is_cut_off(report);
    if (is_cut && (inputs_.period || !inputs_.assertions.empty())) tell_cut(report, findings);
    for (const Assertion& assertion : inputs_.assertions) context_.assertions.push(assertion_json(assertion, is_pruned_ || is_cut, findings));
    for (const auto& [name, claims] : inputs_.reports) {
      context_.reports.push(check_report(name, claims, input_, report, inputs_.pin ? &*inputs_.pin : nullptr, witnesses_.has_value(), findings));
    }
    if (witnesses_) witnesses_->finish(findings);
  }

  // Of a bundle of later records: may a run be meant that began before them? It is not judged, and who
  // made the bundle chose where it begins.
  [[nodiscard]] bool is_cut_off(const AuditReport& report) const {
    if (!report.begins_ms) return false;
    return inputs_.period ? inputs_.period->from_ms <= *report.begins_ms : report.counts.late_runs > 0;
  }

  void tell_cut(const AuditReport& report, Findings& findings) const {
    const std::string what = inputs_.period ? "the period begins before the records of this bundle" : "runs of this bundle began before its records";
    findings.add({.code = Code::assertion_unknown, .expected = inputs_.period ? options_.period : "", .found = zoned_text(*report.begins_ms, inputs_.zone),
                  .text = what + ": such runs are not judged, so nothing is said of all of them"});
  }

  // A run that is there is whole, unless it goes on behind an order; one that is not may be among the dropped.
  void tell_pruned(const Pruned& pruned, Findings& findings) const {
    if (!options_.run.empty() && chosen_ > 0 && !is_straddled_ && !inputs_.period && inputs_.assertions.empty()) return;
    findings.add({.code = Code::pruned, .seq = pruned.orders.empty() ? -1 : pruned.orders.back().seq, .text = pruned.words(inputs_.zone)});
  }

  // What was read and asked, as every answer has to say.
  int describe() {
    context_.zone = inputs_.zone;
    context_.zone_name = options_.zone;
    context_.at = options_.at;
    context_.is_min_left_out = options_.no_min;
    context_.now_ms = options_.now_ms;
    context_.run = options_.run;
    context_.is_input_from_environment = options_.is_input_from_environment;
    context_.run_was_found = chosen_ > 0;
    if (inputs_.period) context_.period = {options_.period, inputs_.period->from_ms, inputs_.period->to_ms, in_period_, after_step_, dated_back_in_period_, open_in_period_, aborted_in_period_, 0};
    const bool wanted = options_.json || !options_.junit.empty() || !options_.transcript.empty() || !options_.attest.empty();
    if (wanted) {
      auto evidence = evidence_digests(input_, context_.input_kind, options_.input);
      if (!evidence) return complain(err_, exit_unverifiable, evidence.error().what);
      context_.digests = *std::move(evidence);
    }
    context_.digests.insert(context_.digests.end(), inputs_.digests.begin(), inputs_.digests.end());
    return 0;
  }

  int tell(const AuditReport& report) {
    if (const int status = describe(); status != 0) return status;
    context_.input_path = options_.input;
    context_.pin = inputs_.pin ? &*inputs_.pin : nullptr;
    context_.pin_path = options_.pin;
    context_.exit = exit_status(report);
    if (context_.period) context_.period->from_record = report.begins_seq;
    if (witnesses_) context_.witnesses = witnesses_->json();
    if (!options_.run.empty() && chosen_ == 0) complain(err_, context_.exit, "run " + options_.run + " is not in this evidence");
    if (chosen_ == 1) {
      const std::vector<Pruned::Order>& orders = report.pruned.orders;
      asked_.is_behind_order = !orders.empty() && orders.front().seq < asked_.first_seq;
      context_.run_known = run_known(asked_, report.known, witnesses_ ? witnesses_->points() : std::vector<TimeAnchor>{}, report.anchors.points);
    }
    if (const int status = remember(report); status != 0) return status;
    Spool& text_runs = options_.json ? words_ : runs_;
    if (shown_ > kShortRuns && !in_words()) text_runs.add(options_.json && options_.transcript.empty() ? "" : "  ... and " + std::to_string(shown_ - kShortRuns) + " more (--runs shows all, in words)\n");
    if (const int status = write_outputs(options_, inputs_, attestation_, report, context_, text_runs, err_); status != 0) return status;
    bool written = true;
    if (options_.json) {
      written = write_json(out_, report, context_, runs_);
    } else if (!options_.quiet) {
      written = write_text(out_, report, context_, runs_);
    }
    return written ? context_.exit : complain(err_, exit_unverifiable, "the report could not be written");
  }

  // Only what was found whole and right, and is no step back, is remembered, whatever was asked of its runs.
  int remember(const AuditReport& report) {
    if (options_.memory.empty()) return 0;
    context_.since_visit = since_visit_.json(report.known, report.counts.records + report.pruned.records);
    context_.memory = Value::object();
    context_.memory.set("file", Value::of(printable(options_.memory, 4000)));
    if (const std::string why = why_not_remembered(report); !why.empty()) {
      context_.memory.set("state", Value::of("not_remembered")).set("why", Value::of(why));
      if (options_.quiet) complain(err_, 0, "--memory: NOT remembered, because " + why);
      return 0;
    }
    const auto done = Memory::remember(
        options_.memory, {report.origin, options_.now_ms, report.checkpoint_note,
                          report.checkpoint->size, report.checkpoint->root, report.marks});
    if (!done) return complain(err_, exit_unverifiable, "--memory: " + done.error().what);
    context_.memory.set("state", Value::of(done->is_added ? "remembered" : "known"));
    context_.memory.set("size", Value::of(static_cast<std::int64_t>(report.checkpoint->size)));
    context_.memory.set("at_ms", Value::of(done->at_ms)).set("new_file", Value::of(done->is_new_file)).set("was_empty", Value::of(done->was_empty));
    // Who sees no text would not see that nothing was compared: a mistyped name looks like a first visit.
    if ((options_.quiet || options_.json) && (done->is_new_file || done->was_empty))
      complain(err_, 0, "--memory " + options_.memory + (done->was_empty ? ": the file was empty" : ": the file was not there and is new") + ", so nothing was compared with an earlier visit");
    return 0;
  }

  [[nodiscard]] std::string why_not_remembered(const AuditReport& report) const {
    using Answer = KnownState::Answer;
    if (inputs_.prefix) return "--at asks for an earlier state, and only what is newest is remembered";
    if (!report.checkpoint) return "there is no checkpoint";
    for (std::size_t i = 0; i < kVerdicts; ++i) {
      const auto name = static_cast<VerdictName>(i);
      if (name != VerdictName::statements && report.verdict(name).outcome == Outcome::fail) return "the verdict " + std::string(verdict_name(name)) + " is fail";
    }
    for (const VerdictName name : {VerdictName::integrity, VerdictName::signatures, VerdictName::trust, VerdictName::completeness, VerdictName::policy}) {
      if (report.verdict(name).outcome == Outcome::unknown) return "the verdict " + std::string(verdict_name(name)) + " is unknown";
    }
    for (const KnownState& state : report.known) {
      if (state.from == KnownState::From::report || state.answer == Answer::held) continue;
      const std::string what = std::string(state.from == KnownState::From::pin ? "the pin's minimum" : "the state") + " of " + std::to_string(state.size) + " records";
      if (state.answer == Answer::behind) return "this is older than " + what + " that you hold";
      if (state.answer == Answer::damaged) return "the line of " + std::to_string(state.size) + " records in the memory is damaged";
      return what + " that you hold could not be found in this evidence";
    }
    return evidence_status(report) == exit_verified || evidence_status(report) == exit_incomplete ? "" : "the evidence does not hold";
  }

  static constexpr std::uint64_t kShortRuns = 40;

  const SessionOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  SessionInputs inputs_;
  std::optional<SpooledInput> spooled_;
  std::string input_;  // where the evidence lies; of standard input the copy
  Findings findings_;
  AuditOptions audit_;
  std::optional<WitnessBook> witnesses_;
  AttestationPlan attestation_;
  SarifChecker sarif_;
  Spool runs_;
  Spool words_;  // the runs as text, where the answer is JSON and a transcript is wanted
  std::uint64_t shown_ = 0;
  bool is_straddled_ = false;  // one that was asked about goes on behind an order that dropped records
  std::uint64_t chosen_ = 0;  // runs that --run fits
  std::uint64_t in_period_ = 0;
  std::uint64_t after_step_ = 0;
  std::uint64_t dated_back_in_period_ = 0;
  std::uint64_t open_in_period_ = 0;
  std::uint64_t aborted_in_period_ = 0;
  bool is_pruned_ = false;
  AskedRun asked_;
  SinceVisit since_visit_;
  ReportContext context_;
};

}  // namespace

int complain(std::ostream& err, int status, const std::string& text) {
  err << "ethos-verify: " << printable(text, 2000) << "\n";
  return status;
}

int run_session(const SessionOptions& options, std::ostream& out, std::ostream& err) {
  return Session(options, out, err).run();
}

}  // namespace ethos::verify
