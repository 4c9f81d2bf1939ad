// SPDX-License-Identifier: Apache-2.0
#include "verify/chain.h"

#include <algorithm>
#include <cstdlib>

#include "verify/checkpoint.h"
#include "verify/encoding.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kClockSlackMs = 2000;

Code code_of(RecordFault fault) {
  switch (fault) {
    case RecordFault::too_long: return Code::too_long;
    case RecordFault::envelope: return Code::envelope;
    case RecordFault::unknown_version: return Code::unknown_version;
    default: return Code::not_canonical;
  }
}

bool is_foreign(const CheckedRecord& record) {
  const RecordType type = record.scan.envelope.type;
  return record.scan.fault == RecordFault::unknown_version || type == RecordType::unknown || type == RecordType::reserved;
}

}  // namespace

bool ChainChecker::check_form(std::int64_t seq, const CheckedRecord& record, Findings& findings) {
  const RecordScan& scan = record.scan;
  if (scan.fault != RecordFault::none) {
    findings.add({.code = code_of(scan.fault), .seq = seq, .offset = static_cast<std::int64_t>(scan.offset),
                  .text = scan.why});
    return false;
  }
  const Envelope& e = scan.envelope;
  if (e.type == RecordType::unknown || e.type == RecordType::reserved) {
    findings.add({.code = Code::unknown_type, .seq = seq, .found = printable(e.type_name),
                  .text = "a type that this verifier cannot judge"});
    return false;
  }
  // Their values stand first among the types.
  const bool ledger_level = e.type < RecordType::data_erase;
  const bool either = e.type == RecordType::data_erase;
  if (!either && e.has_run() == ledger_level) {
    findings.add({.code = Code::envelope, .seq = seq, .found = std::string(e.type_name),
                  .text = ledger_level ? "a ledger's own record carries a run" : "a run's record names no run"});
    return false;
  }
  // what no producer hands over.
  if (!e.writer.empty() && (ledger_level || either || e.type == RecordType::run_abort)) {
    findings.add({.code = Code::envelope, .seq = seq, .found = std::string(e.type_name),
                  .text = "a record that only the ledger's own programs make names a writer"});
    return false;
  }
  if (record.body_fault.any()) {
    using Kind = BodyFault::Kind;
    const Kind kind = record.body_fault.kind;
    const Code code = kind == Kind::key ? Code::body_key
                      : kind == Kind::type ? Code::body_type : Code::unknown_version;
    findings.add({.code = code, .seq = seq, .found = "`" + record.body_fault.key + "` in " + std::string(e.type_name),
                  .text = std::string(code_info(code).meaning)});
    return false;
  }
  return true;
}

void ChainChecker::check_genesis(std::int64_t seq, const CheckedRecord& record, Findings& findings) {
  const Envelope& e = record.scan.envelope;
  if (is_sealed_) {
    findings.add({.code = Code::after_seal, .seq = seq, .found = std::string(e.type_name),
                  .text = "a record stands after the seal"});
  }
  is_sealed_ = is_sealed_ || e.type == RecordType::ledger_seal;
  const bool is_genesis = e.type == RecordType::ledger_genesis;
  if ((seq == 0) == is_genesis) return;
  findings.add({.code = Code::genesis, .seq = seq, .found = std::string(e.type_name),
                .text = is_genesis ? "a genesis record stands in the middle" : "record 0 is not a genesis record"});
}

void ChainChecker::check_links(std::int64_t seq, const CheckedRecord& record, Findings& findings) {
  const Envelope& e = record.scan.envelope;
  if (e.seq != seq) {
    findings.add({.code = Code::seq_gap, .seq = seq, .expected = std::to_string(seq), .found = std::to_string(e.seq),
                  .text = "the record states another number than its place"});
  }
  if (records_ == 0) {
    origin_ = e.ledger;
    if (!is_origin(origin_)) {
      findings.add({.code = Code::envelope, .seq = seq, .found = printable(e.ledger),
                    .text = "`ledger` is not an origin"});
    }
  } else if (!same_text(e.ledger, origin_)) {
    findings.add({.code = Code::wrong_origin, .seq = seq, .expected = printable(origin_), .found = printable(e.ledger),
                  .text = "the record belongs to another ledger"});
  }
  // Record 0 follows 32 zero bytes, which is what last_leaf_ begins as.
  if (follows_ && !last_text_.is(e.prev) && !last_was_bad_) {
    findings.add({.code = Code::prev_mismatch, .seq = seq, .expected = last_leaf_.base64(), .found = std::string(e.prev),
                  .text = "`prev` is not the hash of the record before"});
  }
}

