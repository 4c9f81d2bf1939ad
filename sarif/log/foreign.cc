// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/foreign.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "sarif/log/reading.h"
#include "sarif/log/walk.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;

constexpr std::string_view kSuffix = "_from_input";
// What stands in the results of denials (sarif-property.md SD-1, SD-5).
constexpr std::string_view kFingerprint = "ethosDenial";
constexpr std::string_view kResultProperties[] = {"record_seq", "record_type"};

base::Unexpected wrong(std::string_view what) {
  return fail(Errc::malformed, "not a SARIF log: " + std::string(what));
}

class Survey : LogWalk {
 public:
  explicit Survey(JsonReader& reader) : LogWalk(reader) {}

  base::Result<std::vector<RunSurvey>> log() {
    const JsonEvent first = reader_.next();
    if (first == JsonEvent::error) return reader_failure(reader_);
    if (first != JsonEvent::begin_object) return not_a_log();
    bool has_version = false;
    bool has_runs = false;
    auto done = members([&](std::string_view key, JsonEvent value) -> base::Result<void> {
      if (key == "version") {
        has_version = true;
        const bool is_text = value == JsonEvent::string;
        auto known = check_version(is_text ? reader_.text() : reader_.raw());
        return known && !is_text ? skip(value) : known;
      }
      if (key == "inlineExternalProperties") return outside();
      if (key != "runs") return skip(value);
      has_runs = true;
      if (value == JsonEvent::literal_null) return {};
      if (value != JsonEvent::begin_array) return wrong("runs is no list");
      return elements([this](JsonEvent run_value) { return run(run_value); });
    });
    if (!done) return base::Unexpected(std::move(done).error());
    if (reader_.next() != JsonEvent::end) return reader_failure(reader_);
    if (!has_version || !has_runs) return not_a_log();
    return std::move(runs_);
  }

 private:
  static base::Unexpected outside() {
    return fail(Errc::malformed, "a part of the log stands outside of it (external properties)");
  }

  base::Result<void> run(JsonEvent value) {
    if (value != JsonEvent::begin_object) return wrong("a run is no object");
    runs_.emplace_back();
    return members([this](std::string_view key, JsonEvent member) -> base::Result<void> {
      if (key == "externalPropertyFileReferences") return outside();
      if (key == "results") return results(member);
      if (key == "properties" && member != JsonEvent::begin_object)
        return wrong("the properties of a run are no object");
      const bool is_tool = key == "tool";
      auto taken = take(member, kMaxForeignPart);
      if (taken && is_tool) return tool(fragment_.root());
      return taken;
    });
  }

  base::Result<void> results(JsonEvent value) {
    if (value == JsonEvent::literal_null) return {};
    if (value != JsonEvent::begin_array) return wrong("results is no list");
    return elements([this](JsonEvent first) -> base::Result<void> {
      if (first != JsonEvent::begin_object) return wrong("a result is no object");
      return take(first, kMaxElementBytes);
    });
  }

  base::Result<void> take(JsonEvent value, std::size_t most) {
    if (fragment_.capture(reader_, value, most)) return {};
    if (!fragment_.was_too_large()) return reader_failure(reader_);
    return fail(Errc::too_large, "a part of the log is larger than can be held in memory (at " +
                                     reader_.pointer() + ")");
  }

  base::Result<void> tool(const JsonView& tool) {
    if (!tool.is_object()) return wrong("tool is no object");
    if (auto done = extensions(tool); !done) return done;
    const auto driver = tool.find("driver");
    if (!driver) return {};
    if (!driver->is_object()) return wrong("tool.driver is no object");
    runs_.back().driver_name = text_of(*driver, "name");
    runs_.back().driver_guid = text_of(*driver, "guid");
    const auto rules = driver->find("rules");
    if (!rules) return {};
    if (!rules->is_array()) return wrong("rules is no list");
    runs_.back().rules = rules->size();
    return {};
  }

  base::Result<void> extensions(const JsonView& tool) {
    const auto list = tool.find("extensions");
    if (!list || !list->is_array()) return {};
    for (const JsonView one : *list) {
      RunSurvey::Extension found;
      if (one.is_object()) {
        const auto rules = one.find("rules");
        if (rules && rules->is_array()) found.rules = rules->size();
        found.name = text_of(one, "name");
        found.guid = text_of(one, "guid");
      }
      runs_.back().extensions.push_back(std::move(found));
    }
    return {};
  }

  std::vector<RunSurvey> runs_;
  JsonFragment fragment_;
};

// A place in a list; not -0, which is no integer to everybody.
std::optional<std::uint64_t> place_of(const std::optional<JsonView>& value) {
  const auto number = value ? value->integer() : std::nullopt;
  if (!number || *number < 0 || value->token() == "-0") return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

// GUIDs mean the same in either case (3.5.3).
bool is_same_guid(std::string_view a, std::string_view b) {
  const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, low, low);
}

std::string renamed(std::string_view name, std::size_t at) {
  return std::string(name.substr(0, at)).append(kSuffix).append(name.substr(at));
}

}  // namespace

base::Result<std::vector<RunSurvey>> survey_log(JsonReader& reader) { return Survey(reader).log(); }

std::string foreign_id(std::string_view id, std::string_view own) {
  if (!id.starts_with(own)) return std::string(id);
  std::string_view rest = id.substr(own.size());
  while (rest.starts_with(kSuffix)) rest.remove_prefix(kSuffix.size());
  const bool is_ours = rest.empty() || rest.starts_with('/');
  return is_ours ? renamed(id, own.size()) : std::string(id);
}

