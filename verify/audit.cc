// SPDX-License-Identifier: Apache-2.0
#include "verify/audit.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "verify/chain.h"
#include "verify/documents.h"
#include "verify/encoding.h"
#include "verify/epochs.h"
#include "verify/holds.h"
#include "verify/judge_artifacts.h"
#include "verify/later_erasures.h"
#include "verify/pruned.h"
#include "verify/record_feed.h"
#include "verify/run_proofs.h"
#include "verify/sarif_written.h"
#include "verify/signature_queue.h"
#include "verify/tree.h"
#include "verify/verdicts.h"
#include "verify/workers.h"

namespace ethos::verify {
namespace {

// Of what a run saw, a record has the time of the event, which may be long before its commit.
bool is_of_commit(RecordType type) {
  using enum RecordType;
  return type != sandbox_denial && type != resource_limit && type != run_gap && type != output_captured && type != artifact_exported &&
         type != reserved && type != unknown;
}

constexpr std::uint64_t kProgressEvery = 4096;

// One walk over all evidence. Memory: a few batches, one hash a tree level, the runs that are open.
class Auditor {
 public:
  Auditor(EvidenceSource& source, Findings findings, const AuditOptions& options)
      : source_(source), options_(options), is_run_(source.coverage() == EvidenceSource::Coverage::run),
        chain_(is_run_), documents_(source, options.documents), run_proofs_(source),
        runs_(options.zone, [this](RunEvidence& run) { on_run_end(run); },
              [this](RunEvidence& run) { judge_artifacts_so_far(run, documents_, cache_, report_.findings); },
              [this](const std::string& run, const SarifMoment& moment, const Value& body) {
                check_sarif_written(run, moment.seq, body, moment.reported, documents_, report_.findings);
                if (options_.on_sarif) options_.on_sarif(run, moment, body);
              },
              [this](const Value& commitment) { return documents_.open(commitment); }) {
    report_.findings = std::move(findings);
    if (options.known != nullptr) known_.start(*options.known);
    if (!source.has_key_checkpoints()) epochs_.allow_unseen_handovers();
  }

  AuditReport run() {
    report_.how = source_.how();
    report_.coverage = source_.coverage();
    expected_ = source_.estimate();
    start_whole_check();
    if (is_run_) {
      run_proofs_.read_head(findings());
      if (run_proofs_.head()) known_.compare_with_head(*run_proofs_.head(), source_, hash_);
    }
    has_checkpoint_ = source_.next_checkpoint(checkpoint_, findings());
    read_records();
    finish_whole_check();
    finish();
    return std::move(report_);
  }

 private:
  Findings& findings() { return report_.findings; }

  void start_whole_check() {
    const auto check = source_.whole_check();
    if (check) whole_check_ = workers_.submit([this, check](Sha256&) { check(container_findings_); });
  }

  // Said first, as the container comes before what it holds.
  void finish_whole_check() {
    if (whole_check_) workers_.wait(whole_check_);
    source_.finish_whole_check(container_findings_);
    findings().prepend(container_findings_);
  }

  void read_records() {
    while (RecordFeed::Flight* flight = feed_.next(findings())) {
      auto& records = flight->checked.records;
      const SubtreeHashes* const subtrees = flight->first_leaf == tree_.size() ? &flight->checked.subtrees : nullptr;
      for (std::size_t i = 0; i < records.size(); ++i) consume(flight->batch.rows[i], records[i], subtrees);
    }
  }

