// SPDX-License-Identifier: Apache-2.0
#include "verify/audit.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "verify/chain.h"
#include "verify/documents.h"
#include "verify/encoding.h"
#include "verify/epochs.h"
#include "verify/holds.h"
#include "verify/judge_artifacts.h"
#include "verify/many_signatures.h"
#include "verify/pruned.h"
#include "verify/sarif_written.h"
#include "verify/tree.h"
#include "verify/verdicts.h"
#include "verify/workers.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kProgressEvery = 4096;

// One walk over all evidence. Memory: a few batches, one hash a tree level, the runs that are open.
class Auditor {
 public:
  Auditor(EvidenceSource& source, Findings findings, const AuditOptions& options)
      : source_(source), options_(options), is_run_(source.coverage() == EvidenceSource::Coverage::run),
        chain_(is_run_), documents_(source),
        runs_([this](RunEvidence& run) { on_run_end(run); },
              [this](RunEvidence& run) { judge_artifacts_so_far(run, documents_, cache_, report_.findings); },
              [this](const std::string& run, std::int64_t seq, const Value& body, std::uint64_t reported) {
                check_sarif_written(run, seq, body, reported, documents_, report_.findings);
                if (options_.on_sarif) options_.on_sarif(run, seq, body);
              }) {
    report_.findings = std::move(findings);
    if (options.known != nullptr) known_ = *options.known;
    if (!source.has_key_checkpoints()) epochs_.allow_unseen_handovers();
  }

  AuditReport run() {
    report_.how = source_.how();
    expected_ = source_.estimate();
    start_whole_check();
    if (is_run_) read_head();
    has_checkpoint_ = source_.next_checkpoint(checkpoint_, findings());
    read_records();
    finish_whole_check();
    finish();
    return std::move(report_);
  }

 private:
  // A batch on its way: read here, checked by a worker, consumed here in order.
  struct Flight {
    RecordBatch batch;
    CheckedBatch checked;
    std::shared_ptr<WorkerPool::Job> job;
  };
  struct Signature {
    SignatureJob question;
    bool right = false;
  };
  struct Signatures {
    std::vector<Signature> list;
    std::shared_ptr<WorkerPool::Job> job;
  };
  static constexpr std::size_t kFlights = 6;
  static constexpr std::size_t kSignatureBatch = 16;
  static constexpr std::size_t kSignatureFlights = 64;

  Findings& findings() { return report_.findings; }

  void start_whole_check() {
    const auto check = source_.whole_check();
    if (check) whole_check_ = workers_.submit([this, check](Sha256&) { check(container_findings_); });
  }

  // Said first, as the container comes before what it holds.
  void finish_whole_check() {
    if (!whole_check_) return;
    workers_.wait(whole_check_);
    findings().prepend(container_findings_);
  }

  void read_records() {
    std::deque<std::unique_ptr<Flight>> flying;
    std::vector<std::unique_ptr<Flight>> spare;
    std::uint64_t rows_read = 0;  // each row is a leaf
    const auto land = [&] {
      std::unique_ptr<Flight> flight = std::move(flying.front());
      flying.pop_front();
      workers_.wait(flight->job);
      auto& records = flight->checked.records;
      for (std::size_t i = 0; i < records.size(); ++i) consume(flight->batch.rows[i], records[i], flight->checked.subtrees);
      spare.push_back(std::move(flight));
    };
    while (true) {
      std::unique_ptr<Flight> flight;
      if (spare.empty()) {
        flight = std::make_unique<Flight>();
      } else {
        flight = std::move(spare.back());
        spare.pop_back();
      }
      if (!source_.next_records(flight->batch, findings())) break;
      Flight* raw = flight.get();
      flight->job = workers_.submit([raw, rows_read](Sha256& hash) { check_batch(raw->batch, rows_read, raw->checked, hash); });
      rows_read += flight->batch.rows.size();
      flying.push_back(std::move(flight));
      if (flying.size() == kFlights) land();
    }
    while (!flying.empty()) land();
  }