void ChainChecker::check_clock(std::int64_t seq, const Envelope& e, bool is_usable, Findings& findings) {
  const bool resume = e.type == RecordType::ledger_resume;
  // What a newer program says of the clock is not known.
  const bool is_unknown = e.type == RecordType::unknown || e.type == RecordType::reserved;
  if (clock_ && follows_) {
    std::int64_t jump = e.wall_ms - clock_->wall_ms;
    bool stepped = jump < -kClockSlackMs;
    if (same_text(clock_->boot, e.boot)) {
      const auto mono_ms = [](std::uint64_t ns) { return static_cast<std::int64_t>(ns / 1'000'000U); };
      jump -= mono_ms(e.mono_ns) - mono_ms(clock_->mono_ns);
      stepped = jump < -kClockSlackMs || jump > kClockSlackMs;
    }
    const std::int64_t told = resume && is_usable ? View(e.body).at("step_ms").number() : jump;
    if (told != jump || (resume && !stepped)) {
      findings.add({.code = Code::contradiction, .seq = seq, .expected = std::to_string(jump) + " ms", .found = std::to_string(told) + " ms",
                    .text = "a ledger.resume record tells of another step of the clock than its neighbours show"});
    }
    if (stepped && !resume && !is_unknown && !clock_->resume) {
      findings.add({.code = Code::resume_missing, .seq = seq, .found = std::to_string(jump) + " ms",
                    .text = "the wall clock jumped and no ledger.resume record says so"});
    }
  }
  if (resume && is_usable) steps_.on_step(seq, View(e.body).at("step_ms").number());
  if (!first_wall_ms_) first_wall_ms_ = e.wall_ms;
  steps_.span_ms = e.wall_ms - *first_wall_ms_;
  if (!clock_ || clock_->boot != e.boot) {
    ++steps_.boots;
    most_mono_ns_ = e.mono_ns;
  } else if (e.mono_ns > clock_->mono_ns) {
    steps_.on_steady(static_cast<std::int64_t>(e.mono_ns / 1'000'000U - clock_->mono_ns / 1'000'000U));
  }
  // A record may wait an hour for its commit (the service's own bound); a direct writer that was stopped, longer.
  constexpr std::uint64_t kMostWait = std::uint64_t{3'601} * 1'000'000'000;
  if (most_mono_ns_ > kMostWait && e.mono_ns < most_mono_ns_ - kMostWait) {
    steps_.on_steady_back(seq, static_cast<std::int64_t>((most_mono_ns_ - e.mono_ns) / 1'000'000U));
  }
  most_mono_ns_ = std::max(most_mono_ns_, e.mono_ns);
  if (!clock_) clock_ = Clock{};
  if (!same_text(clock_->boot, e.boot)) clock_->boot = e.boot;
  clock_->mono_ns = e.mono_ns;
  clock_->wall_ms = e.wall_ms;
  clock_->resume = resume || is_unknown;
}

void ChainChecker::check_place(const RecordBatch::Row& row, Findings& findings) {
  follows_ = row.seq == expected_seq_;
  if (!follows_ && (!is_sparse_ || row.seq < expected_seq_)) {
    findings.add({.code = Code::seq_gap, .seq = expected_seq_, .expected = std::to_string(expected_seq_),
                  .found = std::to_string(row.seq), .text = "rows are not numbered without a hole"});
  }
}

void ChainChecker::skip(const RecordBatch::Row& row, Findings& findings) {
  check_place(row, findings);
  expected_seq_ = row.seq + 1;
  last_leaf_ = row.stored_hash;
  last_text_ = HashText(last_leaf_);
  last_was_bad_ = false;
  clock_.reset();
}

ChainChecker::Use ChainChecker::check(const RecordBatch::Row& row, const CheckedRecord& record, Findings& findings) {
  check_place(row, findings);
  expected_seq_ = row.seq + 1;
  if (!record.stored_hash_fits) {
    findings.add({.code = Code::stored_hash_mismatch, .seq = row.seq, .expected = row.stored_hash.base64(),
                  .found = record.leaf.base64(), .text = "the record's bytes do not have (found) the stored hash (expected)"});
  }
  if (row.seq == 0) genesis_leaf_ = record.leaf;
  const bool usable = check_form(row.seq, record, findings);
  // Links are worth checking when the envelope could be read, whatever is wrong with the body.
  const bool readable = record.scan.fault == RecordFault::none || record.scan.is_linked;
  if (readable) {
    check_links(row.seq, record, findings);
    check_clock(row.seq, record.scan.envelope, usable, findings);
    if (!is_foreign(record)) check_genesis(row.seq, record, findings);
  } else {
    clock_.reset();
  }
  ++records_;
  last_leaf_ = record.leaf;
  last_text_ = record.leaf_text;
  last_was_bad_ = !record.stored_hash_fits;
  if (usable) return Use::all;
  if (record.scan.fault == RecordFault::unknown_version && !readable) return Use::opaque;
  if (!readable) return Use::nothing;
  return is_foreign(record) ? Use::foreign : Use::envelope;
}

}  // namespace ethos::verify
