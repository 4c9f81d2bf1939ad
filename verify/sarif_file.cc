// SPDX-License-Identifier: Apache-2.0
#include "verify/sarif_file.h"

#include "verify/json_text.h"

namespace ethos::verify {
namespace {

// U+0000, which ethos-json/1 cannot hold, becomes U+FFFD (SR-2).
std::string without_nul(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\0') {
      out += "\xef\xbf\xbd";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string rule_of(const Value& result) {
  if (result.at("ruleId").is_string()) return result.text_at("ruleId");
  return result.at("rule").text_at("id");
}

class SarifReader {
 public:
  explicit SarifReader(std::string_view text) : reader_(text, options()) {}

  Result<SarifFile> read() {
    bool has_runs = false;
    const bool good = reader_.begin() && reader_.walk_object(0, [&](const std::string& key) {
      if (key != "runs") return reader_.skip_value(1);
      has_runs = true;
      return reader_.walk_array(1, [&] { return run(); });
    }) && reader_.end();
    if (!good) return reader_.error();
    if (!has_runs) return malformed("no `runs`: not a SARIF log");
    return std::move(out_);
  }

 private:
  static JsonTextReader::Options options() {
    JsonTextReader::Options options;
    options.decimals = true;
    options.nul = true;
    options.bytes = kMaxSarif;
    options.depth = 64;
    options.members = 1U << 20U;
    return options;
  }

  bool run() {
    out_.runs.emplace_back();
    return reader_.walk_object(2, [&](const std::string& key) {
      if (key == "properties") {
        Value properties;
        if (!reader_.value(properties, 3)) return false;
        out_.runs.back().block = properties.at("sandbox");
        return true;
      }
      if (key != "results" || reader_.peek() != '[') return reader_.skip_value(3);
      return reader_.walk_array(3, [&] { return result(); });
    });
  }

  bool result() {
    Value value;
    if (!reader_.value(value, 4)) return false;
    SarifResult out;
    out.digest = result_digest(value, hash_);
    out.is_denial = rule_of(value) == "runtime.sandbox_denial";
    out.level = value.text_at("level");
    const Value& properties = value.at("properties");
    if (properties.at("record_seq").is_integer()) out.record_seq = properties.at("record_seq").number();
    out.record_type = properties.text_at("record_type");
    out_.runs.back().results.push_back(std::move(out));
    return true;
  }

  JsonTextReader reader_;
  SarifFile out_;
  Sha256 hash_;
};

}  // namespace

Digest result_digest(const Value& result, Sha256& hash) {
  Value out = Value::object();
  const auto text = [&](const char* key, const Value& v) {
    if (v.is_string()) out.set(key, Value::of(without_nul(v.text())));
  };
  text("level", result.at("level"));
  text("message", result.at("message").at("text"));
  text("rule_id", result.at("ruleId").is_string() ? result.at("ruleId") : result.at("rule").at("id"));
  const auto& locations = result.at("locations").items();
  if (result.at("locations").is_array() && !locations.empty()) {
    const Value& physical = locations[0].at("physicalLocation");
    text("uri", physical.at("artifactLocation").at("uri"));
    const Value& region = physical.at("region");
    constexpr std::pair<const char*, const char*> columns[] = {{"end_column", "endColumn"}, {"end_line", "endLine"},
                                                               {"start_column", "startColumn"}, {"start_line", "startLine"}};
    for (const auto& [key, name] : columns) {
      if (region.at(name).is_integer()) out.set(key, region.at(name));
    }
  }
  return hash.of(encode_canonical(out));
}

Result<SarifFile> parse_sarif(std::string_view text) {
  auto file = SarifReader(text).read();
  if (!file) return file;
  Sha256 hash;
  file->digest = hash.of(text);
  return file;
}

}  // namespace ethos::verify