  void consume(const RecordBatch::Row& row, CheckedRecord& record, const SubtreeHashes* subtrees) {
    using Use = ChainChecker::Use;
    if (const std::uint64_t size = known_.size_before(row.seq); size > known_size_) {
      known_size_ = size;
      runs_.on_boundary(row.seq, prune_book_.last(), "the " + std::to_string(size) + " records that you hold from before (pin, memory)");
    }
    if (is_run_) {
      run_proofs_.prove(row.seq, record, findings());
    } else {
      tree_.append(record.leaf, hash_, subtrees);
    }
    if (row.is_absent) {
      chain_.skip(row, findings());
      if (row.is_dropped) {
        prune_book_.on_dropped(row.seq);
      } else {
        prune_book_.on_unseen();
        begin_ = row.seq + 1;
        // Record 0 and those that name keys were there all the same.
        report_.begins_ms.reset();
      }
    } else {
      const Use use = chain_.check(row, record, findings());
      // From here on the place counts, whatever number the record states: that one may be any.
      record.scan.envelope.seq = row.seq;
      if (use == Use::all) {
        dispatch(record);
      } else {
        epochs_.on_other(row.seq, findings());
      }
      const Envelope& e = record.scan.envelope;
      if (use == Use::opaque || use == Use::nothing) documents_.lose_digests();
      documents_.on_digests(e.type, e.body);
      documents_.on_digests(e.type, e.writer);
      // What it names is no orphan, whatever it is.
      if (use == Use::foreign && record.may_commit) documents_.on_record(row.seq, e.run, View(e.body), findings());
      if (use == Use::opaque) runs_.lose_track();
      // A run's links hold whatever is wrong with the body.
      const bool may_be_late = source_.coverage() == EvidenceSource::Coverage::tail;
      if (record.scan.fault == RecordFault::none) prune_book_.on_kept(e.wall_ms, is_of_commit(e.type));
      if (record.scan.fault == RecordFault::none && !e.has_run()) kept_.add(row.seq, hash_);
      if (may_be_late && !report_.begins_ms && record.scan.fault == RecordFault::none) report_.begins_ms = e.wall_ms;
      const bool is_linked = use != Use::nothing && use != Use::opaque;
      if (e.type == RecordType::run_open) runs_.set_newest(newest_);
      const std::int64_t wall_ms = e.wall_ms;
      const bool has_time = record.scan.fault == RecordFault::none;
      if (is_linked && e.has_run()) see_run(record, use == Use::foreign, may_be_late);
      if (has_time) newest_.see(row.seq, wall_ms);
      if (has_time) report_.last_record_ms = wall_ms;
    }
    seen_ = static_cast<std::uint64_t>(row.seq) + 1;
    known_.compare(tree_, kept(), newest_.ms(), hash_);
    judge_checkpoints(seen_);
    if (options_.on_progress && tree_.size() % kProgressEvery == 0) options_.on_progress(tree_.size(), expected_);
  }

  void see_run(CheckedRecord& record, bool is_foreign, bool may_be_late) {
    const Envelope& e = record.scan.envelope;
    const std::int64_t seq = e.seq;
    if (runs_.on_record(record, is_foreign, may_be_late, findings())) known_.on_late_run(e.run, seq, begin_);
  }

  // Of all records, or it cannot be told.
  const KeptList* kept() const { return is_run_ || prune_book_.has_unseen() ? nullptr : &kept_; }

  void judge_checkpoints(std::uint64_t up_to) {
    while (has_checkpoint_ && static_cast<std::uint64_t>(checkpoint_.size) <= up_to) {
      judge_checkpoint();
      has_checkpoint_ = source_.next_checkpoint(checkpoint_, findings());
    }
  }

  // Where records are not there, runs may be missing from the count.
  void check_seal(std::int64_t seq, const Value& body) {
    if (source_.coverage() != EvidenceSource::Coverage::whole) return;
    const bool is_pruned = prune_book_.first() >= 0;
    if (is_pruned && runs_.late_runs() > 0) return;  // told where they stand
    const auto open = static_cast<std::int64_t>(runs_.open_runs());
    const auto closed = static_cast<std::int64_t>(runs_.runs()) - open;
    // Runs without an end are never dropped. Of those that were, a writer cannot count the ends.
    std::int64_t dropped = 0;
    for (const auto& order : prune_book_.pruned().orders)
      dropped += static_cast<std::int64_t>(std::min<std::uint64_t>(order.runs, UINT32_MAX));
    const bool is_counted = body.at("closed").number() == closed || (is_pruned && body.at("closed").number() == closed + dropped);
    if (body.at("open").number() == open && is_counted) return;
    findings().add({.code = Code::counts_mismatch, .seq = seq, .expected = std::to_string(closed) + " closed, " + std::to_string(open) + " open",
                    .found = std::to_string(body.at("closed").number()) + " closed, " + std::to_string(body.at("open").number()) + " open",
                    .text = "the seal states other numbers of runs than there are"});
  }

