// SPDX-License-Identifier: Apache-2.0
#include "verify/show_record.h"

#include <functional>

#include "verify/documents.h"
#include "verify/encoding.h"
#include "verify/record.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxShown = std::size_t{1} << 20U;  // of one value
constexpr std::size_t kMaxLine = kMaxShown + 1000;

void each_commitment(const Value& value, const std::function<void(const Value&)>& take) {
  if (value.is_object() && value.size() == 3 && value.at("c").is_string() &&
      value.at("kind").is_string() && value.at("n").is_integer())
    return take(value);
  for (const Value& item : value.items()) each_commitment(item, take);
}

Value opened(EvidenceSource& source, const Value& commitment) {
  Value out = Value::object();
  out.set("kind", commitment.at("kind")).set("c", commitment.at("c"));
  const auto c = Digest::from_base64(commitment.text_at("c"));
  const auto stored = c ? source.disclosure(*c) : std::nullopt;
  Sha256 hash;
  if (!stored) {
    out.set("state", Value::of("not disclosed"));
  } else if (commit(stored->salt, stored->bytes, hash) != *c) {
    out.set("state", Value::of("not the committed value"));
  } else if (stored->bytes.size() > kMaxShown) {
    out.set("state", Value::of("disclosed, too long to be shown"));
  } else {
    out.set("state", Value::of("disclosed"));
    if (is_utf8(stored->bytes)) {
      out.set("text", Value::of(stored->bytes));
    } else {
      out.set("base64", Value::of(encode_base64(stored->bytes)));
    }
  }
  return out;
}

// A value a line below the name of its place, so that a record can be read.
void lines_of(const Value& value, const std::string& place, const Zone& zone, std::vector<std::string>& out) {
  if (value.size() == 0 || (!value.is_object() && !value.is_array())) {
    const bool is_date = place == "ts.wall_ms" && value.is_integer();
    out.push_back("  " + place + "  " + printable(encode_canonical(value), kMaxLine) +
                  (is_date ? "  (" + zoned_text(value.number(), zone) + ")" : ""));
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string name =
        value.is_object() ? printable(value.keys()[i], 100) : std::to_string(i);
    lines_of(value.items()[i], place.empty() ? name : place + "." + name, zone, out);
  }
}

}  // namespace

Value show_record(EvidenceSource& source, std::int64_t seq) {
  const auto bytes = source.record(seq);
  if (!bytes) return {};
  Value out = Value::object();
  Value values = Value::array();
  if (const auto tree = parse_canonical(*bytes, kRecordLimits)) {
    each_commitment(tree->at("body"),
                    [&](const Value& commitment) { values.push(opened(source, commitment)); });
  }
  // A changed one may be no text at all.
  out.set("seq", Value::of(seq))
      .set("record", Value::of(is_utf8(*bytes) ? *bytes : printable(*bytes, 100'000)))
      .set("values", std::move(values));
  return out;
}

std::vector<std::string> show_words(const Value& shown, const Zone& zone) {
  std::vector<std::string> out;
  const auto tree = parse_canonical(shown.text_at("record"), kRecordLimits);
  if (tree) {
    lines_of(*tree, "", zone, out);
  } else {
    out.push_back("  " + printable(shown.text_at("record"), kMaxLine));
  }
  for (const Value& value : shown.at("values").items()) {
    std::string line = "  committed " + printable(value.text_at("kind"), 40) + " " +
                       printable(value.text_at("c"), 60) + ": " + value.text_at("state");
    if (value.has("text")) line += ": " + printable(value.text_at("text"), kMaxLine);
    if (value.has("base64")) line += ", not text (--json has it as base64)";
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace ethos::verify
