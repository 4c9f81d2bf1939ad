// SPDX-License-Identifier: Apache-2.0
#include "verify/quick_record.h"

#include "verify/encoding.h"
#include "verify/scanner.h"
#include "verify/schema.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kHashChars = 44;
constexpr std::size_t kIdChars = 26;
constexpr std::size_t kLongestType = 32;

// The type stands at the end, but says how to read the body, which comes first. Only a guess: the
// reader comes by and looks again.
std::string_view type_at_end(std::string_view bytes) {
  constexpr std::string_view kEnd = "\",\"v\":1}";
  constexpr std::string_view kKey = "\"type\":\"";
  if (!bytes.ends_with(kEnd)) return {};
  bytes.remove_suffix(kEnd.size());
  const auto quote = bytes.find_last_of('"');
  if (quote == std::string_view::npos || bytes.size() - quote > kLongestType) return {};
  return bytes.substr(0, quote + 1).ends_with(kKey) ? bytes.substr(quote + 1) : std::string_view();
}

class QuickReader {
 public:
  QuickReader(std::string_view bytes, const Envelope& before, Envelope& out, BodyFacts& facts)
      : bytes_(bytes), scan_(bytes, kRecordLimits), before_(before), e_(out), facts_(facts) {}

  bool read() {
    e_.type_name = type_at_end(bytes_);
    e_.type = same_text(e_.type_name, before_.type_name) ? before_.type : record_type(e_.type_name);
    if (!scan_.take("{\"body\":")) return false;
    const std::size_t start = scan_.position();
    if (!quick_run_body(e_.type, scan_, facts_)) return false;
    e_.body = scan_.since(start);
    return scan_.take(",\"ledger\":\"") && text(before_.ledger, e_.ledger) &&        //
           scan_.take(",\"prev\":\"") && hash({}, e_.prev) &&                        //
           scan_.take(",\"run\":\"") && id(before_.run, e_.run) &&                   //
           scan_.take(",\"run_prev\":\"") && hash(e_.prev, e_.run_prev) &&           //
           scan_.take(",\"run_seq\":") && count(e_.run_seq) &&                       //
           scan_.take(",\"seq\":") && count(e_.seq) &&                               //
           scan_.take(",\"ts\":{\"boot\":\"") && id(before_.boot, e_.boot) &&        //
           scan_.take(",\"mono_ns\":\"") && decimal(e_.mono_ns) &&                   //
           scan_.take(",\"wall_ms\":") && count(e_.wall_ms) &&                       //
           scan_.take("},\"type\":\"") && scan_.take(e_.type_name) && scan_.take("\",\"v\":1}") && scan_.at_end();
  }

 private:
  // Is the string here, closing quote included, the one that was good before?
  bool repeats(std::string_view known, std::string_view& out) {
    if (known.empty()) return false;
    const std::size_t start = scan_.position();
    if (!scan_.take(known)) return false;
    out = scan_.since(start);
    if (scan_.take("\"")) return true;
    // A longer string may begin alike.
    scan_.move_to(start);
    return false;
  }
  bool text(std::string_view known, std::string_view& out) {
    if (repeats(known, out)) return true;
    bool escaped = false;
    return scan_.rest_of_string(out, escaped) && !escaped;
  }
  bool fixed(std::size_t size, std::string_view& out) {
    const std::size_t start = scan_.position();
    if (bytes_.size() - start <= size || bytes_[start + size] != '"') return false;
    out = bytes_.substr(start, size);
    scan_.move_to(start + size + 1);
    return true;
  }
  bool hash(std::string_view known, std::string_view& out) { return repeats(known, out) || (fixed(kHashChars, out) && is_hash_text(out)); }
  bool id(std::string_view known, std::string_view& out) { return repeats(known, out) || (fixed(kIdChars, out) && is_id128(out)); }
  bool count(std::int64_t& out) { return scan_.integer(out) && out >= 0; }
  bool decimal(std::uint64_t& out) {
    std::string_view digits;
    bool escaped = false;
    if (!scan_.rest_of_string(digits, escaped)) return false;
    const auto value = parse_decimal(digits);
    if (value) out = *value;
    return value.has_value();
  }

  std::string_view bytes_;
  Scanner scan_;
  const Envelope& before_;
  Envelope& e_;
  BodyFacts& facts_;
};

}  // namespace

bool quick_record(std::string_view bytes, const Envelope& before, Envelope& out, BodyFacts& facts) {
  out = Envelope();
  facts = BodyFacts();
  return bytes.size() <= kRecordLimits.bytes && QuickReader(bytes, before, out, facts).read();
}

}  // namespace ethos::verify
