// SPDX-License-Identifier: Apache-2.0
#include "verify/record.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "verify/digest.h"
#include "verify/encoding.h"
#include "verify/scanner.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

using enum RecordType;

constexpr std::array<std::pair<std::string_view, RecordType>, 21> kTypes{{
    {"ledger.genesis", ledger_genesis}, {"ledger.resume", ledger_resume},
    {"ledger.hold", ledger_hold}, {"ledger.release", ledger_release},
    {"ledger.seal", ledger_seal}, {"ledger.anchor", ledger_anchor}, {"ledger.prune", ledger_prune},
    {"key.epoch", key_epoch}, {"key.revoke", key_revoke}, {"data.erase", data_erase},
    {"run.open", run_open}, {"capability.grant", capability_grant},
    {"sandbox.enforced", sandbox_enforced}, {"runtime.sandbox_denial", sandbox_denial},
    {"resource.limit", resource_limit}, {"output.captured", output_captured},
    {"artifact.exported", artifact_exported}, {"sarif.written", sarif_written},
    {"run.gap", run_gap}, {"run.close", run_close}, {"run.abort", run_abort},
}};

constexpr std::array<std::string_view, 2> kReserved{"ledger.upgrade", "key.retire"};

// Base64 digits whose two low bits are zero: those that may end 32 bytes.
constexpr std::string_view kEndingDigits = "AEIMQUYcgkosw048";

#ifdef __SSE2__
bool all_base64(const char* sixteen) {
  __m128i block;
  std::memcpy(&block, sixteen, sizeof block);
  const auto up_to = [](__m128i offset, char last) { return _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(last)), offset); };
  const __m128i lower = _mm_or_si128(block, _mm_set1_epi8(0x20));
  const __m128i letter = up_to(_mm_sub_epi8(lower, _mm_set1_epi8('a')), 25);
  const __m128i slash_or_digit = up_to(_mm_sub_epi8(block, _mm_set1_epi8('/')), 10);
  const __m128i plus = _mm_cmpeq_epi8(block, _mm_set1_epi8('+'));
  return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letter, slash_or_digit), plus)) == 0xffff;
}
#else
bool all_base64(const char* sixteen) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return std::string_view(sixteen, 16).find_first_not_of(digits) == std::string_view::npos;
}
#endif

// Reads the members of one record in the only order they can stand in.
class RecordReader {
 public:
  RecordReader(std::string_view bytes, RecordScan& out)
      : scan_(bytes, kRecordLimits), out_(out), e_(out.envelope) {}

  bool read() {
    if (!scan_.literal('{')) return canonical();
    return object("body", e_.body) && text("ledger", e_.ledger) && hash("prev", e_.prev) &&
           run_keys() && number("seq", e_.seq) && ts() && text("type", e_.type_name) && version() &&
           finish();
  }

 private:
  bool canonical() {
    out_.fault = RecordFault::not_canonical;
    out_.why = scan_.fault();
    out_.offset = scan_.offset();
    return false;
  }
  bool envelope(const char* why, std::size_t offset) {
    out_.fault = RecordFault::envelope;
    out_.why = why;
    out_.offset = offset;
    return false;
  }

  // The key that must come now. Keys ascend, so any other one is missing, extra or out of order:
  // the text as a whole is scanned to tell a broken form from a wrong envelope.
  bool name(std::string_view wanted) {
    if (!first_ && !scan_.literal(',')) return canonical();
    const std::size_t start = scan_.position();
    std::string_view found;
    if (!scan_.key(found)) return canonical();
    if (found != wanted) return envelope("a key of the envelope is missing, extra or out of order", start);
    first_ = false;
    if (!scan_.literal(':')) return canonical();
    value_start_ = scan_.position();
    return true;
  }

  bool object(std::string_view key, std::string_view& out) {
    if (!name(key)) return false;
    if (scan_.peek() != '{') return wrong_type();
    if (!scan_.value(1)) return canonical();
    out = scan_.since(value_start_);
    return true;
  }
  bool text(std::string_view key, std::string_view& out) {
    if (!name(key)) return false;
    return text_value(out);
  }
  bool text_value(std::string_view& out) {
    if (scan_.peek() != '"') return wrong_type();
    bool escaped = false;
    if (!scan_.string(out, escaped)) return canonical();
    return !escaped || envelope("an envelope string holds an escape", value_start_);
  }
  bool hash(std::string_view key, std::string_view& out) {
    if (!text(key, out)) return false;
    return is_hash_text(out) || envelope("not base64 of 32 bytes", value_start_);
  }
  bool number(std::string_view key, std::int64_t& out) {
    if (!name(key)) return false;
    return number_value(out);
  }
  bool number_value(std::int64_t& out) {
    const char c = scan_.peek();
    if (c != '-' && (c < '0' || c > '9')) return wrong_type();
    if (!scan_.integer(out)) return canonical();
    return out >= 0 || envelope("negative", value_start_);
  }
  bool wrong_type() {
    // What stands there may also break the canonical form; that is the graver fault.
    if (!scan_.value(1)) return canonical();
    return envelope("a value of another JSON type", value_start_);
  }

