// SPDX-License-Identifier: Apache-2.0
#include "verify/sarif_file.h"

#include <algorithm>

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

constexpr std::string_view kDenialRule = "runtime.sandbox_denial";

bool is_off(const Value& configuration) { return configuration.has("enabled") && !configuration.at("enabled").flag(); }

// What does not change the digest (SR-1), and makes a viewer or a gate pass over the result.
std::string neutral_part(const Value& result) {
  if (result.has("kind") && result.text_at("kind") != "fail") return "`kind` is not `fail`";
  if (result.text_at("baselineState") == "absent") return "`baselineState` is `absent`";
  if (result.at("message").has("markdown")) return "`message.markdown` stands in place of the text";
  return "";
}

// Where the rule of denials stands among those of a component; -1 when it does not.
std::int64_t denial_index(const Value& component) {
  const auto& rules = component.at("rules").items();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].text_at("id") == kDenialRule) return static_cast<std::int64_t>(i);
  }
  return -1;
}

bool is_off_by_default(const Value& component) {
  const auto& rules = component.at("rules").items();
  return std::any_of(rules.begin(), rules.end(), [](const Value& rule) { return rule.text_at("id") == kDenialRule && is_off(rule.at("defaultConfiguration")); });
}

// A descriptor that names its rule by something else than an id or index may be ours: then it counts.
bool is_off_by_override(const Value& invocations, std::int64_t index) {
  for (const Value& invocation : invocations.items()) {
    for (const Value& one : invocation.at("ruleConfigurationOverrides").items()) {
      const Value& descriptor = one.at("descriptor");
      const bool is_ours = descriptor.has("id")      ? descriptor.text_at("id") == kDenialRule
                           : descriptor.has("index") ? descriptor.at("index").number() == index
                                                     : true;
      if (is_ours && is_off(one.at("configuration"))) return true;
    }
  }
  return false;
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
    Value tool;
    Value invocations;
    const bool good = reader_.walk_object(2, [&](const std::string& key) {
      if (key == "tool") return reader_.value(tool, 3);
      if (key == "invocations") return reader_.value(invocations, 3);
      if (key == "properties") {
        Value properties;
        if (!reader_.value(properties, 3)) return false;
        out_.runs.back().block = properties.at("sandbox");
        return true;
      }
      if (key != "results" || reader_.peek() != '[') return reader_.skip_value(3);
      return reader_.walk_array(3, [&] { return result(); });
    });
    bool off = is_off_by_default(tool.at("driver")) || is_off_by_override(invocations, denial_index(tool.at("driver")));
    for (const Value& extension : tool.at("extensions").items()) off = off || is_off_by_default(extension);
    out_.runs.back().disables_denials = off;
    return good;
  }

  bool result() {
    Value value;
    if (!reader_.value(value, 4)) return false;
    SarifResult out;
    out.digest = result_digest(value, hash_);
    out.is_denial = rule_of(value) == kDenialRule;
    if (out.is_denial) {
      out.neutral = neutral_part(value);
      out.is_suppressed = value.at("suppressions").size() > 0;
    }
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