  void dispatch(const CheckedRecord& record) {
    const Envelope& e = record.scan.envelope;
    if (record.may_commit) documents_.on_record(e.seq, e.run, View(e.body), findings());
    switch (e.type) {
      case RecordType::ledger_genesis:
        if (!epochs_.started()) epochs_.on_genesis(record.body);
        break;
      case RecordType::key_epoch:
        runs_.on_boundary(e.seq, prune_book_.last(), "the signing key was changed by record " + std::to_string(e.seq));
        epochs_.on_epoch(e.seq, e.wall_ms, record.body, findings());
        break;
      case RecordType::key_revoke: epochs_.on_revoke(e.seq, e.ledger, record.body, findings()); break;
      case RecordType::ledger_anchor:
        anchor_book_.on_record(e.seq, record.body);
        epochs_.on_other(e.seq, findings());
        break;
      case RecordType::ledger_hold:
        hold_book_.on_hold(e.seq, record.body, findings());
        epochs_.on_other(e.seq, findings());
        break;
      case RecordType::ledger_release:
        hold_book_.on_release(e.seq, record.body, source_.coverage() != EvidenceSource::Coverage::whole, findings());
        epochs_.on_other(e.seq, findings());
        break;
      case RecordType::ledger_seal:
        check_seal(e.seq, record.body);
        epochs_.on_other(e.seq, findings());
        break;
      case RecordType::ledger_prune:
        hold_book_.on_destruction(e.seq, "records were dropped", findings());
        hold_book_.on_prune(e.seq);
        prune_book_.on_order(e.seq, record.body);
        runs_.on_dropped(prune_book_.last_ordered());
        epochs_.on_other(e.seq, findings());
        break;
      case RecordType::data_erase:
        hold_book_.on_destruction(e.seq, "values were erased", findings());
        documents_.on_erase(e.seq, e.run, record.body);
        epochs_.on_other(e.seq, findings());
        break;
      default: epochs_.on_other(e.seq, findings()); break;
    }
  }

  void on_run_end(RunEvidence& run) {
    const bool has_end = run.state == RunEvidence::State::closed || run.state == RunEvidence::State::aborted;
    if (!run.has_foreign) known_.on_run(run.id, run.first_seq, has_end ? run.last_seq : -1, is_run_ ? last_size_ : tree_.size());
    if (run.is_straddled && straddled_.size() < Pruned::kMaxStraddled) straddled_.push_back(run.id);
    const std::int64_t first_step = chain_.clock_steps().first_seq;
    run.is_after_step = first_step >= 0 && first_step < run.first_seq;
    if (run.dated_back.is_told()) dated_back_.add(run.id, run.first_seq, run.dated_back.newest_ms - run.wall_ms);
    if (const KnownState* visit = known_.last_before(run.first_seq)) {
      const bool is_before = visit->newest_ms != INT64_MIN && run.wall_ms < visit->newest_ms - NewestDate::kSlackMs;
      run.added_after = {visit->size, visit->at_ms, is_before};
    }
    RunJudgement judgement = judge_run(run, documents_, cache_, findings());
    if (options_.wants_effective && options_.wants_effective(run)) judgement.effective = effective_of(run, documents_);
    if (options_.wants_used && options_.wants_used(run)) judgement.used = used_of(run, documents_);
    if (options_.wants_grants && judgement.effective) {
      judgement.grants = opened_grants(run, documents_);
      judgement.command = declared_command(run, documents_);
    }
    if (judgement.policy == RunPolicy::pass) ++report_.counts.runs_recomputed;
    if (judgement.policy == RunPolicy::unknown) ++runs_unknown_;
    if (options_.on_run) options_.on_run(run, judgement);
  }