void ForeignWriter::value(const JsonView& value, JsonWriter& writer) const {
  if (value.is_object()) return object(value, writer);
  if (!value.is_array()) return writer.raw_scalar(value.token());
  writer.begin_array();
  for (const JsonView element : value) this->value(element, writer);
  writer.end_array();
}

void ForeignWriter::object(const JsonView& object, JsonWriter& writer) const {
  writer.begin_object();
  for (const JsonView one : object) {
    if (one.key_is("ruleIndex")) {
      const auto rule = object.find("rule");
      writer.key("ruleIndex");
      index(one, rule ? rules_of(*rule) : run_.rules, writer);
    } else {
      member(one, writer);
    }
  }
  writer.end_object();
}

void ForeignWriter::member(const JsonView& member, JsonWriter& writer) const {
  const std::string key = member.key();
  if (key == "properties" && member.is_object()) {
    writer.key(key);
    writer.begin_object();
    for (const JsonView one : member) {
      std::string name = one.key();
      for (const std::string_view ours : kResultProperties) name = foreign_id(name, ours);
      writer.key(name);
      one.write(writer);
    }
    writer.end_object();
    return;
  }
  if ((key == "partialFingerprints" || key == "fingerprints") && member.is_object()) {
    writer.key(key);
    writer.begin_object();
    for (const JsonView one : member) {
      writer.key(foreign_id(one.key(), kFingerprint));
      one.write(writer);
    }
    writer.end_object();
    return;
  }
  writer.key(key);
  if ((key == "ruleId" || key == "id") && member.is_string()) return id(member, writer);
  if (key == "deprecatedIds" && member.is_array()) return ids(member, writer);
  if (key == "ruleConfigurationOverrides" && member.is_array()) return overrides(member, writer);
  if ((key == "rule" || key == "associatedRule") && member.is_object())
    return reference(member, writer);
  value(member, writer);
}

void ForeignWriter::id(const JsonView& value, JsonWriter& writer) const {
  const std::string text = value.text();
  const std::string name = foreign_id(text, own_);
  if (name == text)
    value.write(writer);
  else
    writer.string(name);
}

void ForeignWriter::ids(const JsonView& list, JsonWriter& writer) const {
  writer.begin_array();
  for (const JsonView one : list) {
    if (one.is_string())
      id(one, writer);
    else
      value(one, writer);
  }
  writer.end_array();
}

// -1 is how SARIF says "not known" (3.27.6, 3.52.5).
void ForeignWriter::index(const JsonView& value, std::size_t rules, JsonWriter& writer) {
  const auto place = place_of(value);
  if (place && *place < rules)
    value.write(writer);
  else
    writer.integer(-1);
}

// How many rules the component has that a reference is to. One that says more than one thing of it
// may be read by any of them: the fewest. None when nothing of the tool's is meant.
std::size_t ForeignWriter::rules_of(const JsonView& reference) const {
  const auto component = reference.find("toolComponent");
  if (!component) return run_.rules;
  const std::string guid = text_of(*component, "guid");
  const std::string name = text_of(*component, "name");
  const auto place = place_of(component->find("index"));
  if (guid.empty() && name.empty() && !place) return run_.rules;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  const auto at_most = [&](std::size_t rules) { fewest = std::min(fewest, rules); };
  if (place) at_most(*place < run_.extensions.size() ? run_.extensions[*place].rules : 0);
  const auto named = [&](const auto& is_meant) {
    bool is_known = is_meant(run_.driver_name, run_.driver_guid);
    if (is_known) at_most(run_.rules);
    for (const RunSurvey::Extension& one : run_.extensions) {
      if (!is_meant(one.name, one.guid)) continue;
      is_known = true;
      at_most(one.rules);
    }
    if (!is_known) at_most(0);
  };
  if (!guid.empty())
    named([&](const std::string&, const std::string& of) { return is_same_guid(guid, of); });
  if (!name.empty()) named([&](const std::string& of, const std::string&) { return name == of; });
  return fewest;
}

// A reportingDescriptorReference (3.52) to a rule.
void ForeignWriter::reference(const JsonView& reference, JsonWriter& writer) const {
  const std::size_t rules = rules_of(reference);
  writer.begin_object();
  for (const JsonView one : reference) {
    if (one.key_is("index")) {
      writer.key("index");
      index(one, rules, writer);
    } else {
      member(one, writer);
    }
  }
  writer.end_object();
}

bool ForeignWriter::names_a_rule(const JsonView& reference) const {
  if (!text_of(reference, "id").empty() || !text_of(reference, "guid").empty()) return true;
  const auto place = place_of(reference.find("index"));
  return place && *place < rules_of(reference);
}

// One that names no rule of the tool's could be meant for any.
void ForeignWriter::overrides(const JsonView& list, JsonWriter& writer) const {
  writer.begin_array();
  for (const JsonView one : list) {
    const auto descriptor = one.find("descriptor");
    if (!descriptor || !names_a_rule(*descriptor)) continue;
    writer.begin_object();
    for (const JsonView part : one) {
      if (part.key_is("descriptor")) {
        writer.key("descriptor");
        reference(part, writer);
      } else {
        member(part, writer);
      }
    }
    writer.end_object();
  }
  writer.end_array();
}

}  // namespace ethos::sarif
