// SPDX-License-Identifier: Apache-2.0
#include "verify/tlog_proof.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "verify/batch.h"
#include "verify/encoding.h"
#include "verify/note.h"
#include "verify/tree.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxHashes = 63;
constexpr std::size_t kMaxExtra = 65'536;

// The line up to the next line feed, taken off the front.
std::optional<std::string_view> take_line(std::string_view& text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

class ProofAuditor {
 public:
  ProofAuditor(const TlogProof& proof, const std::vector<std::string>& records, const std::vector<Vkey>& keys, const AuditOptions& options)
      : proof_(proof), keys_(keys), options_(options) {
    for (const std::string& bytes : records) {
      batch_.rows.push_back({0, batch_.bytes.size(), bytes.size(), hash_.leaf(bytes), false, false});
      batch_.bytes += bytes;
    }
    check_batch(batch_, 0, checked_, hash_);
  }

  AuditReport run() {
    report_.how = "one record's place in a signed tree";
    if (!read_checkpoint()) return conclude();
    record();
    genesis();
    signatures();
    trust();
    return conclude();
  }

 private:
  Findings& findings() { return report_.findings; }

  bool read_checkpoint() {
    const auto note = parse_note(proof_.note);
    const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
    if (!text) {
      findings().add({.code = Code::note_malformed, .found = text.error().what, .text = "the proof's checkpoint is malformed"});
      return false;
    }
    note_ = *note;
    report_.checkpoint = *text;
    report_.checkpoint_note = proof_.note;
    report_.counts.checkpoints = 1;
    report_.origin = text->origin;
    if (options_.on_checkpoint) options_.on_checkpoint(*text, note_, findings());
    return true;
  }

  // The record given that states this number and could be read, and is of this ledger.
  const CheckedRecord* given(std::uint64_t seq) const {
    for (const CheckedRecord& record : checked_.records) {
      if (record.scan.fault == RecordFault::none && static_cast<std::uint64_t>(record.scan.envelope.seq) == seq) return &record;
    }
    return nullptr;
  }

  void record() {
    const Checkpoint& tree = *report_.checkpoint;
    for (const CheckedRecord& one : checked_.records) {
      if (one.scan.fault != RecordFault::none) {
        findings().add({.code = Code::not_canonical, .offset = static_cast<std::int64_t>(one.scan.offset), .text = one.scan.why});
      } else if (one.scan.envelope.ledger != tree.origin) {
        findings().add({.code = Code::wrong_origin, .seq = one.scan.envelope.seq, .expected = printable(tree.origin),
                        .found = printable(one.scan.envelope.ledger), .text = "the record given belongs to another ledger"});
      }
    }
    const CheckedRecord* const found = given(proof_.index);
    if (found == nullptr) {
      findings().add({.code = Code::record_missing, .expected = "record " + std::to_string(proof_.index),
                      .text = "the record that the proof is for was not given: --record FILE with its exact bytes"});
      return;
    }
    const auto seq = static_cast<std::int64_t>(proof_.index);
    if (found->body_fault.any()) {
      findings().add({.code = Code::body_type, .seq = seq, .found = "`" + found->body_fault.key + "`", .text = "the record's body is not that of its type"});
    }
    if (!verify_inclusion(proof_.index, tree.size, found->leaf, proof_.hashes, tree.root, hash_)) {
      findings().add({.code = Code::proof_mismatch, .seq = seq, .expected = tree.root.base64(), .found = found->leaf.base64(),
                      .text = "the record is not in the signed tree of size " + std::to_string(tree.size)});
      return;
    }
    report_.counts.records = 1;
  }

  // Only the pin says which record 0 is the right one; it names the first key.
  void genesis() {
    const CheckedRecord* const first = given(0);
    if (first == nullptr || !options_.pin || first->scan.envelope.type != RecordType::ledger_genesis) return;
    if (first->leaf != options_.pin->genesis) {
      findings().add({.code = Code::pin_genesis, .seq = 0, .expected = options_.pin->genesis.base64(), .found = first->leaf.base64(),
                      .text = "record 0 is not the pinned one"});
      return;
    }
    if (auto key = parse_vkey(first->body.text_at("vkey"))) first_key_ = *std::move(key);
  }

  // TP-2 wants the key of the checkpoint's epoch. A proof does not show which that is: the first key may be over
  // or revoked since, and whoever has it then can sign any tree. Only keys that the reader's policy names count.
  void signatures() {
    const std::string& origin = report_.checkpoint->origin;
    std::vector<Vkey> known;
    for (const Vkey& key : keys_) {
      if (key.name == origin && std::find(known.begin(), known.end(), key) == known.end()) known.push_back(key);
    }
    std::vector<Vkey> signers;
    const NoteVerdict verdict = verify_note(note_, known, signers);
    if (verdict == NoteVerdict::bad_signature) {
      findings().add({.code = Code::bad_signature, .text = "a signature under the proof's checkpoint is wrong"});
    } else if (verdict == NoteVerdict::ok) {
      report_.counts.signatures = signers.size();
    } else {
      only_first_key();
    }
  }

  void only_first_key() {
    std::vector<Vkey> signers;
    const bool is_named = first_key_ && first_key_->name == report_.checkpoint->origin;
    const NoteVerdict verdict = is_named ? verify_note(note_, {&*first_key_, 1}, signers) : NoteVerdict::unverified;
    if (verdict == NoteVerdict::bad_signature) {
      findings().add({.code = Code::bad_signature, .text = "a signature under the proof's checkpoint is wrong"});
    } else if (verdict == NoteVerdict::ok) {
      findings().add({.code = Code::record_missing, .expected = "the key of that size, in a --policy; or a ledger or bundle",
                      .text = "signed by the ledger's first key, and a proof of one record does not show that it was still in force: an old or revoked key could have signed it"});
    } else {
      findings().add({.code = Code::record_missing, .expected = "the key that signed, in a --policy",
                      .text = "nothing here names the key that signed: give it in a --policy, or a ledger or bundle"});
    }
  }

  void trust() {
    if (!options_.pin) {
      findings().add({.code = Code::no_pin, .text = "no pin was given: nothing says that these are the right keys"});
    } else if (options_.pin->origin != report_.origin) {
      findings().add({.code = Code::pin_origin, .expected = options_.pin->origin, .found = printable(report_.origin),
                      .text = "the pin is of another ledger: is this the right pin?"});
    }
  }

  AuditReport conclude() {
    if (options_.on_proof) options_.on_proof(findings());
    const AuditCounts& n = report_.counts;
    put(VerdictName::integrity, n.records > 0 ? Outcome::pass : Outcome::unknown, n.records,
        "record " + std::to_string(proof_.index) + " is in the signed tree of size " + (report_.checkpoint ? std::to_string(report_.checkpoint->size) : ""));
    put(VerdictName::signatures, n.signatures > 0 ? Outcome::pass : Outcome::unknown, n.signatures,
        "the checkpoint is signed by a key that the policy names; whether it was in force at that size a single proof cannot show");
    put(VerdictName::trust, options_.pin && n.signatures > 0 ? Outcome::pass : Outcome::unknown, 1, "the origin is the pinned one, and the policy names the key");
    put(VerdictName::completeness, Outcome::none, 0, "a proof of one record says nothing of others");
    put(VerdictName::freshness, Outcome::none, 0, "nothing says how new it is");
    put(VerdictName::time, Outcome::none, 0, "times are what the host's own clock said");
    if (options_.anchor) {
      if (const auto anchor = options_.anchor()) put(VerdictName::time, Outcome::pass, 1, anchor->text);
    }
    put(VerdictName::disclosure, Outcome::none, 0, "a proof carries no committed value");
    put(VerdictName::policy, Outcome::none, 0, "no run can be judged from one record");
    put(VerdictName::statements, Outcome::none, 0, "nothing was asked of its runs");
    return std::move(report_);
  }

  void put(VerdictName name, Outcome clean, std::uint64_t checked, std::string text) {
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(name)];
    const Severity worst = findings().worst(name);
    verdict = {clean, checked, std::move(text)};
    if (worst == Severity::fail) verdict.outcome = Outcome::fail;
    if (worst == Severity::unknown) verdict.outcome = Outcome::unknown;
    if (worst == Severity::incomplete && clean != Outcome::unknown) verdict.outcome = Outcome::incomplete;
    if (verdict.outcome == clean && clean != Outcome::unknown) return;
    verdict.text = "nothing could be checked";
    for (const Problem& problem : findings().kept()) {
      if (code_info(problem.code).verdict == name && code_info(problem.code).severity == worst) {
        verdict.text = problem.text;
        break;
      }
    }
  }

  const TlogProof& proof_;
  const std::vector<Vkey>& keys_;
  const AuditOptions& options_;
  AuditReport report_;
  Sha256 hash_;
  RecordBatch batch_;
  CheckedBatch checked_;
  Note note_;
  std::optional<Vkey> first_key_;  // of the pinned record 0
};

}  // namespace