  void judge_checkpoint() {
    ++report_.counts.checkpoints;
    const std::int64_t size = checkpoint_.size;
    const std::string which = "the checkpoint of size " + std::to_string(size);
    const auto refuse = [&](Code code, std::string text, std::string expected, std::string found) {
      findings().add({.code = code, .seq = size - 1, .expected = std::move(expected), .found = std::move(found),
                      .text = std::move(text)});
    };
    const auto note = parse_note(checkpoint_.note);
    if (!note) return refuse(Code::note_malformed, which + " is not a signed note", {}, note.error().what);
    const auto text = parse_checkpoint_text(note->text);
    if (!text) return refuse(Code::note_malformed, which + " is malformed", {}, text.error().what);
    report_.checkpoint = *text;
    report_.checkpoint_note = checkpoint_.note;
    report_.marks = {kept() == nullptr ? std::nullopt : std::optional(kept_), chain_.is_sealed(), std::nullopt};
    if (options_.on_checkpoint) options_.on_checkpoint(*text, *note, findings());
    if (static_cast<std::int64_t>(text->size) != size || (!is_run_ && text->size != tree_.size())) {
      refuse(Code::note_malformed, which + " states another size", std::to_string(size), std::to_string(text->size));
      return;
    }
    if (text->origin != chain_.origin()) {
      refuse(Code::wrong_origin, which + " is of another ledger", printable(chain_.origin()), printable(text->origin));
    }
    if (is_run_) run_proofs_.check_prefix(*text, findings());
    const Digest root = is_run_ ? text->root : tree_.root(hash_);
    // After the first wrong root all later ones are wrong too: said once.
    if (text->root != root && findings().count(Code::root_mismatch) == 0) {
      refuse(Code::root_mismatch, which + " does not have the root of the records: expected is the one that it states, found the one that they have", text->root.base64(), root.base64());
    }
    last_size_ = text->size;
    std::vector<SignatureJob> jobs;
    epochs_.judge(*note, size, jobs, findings());
    signatures_.add(std::move(jobs));
  }

  void judge_signature(const SignatureJob& job, bool right) {
    const std::string which = "the checkpoint of size " + std::to_string(job.size);
    if (!right) {
      findings().add({.code = Code::bad_signature, .seq = job.size - 1, .found = job.key.text,
                      .text = "a signature under " + which + " is wrong"});
      return;
    }
    if (!job.in_its_epoch) {
      findings().add({.code = Code::epoch_violation, .seq = job.size - 1, .found = job.key.text,
                      .text = which + " is signed by a key outside its epoch"});
      return;
    }
    if (job.counts) ++report_.counts.signatures;
  }

  void finish() {
    // The head of a run's bundle covers more than what is there.
    if (is_run_) judge_checkpoints(UINT64_MAX >> 1U);
    signatures_.finish();
    if (source_.is_prefix()) {
      later_.emplace(chain_, tree_, epochs_);
      documents_.ask_later([this](const Digest& c) { return later_->holds(c, source_); });
    }
    epochs_.finish(findings());
    const std::uint64_t records = is_run_ ? last_size_ : tree_.size();
    if (source_.ends_early()) {
      // The last checkpoint covers what is not here.
    } else if (has_checkpoint_ && source_.is_beyond()) {
      report_.how = source_.how();
      findings().add({.code = Code::behind_at, .expected = std::to_string(checkpoint_.size) + " records", .found = std::to_string(records),
                      .text = "the state of " + std::to_string(checkpoint_.size) + " records that --at names is later than this evidence, and is not judged (nor is its signature)"});
      if (records > 0 && last_size_ != records) tell_tail(records);
    } else if (has_checkpoint_) {
      findings().add({.code = Code::tail_unsigned, .seq = static_cast<std::int64_t>(records) - 1,
                      .expected = std::to_string(checkpoint_.size) + " records", .found = std::to_string(records),
                      .text = "a checkpoint covers more records than there are"});
    } else if (records > 0 && last_size_ != records) {
      tell_tail(records);
    }
    if (chain_.records() > 0 && epochs_.started()) {
      std::string peaks;
      for (const Digest& peak : tree_.peaks()) peaks += peak.view();
      source_.check_tail(peaks, epochs_.epoch(), epochs_.epoch_seq(), findings());
    }
    if (chain_.records() > 0) source_.check_names(chain_.origin(), is_run_ ? runs_.ids() : std::vector<std::string>{}, findings());
    if (kept() != nullptr && last_size_ == tree_.size()) report_.marks.open = runs_.open_at(StateMarks::kMaxOpen);
    runs_.finish(findings());
    const bool is_tail = source_.coverage() == EvidenceSource::Coverage::tail;
    using Seen = PruneBook::Seen;
    if (!is_run_) prune_book_.finish(source_.is_prefix() || source_.ends_early() ? Seen::earlier_state : is_tail ? Seen::tail : Seen::all, findings());
    report_.pruned = prune_book_.pruned();
    report_.pruned.straddled = std::move(straddled_);
    report_.pruned.held_unseen = hold_book_.unseen(
        [&](const std::string& run) { return kept() == nullptr || runs_.has(run); });
    documents_.ask_held(
        [this](std::size_t run, std::int64_t seq) { return hold_book_.was_held(run, seq); });
    report_.anchors = anchor_book_.finish(source_, chain_.origin(), options_.tsa_roots, findings());
    documents_.set_first_dropped(prune_book_.first());
    documents_.finish(findings());
    check_highwater();
    report_.origin = chain_.origin();
    report_.begins_seq = source_.coverage() == EvidenceSource::Coverage::tail ? begin_ : 0;
    fill_counts();
    tell_clock();
    if (chain_.records() == 0) findings().add({.code = Code::no_records, .text = "there is no record to check"});
    check_pin();
    if (chain_.records() > 0 && (!options_.pin || options_.pin->origin == chain_.origin())) {
      known_.check_notes(epochs_.keys());
      known_.tell_times(options_.now_ms, options_.zone, findings());
      known_.tell(run_proofs_.head() ? &*run_proofs_.head() : nullptr, is_run_, source_.is_prefix(), last_size_, findings());
    }
    check_handovers();
    report_.known = known_.states();
    if (options_.on_finish) options_.on_finish(source_, epochs_.keys(), report_, findings());
    conclude();
  }

