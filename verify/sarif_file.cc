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

bool is_off(const Value& configuration) {
  return configuration.has("enabled") && !configuration.at("enabled").flag();
}

// What does not change the digest (SR-1), and makes a viewer or a gate pass over the result.
std::string neutral_part(const Value& result) {
  if (result.has("kind") && result.text_at("kind") != "fail") return "`kind` is not `fail`";
  if (result.text_at("baselineState") == "absent") return "`baselineState` is `absent`";
  if (result.at("message").has("markdown")) return "`message.markdown` stands in place of the text";
  return "";
}

// What a viewer or a gate passes over: of a result of the tool's that is the reader's own business.
bool is_passed_over(const Value& result) {
  return result.at("suppressions").size() > 0 || result.text_at("baselineState") == "absent" ||
         (result.has("kind") && result.text_at("kind") != "fail");
}

// The base of a denial's place, which the digest leaves out; "" when it has none.
std::string base_of(const Value& result) {
  const Value& place =
      result.at("locations").size() > 0 ? result.at("locations").items()[0] : result;
  return place.at("physicalLocation").at("artifactLocation").text_at("uriBaseId");
}

// A guid is the same in any case of its digits.
std::string guid_of(const Value& of) {
  std::string out = of.text_at("guid");
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// The component and index that a denial gives its rule by, beside the id that counts.
struct RulePlace {
  bool in_extension = false;
  bool is_right = true;  // nothing says another rule
  std::int64_t component = 0;
  std::int64_t index = -1;
  std::string guid;  // in lower case
};

RulePlace rule_place(const Value& result) {
  RulePlace place;
  const Value& rule = result.at("rule");
  if (rule.has("id") && rule.text_at("id") != "runtime.sandbox_denial") place.is_right = false;
  const auto number = [&](const Value& at, const char* key, std::int64_t& out) {
    if (!at.has(key)) return;
    if (at.at(key).is_integer() && at.at(key).number() >= -1) {
      if (out >= 0 && out != at.at(key).number()) place.is_right = false;
      out = at.at(key).number();
    } else {
      place.is_right = false;
    }
  };
  place.guid = guid_of(rule);
  number(result, "ruleIndex", place.index);
  number(rule, "index", place.index);
  if (rule.has("toolComponent")) {
    // A component that is named in another way than by its place cannot be followed here.
    place.component = -1;
    number(rule.at("toolComponent"), "index", place.component);
    place.in_extension = place.component >= 0;
    const std::string& name = rule.at("toolComponent").text_at("name");
    if (place.component < 0 && (rule.at("toolComponent").has("guid") || !name.empty()))
      place.is_right = false;
  }
  return place;
}

// Where the rule of denials stands among those of a component; -1 when it does not.
std::int64_t denial_index(const Value& component) {
  const auto& rules = component.at("rules").items();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].text_at("id") == kDenialRule) return static_cast<std::int64_t>(i);
  }
  return -1;
}

// Whether some rule of the tool has that guid beside an id: that of denials, or another.
bool has_rule(const Value& component, const std::string& guid, bool of_denials) {
  const auto& rules = component.at("rules").items();
  return std::any_of(rules.begin(), rules.end(), [&](const Value& rule) {
    return (rule.text_at("id") == kDenialRule) == of_denials && guid_of(rule) == guid;
  });
}

bool tool_has_rule(const Value& tool, const std::string& guid, bool of_denials) {
  const auto& extensions = tool.at("extensions").items();
  return has_rule(tool.at("driver"), guid, of_denials) ||
         std::any_of(extensions.begin(), extensions.end(),
                     [&](const Value& one) { return has_rule(one, guid, of_denials); });
}

bool is_off_by_default(const Value& component, const Value& tool) {
  const auto& rules = component.at("rules").items();
  return std::any_of(rules.begin(), rules.end(), [&](const Value& rule) {
    if (!is_off(rule.at("defaultConfiguration"))) return false;
    const std::string guid = guid_of(rule);
    return rule.text_at("id") == kDenialRule || (!guid.empty() && tool_has_rule(tool, guid, true));
  });
}

// The component that a descriptor's index counts in (3.54): the driver where it names none, nullptr
// where it names one that is not there.
const Value* component_of(const Value& descriptor, const Value& tool) {
  const Value& named = descriptor.at("toolComponent");
  const auto& extensions = tool.at("extensions").items();
  if (named.at("index").is_integer() && named.at("index").number() >= 0) {
    const auto index = static_cast<std::uint64_t>(named.at("index").number());
    return index < extensions.size() ? &extensions[index] : nullptr;
  }
  const bool by_guid = !named.text_at("guid").empty();
  const auto key_of = [&](const Value& one) { return by_guid ? guid_of(one) : one.text_at("name"); };
  const std::string text = key_of(named);
  if (text.empty() || key_of(tool.at("driver")) == text) return &tool.at("driver");
  const auto at = std::find_if(extensions.begin(), extensions.end(),
                               [&](const Value& one) { return key_of(one) == text; });
  return at == extensions.end() ? nullptr : &*at;
}