Result<TlogProof> parse_tlog_proof(std::string_view bytes) {
  if (bytes.size() > kMaxProof) return Error{Errc::too_long, "the proof is longer than 1,100,000 bytes"};
  TlogProof out;
  auto line = take_line(bytes);
  if (!line || *line != "c2sp.org/tlog-proof@v1") return malformed("the first line is not c2sp.org/tlog-proof@v1");
  line = take_line(bytes);
  if (line && line->starts_with("extra ")) {
    const auto extra = decode_base64(line->substr(6));
    if (!extra || extra->size() > kMaxExtra) return malformed("`extra` is not base64 of at most 65,536 bytes");
    line = take_line(bytes);
  }
  const auto index = line && line->starts_with("index ") ? parse_decimal(line->substr(6), kMaxSize) : std::nullopt;
  if (!index) return malformed("the line `index N` is missing");
  out.index = *index;
  while (true) {
    line = take_line(bytes);
    if (!line) return malformed("the proof ends before its checkpoint");
    if (line->empty()) break;
    const auto digest = Digest::from_base64(*line);
    if (!digest) return malformed("a line of the proof is not base64 of 32 bytes");
    if (out.hashes.size() == kMaxHashes) return malformed("the proof has more than 63 hashes");
    out.hashes.push_back(*digest);
  }
  out.note = bytes;
  return out;
}

AuditReport audit_proof(const TlogProof& proof, const std::vector<std::string>& records, const std::vector<Vkey>& keys,
                        const AuditOptions& options) {
  return ProofAuditor(proof, records, keys, options).run();
}

}  // namespace ethos::verify
