// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/digest.h"

#include <array>
#include <cstdint>
#include <optional>

#include "ledger/base/bytes.h"
#include "ledger/base/hex.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/sha256.h"
#include "sarif/json/reader.h"
#include "sarif/log/reading.h"

namespace ethos::sarif {
namespace {

// Passes bytes on and hashes them on the way.
class HashingSource final : public ByteSource {
 public:
  explicit HashingSource(ByteSource& inner) : inner_(inner) {}

  std::ptrdiff_t read(std::span<char> into) override {
    const std::ptrdiff_t got = inner_.read(into);
    if (got > 0) hash_.update(std::as_bytes(into.first(static_cast<std::size_t>(got))));
    return got;
  }

  std::string text() { return hash_.finish().text(); }

 private:
  ByteSource& inner_;
  record::Sha256 hash_;
};

// U+0000 has no form in ethos-json/1: U+FFFD stands for it.
std::string without_nul(std::string text) {
  for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at)) {
    text.replace(at, 1, "\xEF\xBF\xBD");
  }
  return text;
}

// Puts the members of the projection down; they come in ascending order of their keys.
class Projection {
 public:
  void text(std::string_view key, const std::optional<JsonView>& value) {
    if (!value || !value->is_string()) return;
    begin(key);
    record::append_json_string(out_, without_nul(value->text()));
  }

  void number(std::string_view key, const std::optional<JsonView>& value) {
    if (!value) return;
    const auto number = value->integer();
    // -0 is no integer of ethos-json/1.
    if (!number || value->token() == "-0" || *number > record::kMaxInteger || *number < -record::kMaxInteger) return;
    begin(key);
    out_ += std::to_string(*number);
  }

  std::string finish() && { return std::move(out_) + "}"; }

 private:
  void begin(std::string_view key) {
    out_ += out_.size() == 1 ? "\"" : ",\"";
    out_ += key;
    out_ += "\":";
  }

  std::string out_ = "{";
};

}  // namespace

std::string result_projection(const JsonView& result) {
  std::optional<JsonView> place;
  if (const auto locations = result.find("locations")) {
    if (const auto first = locations->at(0)) place = first->find("physicalLocation");
  }
  const auto region = place ? place->find("region") : std::nullopt;
  const auto in_region = [&](std::string_view key) {
    return region ? region->find(key) : std::nullopt;
  };
  auto rule_id = result.find("ruleId");
  if (!rule_id || !rule_id->is_string()) rule_id = result.find_path({"rule", "id"});
  Projection projection;
  projection.number("end_column", in_region("endColumn"));
  projection.number("end_line", in_region("endLine"));
  projection.text("level", result.find("level"));
  projection.text("message", result.find_path({"message", "text"}));
  projection.text("rule_id", rule_id);
  projection.number("start_column", in_region("startColumn"));
  projection.number("start_line", in_region("startLine"));
  projection.text("uri", place ? place->find_path({"artifactLocation", "uri"}) : std::nullopt);
  return std::move(projection).finish();
}

base::Result<LogDigest> digest_log(ByteSource& source) {
  HashingSource hashing(source);
  JsonReader reader(hashing);
  LogDigest digest;
  auto done = for_each_result(reader, [&](std::size_t, const JsonView& result) {
    const std::string bytes = result_projection(result);
    digest.results.push_back(record::sha256(base::as_bytes(bytes)).text());
    return base::Result<void>();
  });
  if (!done) return base::Unexpected(std::move(done).error());
  digest.file = hashing.text();
  return digest;
}

}  // namespace ethos::sarif