  void tell_tail(std::uint64_t records) {
    findings().add({.code = report_.counts.checkpoints == 0 ? Code::checkpoint_missing : Code::tail_unsigned,
                    .seq = static_cast<std::int64_t>(last_size_), .expected = "a checkpoint of size " + std::to_string(records),
                    .found = std::to_string(last_size_), .text = "no signed checkpoint covers the last records"});
  }

  void tell_clock() {
    report_.key_changes = epochs_.changes();
    report_.keys = static_cast<std::uint64_t>(epochs_.epoch() + 1);
    report_.other_signatures = epochs_.others();
    report_.other_signer = epochs_.first_other();
    report_.clock = chain_.clock_steps();
    report_.clock.dated_back = dated_back_;
    if (dated_back_.count > 0) {
      findings().add({.code = Code::dated_back, .seq = dated_back_.kept.front().seq, .run = dated_back_.kept.front().id, .text = dated_back_.words()});
    }
    if (report_.clock.steady_back > 0) {
      findings().add({.code = Code::steady_back, .seq = report_.clock.steady_back_seq, .text = report_.clock.steady_back_words()});
    }
    if (report_.clock.count == 0) return;
    findings().add({.code = Code::clock_stepped, .seq = report_.clock.first_seq, .text = report_.clock.words()});
  }

  void fill_counts() {
    AuditCounts& counts = report_.counts;
    counts.records = chain_.records();
    counts.runs = runs_.runs();
    counts.grants = runs_.grants();
    counts.denials = runs_.denials();
    counts.open_runs = runs_.open_runs();
    counts.aborted_runs = runs_.aborted_runs();
    counts.late_runs = runs_.late_runs();
    counts.commitments = documents_.named();
    counts.disclosures = documents_.stored();
    counts.blobs = documents_.blobs();
    counts.signatures -= std::min(counts.signatures, epochs_.void_signatures());
  }

  // A note beside the ledger is believed only when it bears a right signature of this ledger.
  void check_highwater() {
    const auto bytes = source_.highwater();
    if (!bytes || bytes->find_first_not_of('\0') == std::string::npos) return;
    const auto note = parse_note(*bytes);
    if (!note) return;
    const auto text = parse_checkpoint_text(note->text);
    std::vector<Vkey> signers;
    const std::vector<Vkey> keys = epochs_.keys();
    if (!text || text->origin != chain_.origin() || verify_note(*note, keys, signers) != NoteVerdict::ok) return;
    if (text->size > tree_.size()) {
      findings().add({.code = Code::behind_highwater, .expected = std::to_string(text->size) + " records",
                      .found = std::to_string(tree_.size()),
                      .text = "the high-water file beside the ledger holds a later signed checkpoint"});
    } else if (text->size == tree_.size() && text->root != tree_.root(hash_)) {
      findings().add({.code = Code::fork, .seq = static_cast<std::int64_t>(text->size) - 1,
                      .found = "size " + std::to_string(text->size) + " root " + text->root.base64(),
                      .text = "the high-water file holds a signed checkpoint of the same size and another root"});
    }
  }

