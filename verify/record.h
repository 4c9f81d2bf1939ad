// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ethos::verify {

// Types of version 1 (record.md R-20), and the two ways of not being one of them.
enum class RecordType : std::uint8_t {
  ledger_genesis, ledger_resume, ledger_hold, ledger_release, ledger_seal, ledger_anchor, ledger_prune,
  key_epoch, key_revoke, data_erase,
  run_open, capability_grant, sandbox_enforced, sandbox_denial, resource_limit, output_captured,
  artifact_exported, sarif_written, run_gap, run_close, run_abort,
  reserved,  // named by the format, not written by version 1
  unknown,
};

RecordType record_type(std::string_view name);
std::string_view record_type_name(RecordType type);

// What scan_record found wrong. `none` means the bytes are a well-formed record of version 1.
enum class RecordFault : std::uint8_t { none, too_long, not_canonical, envelope, unknown_version };

// The envelope of one record: views into the record's bytes, valid as long as these are.
struct Envelope {
  std::string_view body;      // the text of the object, braces included
  std::string_view ledger;
  std::string_view prev;      // 44 base64 characters, decodable
  std::string_view run;       // empty when the three run keys are absent
  std::string_view run_prev;
  std::string_view boot;
  std::string_view type_name;
  std::string_view writer;    // the text of the object; empty when a direct writer wrote the record
  std::int64_t seq = -1;
  std::int64_t run_seq = -1;
  std::int64_t wall_ms = 0;
  std::uint64_t mono_ns = 0;
  RecordType type = RecordType::unknown;

  [[nodiscard]] bool has_run() const { return !run.empty(); }
};

// What of a body is needed besides: what the order of a run depends on (events.md, "Order in a run"), and
// whether it can be true (contradiction.h).
struct BodyFacts {
  static constexpr std::uint16_t kMostCalls = 512;  // x86-64 calls with a name have lower numbers
  bool is_setup = false;    // a denial of phase setup
  bool is_refused = false;  // a close of a refused run
  bool is_audit = false;    // a denial that the kernel's audit told
  bool is_act = false;      // a denial of something that only a program that runs can do
  bool has_no_commitment = false;  // known to have none; false: look
  std::uint64_t acts = 0;   // that a denial stands for
  std::uint16_t call = kMostCalls;  // x86-64 number of the call that the filter told of; kMostCalls: none
  const char* contradiction = nullptr;
};

// Base64 of exactly 32 bytes: 43 characters and one `=`, spare bits zero.
bool is_hash_text(std::string_view text);

struct RecordScan {
  RecordFault fault = RecordFault::none;
  const char* why = "";
  std::size_t offset = 0;
  Envelope envelope;
  bool is_linked = false;  // of unknown_version: the envelope is all there, so its links can be followed
};

// Checks every byte of one record against and its envelope against and
// R-16, in a single pass and without allocating. The body is checked for form only.
RecordScan scan_record(std::string_view bytes);

}  // namespace ethos::verify