  // `run`, `run_prev`, `run_seq`: all three or none.
  bool run_keys() {
    if (!next_key_is("run")) return true;
    if (!text("run", e_.run)) return false;
    if (!is_id128(e_.run)) return envelope("not a run id", value_start_);
    return hash("run_prev", e_.run_prev) && number("run_seq", e_.run_seq);
  }
  bool next_key_is(std::string_view wanted) {
    Scanner ahead = scan_;
    std::string_view found;
    return ahead.literal(',') && ahead.key(found) && found == wanted;
  }

  bool ts() {
    if (!name("ts")) return false;
    if (scan_.peek() != '{') return wrong_type();
    if (!scan_.literal('{')) return canonical();
    first_ = true;
    if (!text("boot", e_.boot)) return false;
    if (!is_id128(e_.boot)) return envelope("ts.boot is not 26 base32 characters", value_start_);
    std::string_view mono;
    if (!text("mono_ns", mono)) return false;
    const auto ns = parse_decimal(mono);
    if (!ns) return envelope("ts.mono_ns is not a decimal number", value_start_);
    e_.mono_ns = *ns;
    if (!number("wall_ms", e_.wall_ms)) return false;
    return scan_.literal('}') || unexpected();
  }

  bool version() {
    std::int64_t v = 0;
    if (!number("v", v)) return false;
    if (v == 1) return writer();
    out_.fault = RecordFault::unknown_version;
    out_.why = "v is not 1";
    out_.offset = value_start_;
    out_.is_linked = scan_.literal('}') && scan_.at_end();
    return false;
  }

  // who handed the record to the service; absent from a direct writer's.
  bool writer() {
    if (!next_key_is("writer")) return true;
    if (!name("writer")) return false;
    if (scan_.peek() != '{') return wrong_type();
    const std::size_t start = scan_.position();
    if (!scan_.literal('{')) return canonical();
    first_ = true;
    if (next_key_follows("cage")) {
      if (!name("cage")) return false;
      if (!scan_.value(1)) return canonical();
      if (scan_.since(value_start_) != "true") return envelope("writer.cage is not true", value_start_);
    }
    std::string_view exe;
    if (first_ ? next_key_follows("exe") : next_key_is("exe")) {
      if (!text("exe", exe)) return false;
      if (!is_digest_text(exe)) return envelope("writer.exe is not a digest", value_start_);
    }
    std::int64_t id = 0;
    if (!number("gid", id) || !number("pid", id) || !number("uid", id)) return false;
    if (!scan_.literal('}')) return unexpected();
    e_.writer = scan_.since(start);
    return true;
  }
  bool next_key_follows(std::string_view wanted) {
    Scanner ahead = scan_;
    std::string_view found;
    return ahead.key(found) && found == wanted;
  }
  static bool is_digest_text(std::string_view text) {
    constexpr std::string_view prefix = "sha256:";
    return text.size() == prefix.size() + 64 && text.starts_with(prefix) &&
           text.find_first_not_of("0123456789abcdef", prefix.size()) == std::string_view::npos;
  }

  // Something stands where an object should end: a further key, or a broken form.
  bool unexpected() {
    Scanner ahead = scan_;
    std::string_view found;
    if (ahead.literal(',') && ahead.key(found)) {
      return envelope("an unknown key", scan_.position());
    }
    return canonical();
  }

  bool finish() {
    if (!scan_.literal('}')) return unexpected();
    if (!scan_.at_end()) return canonical();
    e_.type = record_type(e_.type_name);
    return true;
  }

  Scanner scan_;
  RecordScan& out_;
  Envelope& e_;
  bool first_ = true;
  std::size_t value_start_ = 0;
};

}  // namespace

bool is_hash_text(std::string_view text) {
  if (text.size() != 44 || text[43] != '=') return false;
  // The last sixteen overlap the ones before.
  return all_base64(text.data()) && all_base64(text.data() + 16) && all_base64(text.data() + 27) &&
         kEndingDigits.find(text[42]) != std::string_view::npos;
}

RecordType record_type(std::string_view name) {
  for (const auto& [text, type] : kTypes) {
    if (text == name) return type;
  }
  for (const auto& text : kReserved) {
    if (text == name) return reserved;
  }
  return unknown;
}

std::string_view record_type_name(RecordType type) {
  for (const auto& [text, value] : kTypes) {
    if (value == type) return text;
  }
  return type == reserved ? "(reserved)" : "(unknown)";
}

RecordScan scan_record(std::string_view bytes) {
  RecordScan out;
  if (bytes.size() > kRecordLimits.bytes) {
    out.fault = RecordFault::too_long;
    out.why = "longer than 16,384 bytes";
    out.offset = kRecordLimits.bytes;
    return out;
  }
  RecordReader reader(bytes, out);
  if (reader.read()) return out;
  if (out.fault == RecordFault::not_canonical) return out;
  // The envelope or version is wrong at some point: is the rest at least in the one form? A broken
  // form is named first, because then nobody can say what the record claims.
  Scanner whole(bytes, kRecordLimits);
  if (!whole.whole_value()) {
    out.fault = RecordFault::not_canonical;
    out.why = whole.fault();
    out.offset = whole.offset();
    return out;
  }
  // Another version may have another envelope.
  const View v = View(bytes).at("v");
  if (out.fault == RecordFault::envelope && v.is_integer() && v.number() != 1) {
    out.fault = RecordFault::unknown_version;
    out.why = "v is not 1";
    out.offset = static_cast<std::size_t>(v.source().data() - bytes.data());
  }
  return out;
}

}  // namespace ethos::verify
