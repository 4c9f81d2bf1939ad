// SPDX-License-Identifier: Apache-2.0
#include "verify/quick_record.h"

#include "verify/encoding.h"
#include "verify/quick_text.h"
#include "verify/schema.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kHashChars = 44;
constexpr std::size_t kIdChars = 26;
constexpr std::size_t kLongestType = 32;

// Takes the writer from the end of `bytes`, brace included, if it is the one that was good before.
std::string_view writer_at_end(std::string_view& bytes, std::string_view known) {
  constexpr std::string_view kKey = ",\"writer\":";
  const std::size_t size = kKey.size() + known.size() + 1;
  if (known.empty() || bytes.size() < size) return {};
  const std::string_view last = bytes.substr(bytes.size() - size);
  const std::string_view writer = last.substr(kKey.size(), known.size());
  if (!same_text(writer, known) || !last.starts_with(kKey)) return {};
  bytes.remove_suffix(size);
  return writer;
}

// The type stands near the end, but says how to read the body, which comes first. Only a guess: the
// reader comes by and looks again.
std::string_view type_at_end(std::string_view bytes, std::string_view before) {
  constexpr std::string_view kEnd = "\",\"v\":1";
  constexpr std::string_view kKey = "\"type\":\"";
  if (!bytes.ends_with(kEnd)) return {};
  bytes.remove_suffix(kEnd.size());
  const std::size_t usual = kKey.size() + before.size();
  if (bytes.size() > usual) {
    const std::string_view last = bytes.substr(bytes.size() - usual);
    if (same_text(last.substr(kKey.size()), before) && last.starts_with(kKey))
      return last.substr(kKey.size());
  }
  const auto quote = bytes.find_last_of('"');
  if (quote == std::string_view::npos || bytes.size() - quote > kLongestType) return {};
  return bytes.substr(0, quote + 1).ends_with(kKey) ? bytes.substr(quote + 1) : std::string_view();
}

// Is the string here, closing quote included, the one that was good before? A longer one may begin
// alike.
[[gnu::always_inline]] inline bool repeats(QuickText& text, std::string_view known,
                                           std::string_view& out) {
  if (known.empty() || text.left() <= known.size() || text.at[known.size()] != '"' ||
      !same_bytes(text.at, known.data(), known.size()))
    return false;
  out = {text.at, known.size()};
  text.at += known.size() + 1;
  return true;
}

template <std::size_t Size>
[[gnu::always_inline]] inline bool fixed(QuickText& text, std::string_view& out) {
  if (text.left() <= Size || text.at[Size] != '"') return false;
  out = {text.at, Size};
  text.at += Size + 1;
  return true;
}

[[gnu::always_inline]] inline bool plain(QuickText& text, std::string_view known,
                                         std::string_view& out) {
  return repeats(text, known, out) || quick_rest_of_string(text, out);
}
[[gnu::always_inline]] inline bool hash(QuickText& text, std::string_view known,
                                        std::string_view& out) {
  return repeats(text, known, out) || (fixed<kHashChars>(text, out) && is_hash_text(out));
}
[[gnu::always_inline]] inline bool id(QuickText& text, std::string_view known,
                                      std::string_view& out) {
  return repeats(text, known, out) || (fixed<kIdChars>(text, out) && is_id128(out));
}

// Clocks that run for a third of a year have more digits than the quick way reads.
[[gnu::always_inline]] inline bool decimal(QuickText& text, std::uint64_t& out) {
  const QuickText start = text;
  if (quick_digits(text, out)) return text.take("\"");
  text = start;
  std::string_view digits;
  if (!quick_rest_of_string(text, digits)) return false;
  const auto value = parse_decimal(digits);
  if (value) out = *value;
  return value.has_value();
}

}  // namespace

bool quick_record(std::string_view bytes, const Envelope& before, Envelope& out, BodyFacts& facts) {
  facts = BodyFacts();
  if (bytes.size() > kRecordLimits.bytes || !bytes.ends_with('}')) return false;
  std::string_view front = bytes;
  out.writer = writer_at_end(front, before.writer);
  if (out.writer.empty()) front.remove_suffix(1);
  const std::string_view type = type_at_end(front, before.type_name);
  out.type_name = type;
  out.type = same_text(type, before.type_name) ? before.type : record_type(type);
  QuickText text{bytes.data(), bytes.data() + bytes.size()};
  if (!text.take("{\"body\":")) return false;
  const char* const body = text.at;
  text.at = quick_run_body(out.type, body, text.end, facts);
  if (text.at == nullptr) return false;
  out.body = {body, static_cast<std::size_t>(text.at - body)};
  return text.take(",\"ledger\":\"") && plain(text, before.ledger, out.ledger) &&     //
         text.take(",\"prev\":\"") && hash(text, {}, out.prev) &&                     //
         text.take(",\"run\":\"") && id(text, before.run, out.run) &&                 //
         text.take(",\"run_prev\":\"") && hash(text, out.prev, out.run_prev) &&       //
         text.take(",\"run_seq\":") && quick_count(text, out.run_seq) &&              //
         text.take(",\"seq\":") && quick_count(text, out.seq) &&                      //
         text.take(",\"ts\":{\"boot\":\"") && id(text, before.boot, out.boot) &&      //
         text.take(",\"mono_ns\":\"") && decimal(text, out.mono_ns) &&                //
         text.take(",\"wall_ms\":") && quick_count(text, out.wall_ms) &&              //
         text.take("},\"type\":\"") && text.take(type) && text.take("\",\"v\":1") &&  //
         text.at == front.data() + front.size();  // what stands behind was looked at
}

}  // namespace ethos::verify