  void queue_signatures(std::vector<SignatureJob> jobs) {
    for (SignatureJob& job : jobs) collecting_.push_back({std::move(job), false});
    if (collecting_.size() >= kSignatureBatch) send_signatures();
    drain_signatures(kSignatureFlights);
  }

  void send_signatures() {
    if (collecting_.empty()) return;
    auto group = std::make_unique<Signatures>();
    group->list = std::move(collecting_);
    collecting_.clear();
    Signatures* raw = group.get();
    group->job = workers_.submit([this, raw](Sha256&) {
      std::vector<SignatureChecker::Question> questions;
      for (const Signature& s : raw->list) questions.push_back({&s.question.key, s.question.text, s.question.signature});
      checker_.check(questions);
      for (std::size_t i = 0; i < questions.size(); ++i) raw->list[i].right = questions[i].is_right;
    });
    signatures_.push_back(std::move(group));
  }

  // Takes answers in order until at most `left` groups are on their way.
  void drain_signatures(std::size_t left) {
    if (left == 0) send_signatures();
    while (signatures_.size() > left) {
      const std::unique_ptr<Signatures> group = std::move(signatures_.front());
      signatures_.pop_front();
      workers_.wait(group->job);
      for (const Signature& s : group->list) judge_signature(s.question, s.right);
    }
  }