  void check_pin() {
    if (!options_.pin) {
      findings().add({.code = Code::no_pin, .text = "no pin was given: nothing says that these are the right keys"});
      return;
    }
    const Pin& pin = *options_.pin;
    if (chain_.records() == 0) return;
    if (pin.origin != chain_.origin()) {
      findings().add({.code = Code::pin_origin, .expected = pin.origin, .found = printable(chain_.origin()),
                      .text = "the pin is of another ledger: is this the right pin?"});
      return;  // all else that the pin says is of that other one
    }
    if (!chain_.genesis_leaf() || *chain_.genesis_leaf() != pin.genesis) {
      findings().add({.code = Code::pin_genesis, .seq = 0, .expected = pin.genesis.base64(),
                      .found = chain_.genesis_leaf() ? chain_.genesis_leaf()->base64() : "",
                      .text = "record 0 is not the pinned one"});
    }
    // Unread where record 0 is of another version; the pin's own digest covers it then.
    if (epochs_.root() && !(*epochs_.root() == pin.root_vkey)) {
      findings().add({.code = Code::pin_genesis, .seq = 0, .expected = pin.root_vkey.text,
                      .found = epochs_.root()->text, .text = "the root key is not the pinned one"});
    }
  }

  // Both keys at a change of keys, or a later state that the reader holds from elsewhere.
  void check_handovers() {
    for (const std::int64_t size : epochs_.unseen_handovers()) {
      if (static_cast<std::uint64_t>(size) <= known_.vouched_size()) continue;
      findings().add({.code = Code::handover_unseen, .seq = size - 1, .expected = "checkpoint.d/" + std::to_string(size),
                      .text = "the key was changed here, and no checkpoint signed by both keys shows who did"});
    }
  }

  void conclude() {
    if (options_.known != nullptr) *options_.known = known_.states();
    report_.known = known_.take();
    VerdictInput input{options_.pin.has_value(), is_run_, runs_unknown_, documents_.named(), documents_.opened(),
                       documents_.erased(), documents_.withheld(), {}, options_.statements, options_.has_memory, options_.zone};
    if (options_.anchor) input.anchor = options_.anchor();
    for (const auto& [kind, one] : documents_.withheld_kinds()) report_.withheld.push_back({kind, one.count, one.records});
    report_.is_bundle = source_.kind() == std::string_view("bundle");
    draw_verdicts(report_, input);
  }

  EvidenceSource& source_;
  const AuditOptions& options_;
  bool is_run_;  // a bundle of one run: no tree, but a proof for each record
  AuditReport report_;
  Sha256 hash_;
  ChainChecker chain_;
  StreamingTree tree_;
  EpochBook epochs_;
  std::optional<LaterErasures> later_;  // of an earlier state
  DocumentReader documents_;
  RunProofs run_proofs_;  // of a bundle of one run
  JudgeCache cache_;
  PruneBook prune_book_;
  NewestDate newest_;
  DatedBackRuns dated_back_;
  KeptList kept_;
  std::vector<std::string> straddled_;
  std::int64_t begin_ = 0;  // of a bundle of later records
  HoldBook hold_book_;
  AnchorBook anchor_book_;
  RunTracker runs_;
  std::uint64_t seen_ = 0;
  std::uint64_t known_size_ = 0;  // of the newest state from before that all records so far are behind
  StoredCheckpoint checkpoint_;
  bool has_checkpoint_ = false;
  std::uint64_t last_size_ = 0;
  std::uint64_t expected_ = 0;
  std::uint64_t runs_unknown_ = 0;
  KnownStates known_;
  Findings container_findings_;  // of the check that runs beside
  std::shared_ptr<WorkerPool::Job> whole_check_;
  SignatureQueue signatures_{workers_, [this](const SignatureJob& job, bool is_right) { judge_signature(job, is_right); }};
  RecordFeed feed_{source_, workers_};
  // Last: its threads end before anything they use goes.
  WorkerPool workers_{options_.extra_threads.value_or(WorkerPool::usual_threads())};
};

}  // namespace

AuditReport audit(EvidenceSource* source, Findings findings, const AuditOptions& options) {
  if (source != nullptr) return Auditor(*source, std::move(findings), options).run();
  AuditReport report;
  report.findings = std::move(findings);
  VerdictInput input;
  input.statements = options.statements;
  draw_verdicts(report, input);
  return report;
}

}  // namespace ethos::verify
