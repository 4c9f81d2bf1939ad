// SPDX-License-Identifier: Apache-2.0
#include "verify/batch.h"

#include <array>
#include <cstring>

#include "verify/hash_many.h"
#include "verify/quick_record.h"
#include "verify/sha256_lanes.h"

namespace ethos::verify {
namespace {

// Two base64 characters for each 12 bits.
constexpr std::array<std::array<char, 2>, 4096> kPairs = [] {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::array<char, 2>, 4096> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = {alphabet[i >> 6U], alphabet[i & 63U]};
  return table;
}();

// Base64 of exactly 32 bytes. It runs for each record, so it does without std::string.
std::array<char, 44> base64_of(const Digest& digest) {
  std::array<char, 44> out{};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(digest.bytes[i])); };
  const auto put = [&](std::size_t at, unsigned bits) { std::memcpy(out.data() + at, kPairs[bits & 0xfffU].data(), 2); };
  for (std::size_t i = 0, o = 0; i < 30; i += 3, o += 4) {
    const unsigned v = (byte(i) << 16U) | (byte(i + 1) << 8U) | byte(i + 2);
    put(o, v >> 12U);
    put(o + 2, v);
  }
  const unsigned v = (byte(30) << 10U) | (byte(31) << 2U);
  put(40, v >> 6U);
  put(42, v << 6U);
  out[43] = '=';
  return out;
}

// Events come in any number, and all but the first of a run are only counted; grants are compared as
// texts first.
bool needs_tree(RecordType type) {
  switch (type) {
    case RecordType::capability_grant: case RecordType::sandbox_denial: case RecordType::resource_limit: case RecordType::output_captured:
    case RecordType::artifact_exported: case RecordType::run_gap: case RecordType::run_abort:
    case RecordType::ledger_resume: return false;
    default: return true;
  }
}

}  // namespace

HashText::HashText(const Digest& digest, bool quick) {
  if (quick) {
    base64_of_32(digest.bytes.data(), chars.data());
  } else {
    chars = base64_of(digest);
  }
}

namespace {

// A commitment begins like this (commitment.md C-1).
bool may_commit(std::string_view body) {
  constexpr std::string_view kStart = "{\"c\":\"";
  std::size_t at = 0;
#ifdef __SSE2__
  // Braces are frequent, one with a `c` two bytes on is not.
  const __m128i brace = _mm_set1_epi8('{');
  const __m128i letter = _mm_set1_epi8('c');
  for (; at + 18 <= body.size(); at += 16) {
    __m128i here;
    __m128i further;
    std::memcpy(&here, body.data() + at, sizeof here);
    std::memcpy(&further, body.data() + at + 2, sizeof further);
    const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(here, brace), _mm_cmpeq_epi8(further, letter));
    auto mask = static_cast<unsigned>(_mm_movemask_epi8(both));
    for (; mask != 0; mask &= mask - 1) {
      if (body.substr(at + static_cast<std::size_t>(__builtin_ctz(mask))).starts_with(kStart)) return true;
    }
  }
#endif
  return body.find(kStart, at) != std::string_view::npos;
}

void check_record(std::string_view bytes, const Envelope& before, CheckedRecord& checked) {
  checked.scan.fault = RecordFault::none;
  checked.may_commit = false;
  checked.body_fault.kind = BodyFault::Kind::none;
  Envelope& e = checked.scan.envelope;
  if (!quick_record(bytes, before, e, checked.facts)) {
    checked.scan = scan_record(bytes);
    checked.body = Value();
    checked.facts = BodyFacts();
    checked.may_commit = may_commit(e.body);
    if (checked.scan.fault != RecordFault::none) return;
    if (e.type == RecordType::unknown || e.type == RecordType::reserved) return;
    checked.body_fault = check_body(e.type, View(e.body), e.ledger);
    checked.facts = facts_of(e.type, View(e.body), !checked.body_fault.any());
  }
  checked.may_commit = !checked.facts.has_no_commitment && may_commit(e.body);
  if (!needs_tree(e.type)) {
    if (checked.body.kind() != Value::Kind::none) checked.body = Value();
    return;
  }
  // The form was just checked, so this cannot fail.
  if (auto body = parse_canonical(e.body, kRecordLimits)) checked.body = *std::move(body);
}

}  // namespace

void check_batch(const RecordBatch& batch, std::uint64_t first_leaf, CheckedBatch& out, Sha256& hash) {
  const std::size_t count = batch.rows.size();
  out.texts.clear();
  for (const RecordBatch::Row& row : batch.rows) {
    if (!row.is_absent) out.texts.push_back(batch.record(row));
  }
  out.leaves.resize(out.texts.size());
  hash_leaves(out.texts, out.leaves, hash);
  out.records.resize(count);  // what they held before is written over: this runs for every record
  const Envelope none;
  const Envelope* before = &none;
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const RecordBatch::Row& row = batch.rows[i];
    CheckedRecord& checked = out.records[i];
    if (row.is_absent) {
      checked = CheckedRecord();
      checked.leaf = row.stored_hash;
      checked.leaf_text = HashText(checked.leaf);
      checked.stored_hash_fits = true;
      continue;
    }
    checked.leaf = out.leaves[next];
    checked.leaf_text = HashText(checked.leaf);
    checked.stored_hash_fits = checked.leaf == row.stored_hash;
    check_record(out.texts[next++], *before, checked);
    if (checked.scan.fault == RecordFault::none) before = &checked.scan.envelope;
  }
  out.leaves.clear();
  for (const CheckedRecord& checked : out.records) out.leaves.push_back(checked.leaf);
  out.subtrees.build(first_leaf, out.leaves, hash);
}

}  // namespace ethos::verify