// Whether a descriptor means the rule of denials. What names nothing may mean any rule: it counts.
bool means_denials(const Value& descriptor, const Value& tool) {
  if (descriptor.has("id")) return descriptor.text_at("id") == kDenialRule;
  if (descriptor.at("index").is_integer() && descriptor.at("index").number() >= 0) {
    const Value* component = component_of(descriptor, tool);
    return component != nullptr && denial_index(*component) == descriptor.at("index").number();
  }
  const std::string guid = guid_of(descriptor);
  return guid.empty() || tool_has_rule(tool, guid, true);
}

// Entries that switch a rule of the tool's off: what that is worth is the reader's to say.
std::uint64_t rules_off(const Value& component, const Value& tool) {
  const auto& rules = component.at("rules").items();
  return static_cast<std::uint64_t>(std::count_if(rules.begin(), rules.end(), [&](const Value& rule) {
    const std::string guid = guid_of(rule);
    const bool of_denials = rule.text_at("id") == kDenialRule || (!guid.empty() && tool_has_rule(tool, guid, true));
    return is_off(rule.at("defaultConfiguration")) && !of_denials;
  }));
}

std::uint64_t overrides_off(const Value& invocations, const Value& tool) {
  std::uint64_t out = 0;
  for (const Value& invocation : invocations.items()) {
    for (const Value& one : invocation.at("ruleConfigurationOverrides").items()) {
      if (is_off(one.at("configuration")) && !means_denials(one.at("descriptor"), tool)) ++out;
    }
  }
  return out;
}

bool is_off_by_override(const Value& invocations, const Value& tool) {
  for (const Value& invocation : invocations.items()) {
    for (const Value& one : invocation.at("ruleConfigurationOverrides").items()) {
      if (is_off(one.at("configuration")) && means_denials(one.at("descriptor"), tool)) return true;
    }
  }
  return false;
}

bool names_denials(const Value& tool, const RulePlace& place) {
  if (!place.is_right) return false;
  if (!place.guid.empty() && !tool_has_rule(tool, place.guid, true)) return false;
  if (!place.guid.empty() && tool_has_rule(tool, place.guid, false)) return false;
  if (place.index < 0 && !place.in_extension) return true;
  const Value& extensions = tool.at("extensions");
  if (place.in_extension && static_cast<std::uint64_t>(place.component) >= extensions.size())
    return false;
  const Value& component = place.in_extension
                               ? extensions.items()[static_cast<std::size_t>(place.component)]
                               : tool.at("driver");
  if (place.index < 0) return denial_index(component) >= 0;
  const auto& rules = component.at("rules").items();
  return static_cast<std::uint64_t>(place.index) < rules.size() &&
         rules[static_cast<std::size_t>(place.index)].text_at("id") == kDenialRule;
}

class SarifReader {
 public:
  explicit SarifReader(std::string_view text) : reader_(text, options()) {}

