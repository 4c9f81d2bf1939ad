// SPDX-License-Identifier: Apache-2.0
#include "verify/batch.h"

#include <array>
#include <cstring>

namespace ethos::verify {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Base64 of exactly 32 bytes. It runs twice a record, so it does without std::string.
std::array<char, 44> base64_of(const Digest& digest) {
  std::array<char, 44> out{};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(digest.bytes[i]); };
  std::size_t o = 0;
  for (std::size_t i = 0; i < 30; i += 3) {
    const unsigned v = (static_cast<unsigned>(byte(i)) << 16U) |
                       (static_cast<unsigned>(byte(i + 1)) << 8U) | byte(i + 2);
    out[o++] = kAlphabet[v >> 18U];
    out[o++] = kAlphabet[(v >> 12U) & 63U];
    out[o++] = kAlphabet[(v >> 6U) & 63U];
    out[o++] = kAlphabet[v & 63U];
  }
  const unsigned v = (static_cast<unsigned>(byte(30)) << 10U) | (static_cast<unsigned>(byte(31)) << 2U);
  out[o++] = kAlphabet[v >> 12U];
  out[o++] = kAlphabet[(v >> 6U) & 63U];
  out[o++] = kAlphabet[v & 63U];
  out[o] = '=';
  return out;
}

// Events come in any number, and all but the first of a run are only counted.
bool needs_tree(RecordType type) {
  switch (type) {
    case RecordType::sandbox_denial: case RecordType::resource_limit: case RecordType::output_captured:
    case RecordType::artifact_exported: case RecordType::run_gap: case RecordType::run_abort:
    case RecordType::ledger_resume: return false;
    default: return true;
  }
}

}  // namespace

bool same_hash(std::string_view base64, const Digest& digest) {
  const auto text = base64_of(digest);
  return base64 == std::string_view(text.data(), text.size());
}

std::vector<CheckedRecord> check_batch(const RecordBatch& batch, Sha256& hash) {
  std::vector<CheckedRecord> out(batch.rows.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const RecordBatch::Row& row = batch.rows[i];
    const std::string_view bytes = batch.record(row);
    CheckedRecord& checked = out[i];
    if (row.is_absent) {
      checked.leaf = row.stored_hash;
      checked.stored_hash_fits = true;
      continue;
    }
    checked.leaf = hash.leaf(bytes);
    checked.stored_hash_fits = checked.leaf == row.stored_hash;
    checked.scan = scan_record(bytes);
    if (checked.scan.fault != RecordFault::none) continue;
    const Envelope& e = checked.scan.envelope;
    if (e.type == RecordType::unknown || e.type == RecordType::reserved) continue;
    checked.body_fault = check_body(e.type, View(e.body), e.ledger);
    // The form was just checked, so this cannot fail.
    if (!needs_tree(e.type)) continue;
    if (auto body = parse_canonical(e.body, kRecordLimits)) checked.body = *std::move(body);
  }
  return out;
}

}  // namespace ethos::verify
