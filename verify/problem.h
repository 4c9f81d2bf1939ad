// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::verify {

// What can be wrong, each under its stable name (verdict.md V-4).
enum class Code : std::uint8_t {
  not_canonical, too_long, envelope, unknown_type, unknown_version, seq_gap, prev_mismatch,
  stored_hash_mismatch, wrong_origin, root_mismatch, genesis,
  note_malformed, bad_signature, unknown_key, epoch_violation, missing_handover, revoked_key,
  checkpoint_missing, tail_unsigned,
  pin_origin, pin_genesis, pin_root, behind_pin, fork,
  schema, integrity_check, typeof_, tail_row, sibling_journal, log_tail, behind_highwater,
  run_seq_gap, run_prev_mismatch, run_order, run_count, body_key, body_type, erase_unknown,
  disclosure_mismatch, disclosure_missing, disclosure_orphan, blob_missing, blob_mismatch, blob_orphan,
  declaration_malformed, normal_mismatch, grant_mismatch, plan_mismatch, enforced_mismatch,
  probe_unexpected, weaker_unnamed, filter_allows, counts_mismatch, contradiction, ceiling_exceeded,
  not_recomputed, sarif_mismatch, sarif_partial, period_empty, run_open, run_aborted, unsealed, after_seal, resume_missing,
  assertion_failed, assertion_unknown, assertion_empty, no_pin, no_records, bundle, bundle_missing, proof_mismatch,
  state_not_compared, behind_memory, memory_root, tiles, tiles_missing, handover_unseen, proof_malformed,
  record_missing, key_not_listed, quorum_unmet, quorum_behind, bad_cosignature, report_mismatch, report_unknown, pruned, prune_mismatch, anchor_mismatch, hold_broken,
  memory_damaged, tool_unseen, clock_stepped, run_unknown, dated_back, steady_back, memory_time, sarif_late, behind_at,
};
inline constexpr std::size_t kCodes = static_cast<std::size_t>(Code::behind_at) + 1;

enum class VerdictName : std::uint8_t {
  integrity, signatures, trust, completeness, freshness, time, disclosure, policy,
  statements,  // what was asserted of the runs, and files that speak of the ledger
};
inline constexpr std::size_t kVerdicts = 9;

// What a problem does to its verdict. A remark does nothing: it is only told.
enum class Severity : std::uint8_t { remark, incomplete, unknown, fail };

struct CodeInfo {
  Code code;
  std::string_view name;
  VerdictName verdict;
  Severity severity;
  std::string_view meaning;  // what it says about the evidence
  std::string_view cause;    // what must have happened, honest or not
};

const CodeInfo& code_info(Code code);
// Nothing of that name: null.
const CodeInfo* find_code(std::string_view name);
std::string_view verdict_name(VerdictName name);

struct Problem {
  Code code{};
  std::int64_t seq = -1;     // record it is about, -1 when none
  std::int64_t offset = -1;  // byte offset in that record
  std::string run = {};
  std::string expected = {};
  std::string found = {};
  std::string text = {};
};

// Collects problems. Keeps the first hundred and counts all.
class Findings {
 public:
  static constexpr std::size_t kKept = 100;

  void add(Problem problem);
  // Adds what `earlier` holds, as if it had been found before all else.
  void prepend(const Findings& earlier);

  [[nodiscard]] std::uint64_t count(Code code) const {
    return counts_[static_cast<std::size_t>(code)];
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  // The gravest effect on a verdict so far.
  [[nodiscard]] Severity worst(VerdictName verdict) const {
    return worst_[static_cast<std::size_t>(verdict)];
  }
  [[nodiscard]] const std::vector<Problem>& kept() const { return kept_; }
  // The first of the gravest kind that a verdict has, whether or not it is kept.
  [[nodiscard]] const std::optional<Problem>& leading(VerdictName verdict) const { return leading_[static_cast<std::size_t>(verdict)]; }
  // Of the gravest kind of failure (integrity, then signatures, trust, others) the one at the lowest
  // record number; null when nothing failed.
  [[nodiscard]] const Problem* first_bad() const { return has_first_ ? &first_ : nullptr; }

 private:
  // Takes a failure as the first one when it is graver or earlier than the one held.
  void weigh(const Problem& problem);

  std::array<std::uint64_t, kCodes> counts_{};
  std::array<Severity, kVerdicts> worst_{};
  std::array<std::optional<Problem>, kVerdicts> leading_;
  std::uint64_t total_ = 0;
  std::vector<Problem> kept_;
  Problem first_;
  bool has_first_ = false;
};

}  // namespace ethos::verify