  Result<SarifFile> read() {
    bool has_runs = false;
    const bool good = reader_.begin() && reader_.walk_object(0, [&](const std::string& key) {
      if (key == "inlineExternalProperties" && reader_.peek() == '[') {
        return reader_.walk_array(1, [&] { return external(); });
      }
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
    options.members = 1U << 16U;
    options.values = kMaxSarifValues;
    return options;
  }

  bool run() {
    if (out_.runs.size() == kMaxSarifRuns) return reader_.fail("more runs than a file may have");
    out_.runs.emplace_back();
    const std::size_t held = reader_.held();
    std::size_t block = 0;
    Value tool;
    Value invocations;
    Value policies;
    Value bases;
    places_.clear();
    const bool good = reader_.walk_object(2, [&](const std::string& key) {
      if (key == "tool") return reader_.value(tool, 3);
      if (key == "invocations") return reader_.value(invocations, 3);
      if (key == "policies") return reader_.value(policies, 3);
      if (key == "originalUriBaseIds") return reader_.value(bases, 3);
      if (key == "externalPropertyFileReferences" && reader_.peek() == '{') return external_files();
      if (key == "properties" && reader_.peek() == '{') {
        const std::size_t before = reader_.held();
        const bool read = only_member("sandbox", out_.runs.back().block);
        block = reader_.held() - before;
        return read;
      }
      if (key != "results" || reader_.peek() != '[') return reader_.skip_value(3);
      return reader_.walk_array(3, [&] { return result(); });
    });
    reader_.release(held + block);
    bool off = is_off_by_default(tool.at("driver"), tool) || is_off_by_override(invocations, tool);
    for (const Value& extension : tool.at("extensions").items())
      off = off || is_off_by_default(extension, tool);
    for (const Value& policy : policies.items()) off = off || is_off_by_default(policy, tool);
    out_.runs.back().disables_denials = off;
    std::uint64_t others = rules_off(tool.at("driver"), tool) + overrides_off(invocations, tool);
    for (const Value& extension : tool.at("extensions").items()) others += rules_off(extension, tool);
    for (const Value& policy : policies.items()) others += rules_off(policy, tool);
    out_.runs.back().rules_off = others;
    for (const auto& [index, place] : places_) {
      SarifDenial& denial = *out_.runs.back().results[index].denial;
      if (!denial.neutral.empty()) continue;
      if (!names_denials(tool, place.rule))
        denial.neutral = "its rule is named beside it as another one";
      // A base that is only named moves nothing; one with a place of its own does.
      if (!place.base.empty() && bases.at(place.base).has("uri"))
        denial.neutral = "`uriBaseId` moves it to another place";
    }
    return good;
  }

  // Results that stand outside of every run, or in another file: nothing here answers for them.
  bool external() {
    if (reader_.peek() != '{') return reader_.skip_value(2);
    return reader_.walk_object(2, [&](const std::string& key) {
      out_.has_outside_results = out_.has_outside_results || key == "results";
      return reader_.skip_value(3);
    });
  }
  bool external_files() {
    return reader_.walk_object(3, [&](const std::string& key) {
      out_.has_outside_results = out_.has_outside_results || key == "results";
      return reader_.skip_value(4);
    });
  }

  // Of what is next, an object, one member alone.
  bool only_member(std::string_view name, Value& out) {
    return reader_.walk_object(3, [&](const std::string& key) {
      return key == name ? reader_.value(out, 4) : reader_.skip_value(4);
    });
  }

  bool result() {
    if (results_++ == kMaxSarifResults) return reader_.fail("more results than a file may have");
    Value value;
    const std::size_t held = reader_.held();
    if (!reader_.value(value, 4)) return false;
    reader_.release(held);
    SarifResult out;
    out.digest = result_digest(value, hash_);
    if (rule_of(value) == kDenialRule) {
      out.denial = std::make_unique<SarifDenial>(denial_of(value));
      places_.push_back({out_.runs.back().results.size(), {rule_place(value), base_of(value)}});
    } else {
      out_.runs.back().passed_over += is_passed_over(value) ? 1U : 0U;
      out_.runs.back().marked_down += value.at("message").has("markdown") ? 1U : 0U;
    }
    out_.runs.back().results.push_back(std::move(out));
    return true;
  }

  static SarifDenial denial_of(const Value& result) {
    SarifDenial out;
    out.neutral = neutral_part(result);
    out.is_suppressed = result.at("suppressions").size() > 0;
    out.fingerprint = result.at("partialFingerprints").text_at("ethosDenial/v1");
    out.full_fingerprint = result.at("fingerprints").text_at("ethosDenial/v1");
    out.level = result.text_at("level");
    const Value& properties = result.at("properties");
    if (properties.at("record_seq").is_integer())
      out.record_seq = properties.at("record_seq").number();
    out.record_type = properties.text_at("record_type");
    return out;
  }

  struct Place {
    RulePlace rule;
    std::string base;
  };

  JsonTextReader reader_;
  SarifFile out_;
  std::size_t results_ = 0;
  Sha256 hash_;
  std::vector<std::pair<std::size_t, Place>>
      places_;  // of the run's denials: what the end of the run decides
};

}  // namespace

Digest result_digest(const Value& result, Sha256& hash) {
  Value out = Value::object();
  const auto text = [&](const char* key, const Value& v) {
    if (v.is_string()) out.set(key, Value::of(without_nul(v.text())));
  };
  text("level", result.at("level"));
  text("message", result.at("message").at("text"));
  text("rule_id",
       result.at("ruleId").is_string() ? result.at("ruleId") : result.at("rule").at("id"));
  const auto& locations = result.at("locations").items();
  if (result.at("locations").is_array() && !locations.empty()) {
    const Value& physical = locations[0].at("physicalLocation");
    text("uri", physical.at("artifactLocation").at("uri"));
    const Value& region = physical.at("region");
    constexpr std::pair<const char*, const char*> columns[] = {{"end_column", "endColumn"},
                                                               {"end_line", "endLine"},
                                                               {"start_column", "startColumn"},
                                                               {"start_line", "startLine"}};
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