  void consume(const RecordBatch::Row& row, CheckedRecord& record, const SubtreeHashes& subtrees) {
    using Use = ChainChecker::Use;
    if (is_run_) {
      prove(row.seq, record);
    } else {
      tree_.append(record.leaf, hash_, &subtrees);
    }
    if (row.is_absent) {
      chain_.skip(row, findings());
      if (row.is_dropped) {
        prune_book_.on_dropped(row.seq);
      } else {
        prune_book_.on_unseen();
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
      if (record.scan.fault == RecordFault::none) prune_book_.on_kept(e.wall_ms);
      const bool is_linked = use != Use::nothing && use != Use::opaque;
      if (is_linked && e.has_run()) runs_.on_record(record, use == Use::foreign, may_be_late, findings());
    }
    seen_ = static_cast<std::uint64_t>(row.seq) + 1;
    compare_known();
    judge_checkpoints(seen_);
    if (options_.on_progress && tree_.size() % kProgressEvery == 0) options_.on_progress(tree_.size(), expected_);
  }

  // States that the reader holds lie in the tree at their own size.
  void compare_known() {
    for (; known_at_ < known_.size() && known_[known_at_].size <= tree_.size(); ++known_at_) {
      KnownState& state = known_[known_at_];
      if (state.size != tree_.size()) continue;
      state.answer = state.root == tree_.root(hash_) ? KnownState::Answer::held : KnownState::Answer::differs;
    }
  }

  void judge_checkpoints(std::uint64_t up_to) {
    while (has_checkpoint_ && static_cast<std::uint64_t>(checkpoint_.size) <= up_to) {
      judge_checkpoint();
      has_checkpoint_ = source_.next_checkpoint(checkpoint_, findings());
    }
  }

  // Of a run's bundle: the root that every proof leads to. Who signed it is judged at the end.
  void read_head() {
    StoredCheckpoint head;
    if (!source_.head(head, findings())) return;
    const auto note = parse_note(head.note);
    const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
    if (text) head_ = *text;
    for (KnownState& state : known_) compare_with_head(state);
  }

  // A record of a run's bundle is in the tree of the head; the one that names a key also in its own.
  void prove(std::int64_t seq, const CheckedRecord& record) {
    if (!head_) return;
    const auto check = [&](std::uint64_t size, const Digest& root) {
      std::vector<Digest> proof;
      if (!source_.proof(seq, size, proof, findings())) return;
      if (!verify_inclusion(static_cast<std::uint64_t>(seq), size, record.leaf, proof, root, hash_)) {
        findings().add({.code = Code::proof_mismatch, .seq = seq, .expected = root.base64(),
                        .text = "the record is not in the signed tree of size " + std::to_string(size)});
      }
    };
    check(head_->size, head_->root);
    const auto own_size = static_cast<std::uint64_t>(seq) + 1;
    if (record.scan.fault != RecordFault::none || record.scan.envelope.type != RecordType::key_epoch || own_size >= head_->size) return;
    const auto bytes = source_.checkpoint(static_cast<std::int64_t>(own_size));
    const auto note = bytes ? parse_note(*bytes) : Result<Note>(Error{});
    const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
    if (text) check(own_size, text->root);
  }

  // The earlier checkpoints of a run's bundle are prefixes of the head.
  void check_prefix(const Checkpoint& earlier) {
    if (!head_ || earlier.size == head_->size) return;
    std::vector<Digest> proof;
    if (!source_.consistency(earlier.size, head_->size, proof, findings())) return;
    if (!verify_consistency(earlier.size, head_->size, earlier.root, head_->root, proof, hash_)) {
      findings().add({.code = Code::proof_mismatch, .seq = static_cast<std::int64_t>(earlier.size) - 1,
                      .text = "the checkpoint of size " + std::to_string(earlier.size) + " is not a prefix of that of size " +
                              std::to_string(head_->size)});
    }
  }

  // Where records are not there, runs may be missing from the count.
  void check_seal(std::int64_t seq, const Value& body) {
    if (source_.coverage() != EvidenceSource::Coverage::whole || prune_book_.first() >= 0) return;
    const auto open = static_cast<std::int64_t>(runs_.open_runs());
    const auto closed = static_cast<std::int64_t>(runs_.runs()) - open;
    if (body.at("open").number() == open && body.at("closed").number() == closed) return;
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
      case RecordType::key_epoch: epochs_.on_epoch(e.seq, record.body, findings()); break;
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
        prune_book_.on_order(e.seq, record.body);
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
    RunJudgement judgement = judge_run(run, documents_, cache_, findings());
    if (options_.wants_effective && options_.wants_effective(run)) judgement.effective = effective_of(run, documents_);
    if (options_.wants_grants && judgement.effective) judgement.grants = opened_grants(run, documents_);
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
    if (options_.on_checkpoint) options_.on_checkpoint(*text, *note, findings());
    if (static_cast<std::int64_t>(text->size) != size || (!is_run_ && text->size != tree_.size())) {
      refuse(Code::note_malformed, which + " states another size", std::to_string(size), std::to_string(text->size));
      return;
    }
    if (text->origin != chain_.origin()) {
      refuse(Code::wrong_origin, which + " is of another ledger", printable(chain_.origin()), printable(text->origin));
    }
    if (is_run_) check_prefix(*text);
    const Digest root = is_run_ ? text->root : tree_.root(hash_);
    // After the first wrong root all later ones are wrong too: said once.
    if (text->root != root && findings().count(Code::root_mismatch) == 0) {
      refuse(Code::root_mismatch, which + " does not have the root of the records", root.base64(), text->root.base64());
    }
    last_size_ = text->size;
    std::vector<SignatureJob> jobs;
    epochs_.judge(*note, size, jobs, findings());
    queue_signatures(std::move(jobs));
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
    drain_signatures(0);
    epochs_.finish(findings());
    const std::uint64_t records = is_run_ ? last_size_ : tree_.size();
    if (has_checkpoint_) {
      findings().add({.code = Code::tail_unsigned, .seq = static_cast<std::int64_t>(records) - 1,
                      .expected = std::to_string(checkpoint_.size) + " records", .found = std::to_string(records),
                      .text = "a checkpoint covers more records than there are"});
    } else if (records > 0 && last_size_ != records) {
      findings().add({.code = report_.counts.checkpoints == 0 ? Code::checkpoint_missing : Code::tail_unsigned,
                      .seq = static_cast<std::int64_t>(last_size_), .expected = "a checkpoint of size " + std::to_string(records),
                      .found = std::to_string(last_size_), .text = "no signed checkpoint covers the last records"});
    }
    if (chain_.records() > 0 && epochs_.started()) {
      std::string peaks;
      for (const Digest& peak : tree_.peaks()) peaks += peak.view();
      source_.check_tail(peaks, epochs_.epoch(), epochs_.epoch_seq(), findings());
    }
    if (chain_.records() > 0) source_.check_names(chain_.origin(), is_run_ ? runs_.ids() : std::vector<std::string>{}, findings());
    runs_.finish(findings());
    const bool is_tail = source_.coverage() == EvidenceSource::Coverage::tail;
    using Seen = PruneBook::Seen;
    if (!is_run_) prune_book_.finish(source_.is_prefix() ? Seen::earlier_state : is_tail ? Seen::tail : Seen::all, findings());
    report_.pruned = prune_book_.pruned();
    report_.anchors = anchor_book_.finish(source_, chain_.origin(), options_.tsa_roots, findings());
    documents_.set_first_dropped(prune_book_.first());
    documents_.finish(findings());
    check_highwater();
    report_.origin = chain_.origin();
    fill_counts();
    if (chain_.records() == 0) findings().add({.code = Code::no_records, .text = "there is no record to check"});
    check_pin();
    check_known();
    check_handovers();
    report_.known = known_;
    if (options_.on_finish) options_.on_finish(source_, epochs_.keys(), report_, findings());
    conclude();
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

  // Each state that the reader holds is a beginning of this history, or something is said.
  void check_known() {
    if (chain_.records() == 0 || (options_.pin && options_.pin->origin != chain_.origin())) return;
    bool memory_held = false;
    std::uint64_t memory_behind = 0;
    std::uint64_t last_memory = 0;
    for (KnownState& state : known_) {
      if (!is_run_ && state.size > last_size_) state.answer = KnownState::Answer::behind;
      // Asked for an earlier state, a later one that the reader holds is no sign of a cut.
      if (source_.is_prefix() && state.answer == KnownState::Answer::behind) {
        state.answer = KnownState::Answer::not_asked;
        continue;
      }
      if (state.from == KnownState::From::report) continue;  // what it says is held against the records later
      if (state.from == KnownState::From::pin) {
        tell_pin_state(state);
      } else if (state.answer == KnownState::Answer::behind) {
        memory_behind = std::max(memory_behind, state.size);
      } else if (state.answer == KnownState::Answer::differs) {
        tell_memory_differs(state);
      }
      if (state.from == KnownState::From::memory) last_memory = state.size;
      memory_held = memory_held || (state.from == KnownState::From::memory && state.answer == KnownState::Answer::held);
      if (state.answer == KnownState::Answer::held) vouched_size_ = std::max(vouched_size_, state.size);
    }
    if (memory_behind > 0) {
      findings().add({.code = Code::behind_memory, .expected = std::to_string(memory_behind) + " records",
                      .found = std::to_string(last_size_), .text = "the ledger is shorter than when it was checked before"});
    }
    if (is_run_ && last_memory > 0 && !memory_held && findings().count(Code::memory_root) == 0 && findings().count(Code::proof_mismatch) == 0) not_compared("what was checked before", last_memory);
  }

  // In a run's bundle only its own checkpoints show roots; a state of another size needs a proof.
  void compare_with_head(KnownState& state) {
    using Answer = KnownState::Answer;
    if (!head_) return;
    const auto decide = [&](bool held) { state.answer = held ? Answer::held : Answer::differs; };
    if (state.size == head_->size) return decide(state.root == head_->root);
    std::vector<Digest> proof;
    const bool is_older = state.size < head_->size;
    const std::uint64_t from = std::min(state.size, head_->size);
    const std::uint64_t to = std::max(state.size, head_->size);
    if (!source_.extra_consistency(from, to, proof)) return;
    decide(verify_consistency(from, to, is_older ? state.root : head_->root, is_older ? head_->root : state.root, proof, hash_));
  }

  void not_compared(const std::string& what, std::uint64_t size) {
    findings().add({.code = Code::state_not_compared, .expected = "a proof between sizes " + std::to_string(size) + " and " + std::to_string(last_size_),
                    .text = "this bundle of one run ends at a checkpoint of size " + std::to_string(last_size_) +
                            " and does not show how it belongs to " + what});
  }

  // Of a run's bundle only a proof says so, and the proof itself may be what was changed.
  bool tell_proof_fails(const KnownState& state) {
    if (!is_run_ || !head_ || state.size == head_->size || state.answer != KnownState::Answer::differs) return false;
    findings().add({.code = Code::proof_mismatch, .seq = static_cast<std::int64_t>(std::min(state.size, head_->size)) - 1,
                    .text = "the proof between the state of size " + std::to_string(state.size) + " that you hold and the bundle's of size " +
                            std::to_string(head_->size) + " does not hold"});
    return true;
  }

  void tell_pin_state(const KnownState& state) {
    using Answer = KnownState::Answer;
    const std::string size = std::to_string(state.size);
    if (tell_proof_fails(state)) return;
    if (state.answer == Answer::behind) {
      findings().add({.code = Code::behind_pin, .expected = size + " records",
                      .found = std::to_string(last_size_), .text = "the ledger is shorter than the pin remembers"});
    } else if (state.answer == Answer::differs) {
      findings().add({.code = Code::pin_root, .seq = static_cast<std::int64_t>(state.size) - 1,
                      .expected = state.root.base64(), .text = "the first " + size + " records are not those the pin remembers"});
    } else if (state.answer == Answer::not_compared) {
      not_compared("the " + size + " records that the pin remembers", state.size);
    }
  }

  void tell_memory_differs(const KnownState& state) {
    if (tell_proof_fails(state)) return;
    findings().add({.code = Code::memory_root, .seq = static_cast<std::int64_t>(state.size) - 1,
                    .expected = state.root.base64(),
                    .text = "the first " + std::to_string(state.size) + " records are not those that were checked before"});
  }

  // Both keys at a change of keys, or a later state that the reader holds from elsewhere.
  void check_handovers() {
    for (const std::int64_t size : epochs_.unseen_handovers()) {
      if (static_cast<std::uint64_t>(size) <= vouched_size_) continue;
      findings().add({.code = Code::handover_unseen, .seq = size - 1, .expected = "checkpoint.d/" + std::to_string(size),
                      .text = "the key was changed here, and no checkpoint signed by both keys shows who did"});
    }
  }

  void conclude() {
    if (options_.known != nullptr) *options_.known = known_;
    report_.known = std::move(known_);
    VerdictInput input{options_.pin.has_value(), is_run_, runs_unknown_, documents_.named(), documents_.opened(),
                       documents_.erased(), documents_.withheld(), {}};
    if (options_.anchor) input.anchor = options_.anchor();
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
  DocumentReader documents_;
  JudgeCache cache_;
  PruneBook prune_book_;
  HoldBook hold_book_;
  AnchorBook anchor_book_;
  RunTracker runs_;
  std::optional<Checkpoint> head_;
  std::uint64_t seen_ = 0;
  StoredCheckpoint checkpoint_;
  bool has_checkpoint_ = false;
  std::uint64_t last_size_ = 0;
  std::uint64_t expected_ = 0;
  std::uint64_t runs_unknown_ = 0;
  std::vector<KnownState> known_;
  std::size_t known_at_ = 0;
  std::uint64_t vouched_size_ = 0;  // up to where a state from elsewhere confirms the history
  Findings container_findings_;  // of the check that runs beside
  std::shared_ptr<WorkerPool::Job> whole_check_;
  SignatureChecker checker_;
  std::vector<Signature> collecting_;
  std::deque<std::unique_ptr<Signatures>> signatures_;
  // Last: its threads end before anything they use goes.
  WorkerPool workers_{WorkerPool::usual_threads()};
};

}  // namespace

AuditReport audit(EvidenceSource* source, Findings findings, const AuditOptions& options) {
  if (source != nullptr) return Auditor(*source, std::move(findings), options).run();
  AuditReport report;
  report.findings = std::move(findings);
  draw_verdicts(report, {});
  return report;
}

}  // namespace ethos::verify
