// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/sarif1.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sarif/convert/input.h"
#include "sarif/convert/sarif1_old.h"
#include "sarif/convert/sarif1_places.h"
#include "sarif/convert/sarif1_tool.h"
#include "sarif/log_writer.h"

namespace ethos::sarif {
namespace {

using sarif1::index_in;
using sarif1::Indices;
using sarif1::is_level;
using sarif1::Old;
using sarif1::reference_of;

// "sha256" is "sha-256" now.
std::string hash_name(std::string_view old) {
  std::string name;
  for (const char c : old)
    name.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  if (name.starts_with("sha") && name.size() > 3 && name[3] != '-') name.insert(3, "-");
  return name;
}

class RunUpgrade {
 public:
  RunUpgrade(const JsonView& run, JsonWriter& writer)
      : run_(run),
        old_(run),
        writer_(writer),
        places_(files_, logical_, writer),
        tool_(rules_, places_, writer) {}

  void write() {
    number(run_.find("rules"), rules_);
    number(run_.find("files"), files_);
    number(run_.find("logicalLocations"), logical_);
    writer_.begin_object();
    tool_.tool(old_);
    tool_.invocation(old_);
    files();
    logical_locations();
    results();
    identity();
    old_.write_properties(writer_);
    writer_.end_object();
  }

 private:
  static void number(const std::optional<JsonView>& object, Indices& into) {
    if (!object || !object->is_object()) return;
    for (const JsonView one : *object) into.emplace(one.key(), into.size());
  }

  void files() {
    const auto files = old_.take("files");
    if (!files || !files->is_object() || files->size() == 0) return;
    writer_.key("artifacts");
    writer_.begin_array();
    for (const JsonView file : *files) {
      writer_.begin_object();
      if (!file.is_object()) {
        writer_.key("location");
        writer_.begin_object();
        writer_.member("uri", reference_of(file.key()));
        writer_.end_object();
        writer_.end_object();
        continue;
      }
      Old old(file);
      const std::string uri = old.take_text("uri");
      const std::string base = old.take_text("uriBaseId");
      writer_.key("location");
      writer_.begin_object();
      writer_.member("uri", reference_of(uri.empty() ? file.key() : uri));
      if (!base.empty()) writer_.member("uriBaseId", base);
      writer_.end_object();
      const std::string parent = old.take_text("parentKey");
      if (const auto index = index_in(files_, parent)) {
        writer_.member_integer("parentIndex", static_cast<std::int64_t>(*index));
      }
      old.copy_all({"offset", "length", "mimeType"}, writer_);
      if (const auto contents = old.take("contents"); contents && contents->is_string()) {
        writer_.key("contents");
        writer_.begin_object();
        writer_.key("binary");
        contents->write(writer_);
        writer_.end_object();
      }
      hashes(old.take("hashes"));
      old.write_properties(writer_);
      writer_.end_object();
    }
    writer_.end_array();
  }

  void hashes(const std::optional<JsonView>& list) {
    if (!list || !list->is_array() || list->size() == 0) return;
    std::set<std::string> written;
    writer_.key("hashes");
    writer_.begin_object();
    for (const JsonView one : *list) {
      const std::string name = hash_name(text_of(one, "algorithm"));
      if (!name.empty() && written.insert(name).second) writer_.member(name, text_of(one, "value"));
    }
    writer_.end_object();
  }

  void logical_locations() {
    const auto all = old_.take("logicalLocations");
    if (!all || !all->is_object() || all->size() == 0) return;
    writer_.key("logicalLocations");
    writer_.begin_array();
    for (const JsonView one : *all) {
      writer_.begin_object();
      writer_.member("fullyQualifiedName", one.key());
      if (one.is_object()) {
        Old old(one);
        old.copy_all({"name", "kind", "decoratedName"}, writer_);
        const std::string parent = old.take_text("parentKey");
        if (const auto index = index_in(logical_, parent)) {
          writer_.member_integer("parentIndex", static_cast<std::int64_t>(*index));
        }
        old.write_properties(writer_);
      }
      writer_.end_object();
    }
    writer_.end_array();
  }

  void identity() {
    const std::string id = old_.take_text("automationId");
    if (id.empty()) return;
    writer_.key("automationDetails");
    writer_.begin_object();
    writer_.member("id", id);
    writer_.end_object();
  }

  void results() {
    const auto results = old_.take("results");
    if (!results || !results->is_array()) return;
    writer_.key("results");
    writer_.begin_array();
    for (const JsonView one : *results) result(one);
    writer_.end_array();
  }

  void result(const JsonView& value) {
    if (!value.is_object()) return value.write(writer_);
    Old old(value);
    writer_.begin_object();
    const std::string rule_id = old.take_text("ruleId");
    const std::string rule_key = old.take_text("ruleKey");
    const std::string& key = rule_key.empty() ? rule_id : rule_key;
    if (!rule_id.empty() || !key.empty()) writer_.member("ruleId", rule_id.empty() ? key : rule_id);
    const auto index = index_in(rules_, key);
    if (index) writer_.member_integer("ruleIndex", static_cast<std::int64_t>(*index));
    const std::string level = old.take_text("level");
    if (is_level(level)) writer_.member("level", level);
    if (level == "pass" || level == "notApplicable" || level == "open") {
      writer_.member("kind", level);
      writer_.member("level", "none");
    }
    message(old, key);
    places_.locations(old.take("locations"));
    places_.related(old.take("relatedLocations"));
    places_.code_flows(old.take("codeFlows"));
    suppressions(old.take("suppressionStates"));
    const std::string state = old.take_text("baselineState");
    if (!state.empty()) writer_.member("baselineState", state == "existing" ? "unchanged" : state);
    if (const auto print = old.take("toolFingerprintContribution"); print && print->is_string()) {
      writer_.key("partialFingerprints");
      writer_.begin_object();
      writer_.key("toolFingerprintContribution/v1");
      print->write(writer_);
      writer_.end_object();
    }
    old.write_properties(writer_);
    writer_.end_object();
  }

  // The text as the rule's format gives it, and the format's id and arguments beside it.
  void message(Old& old, const std::string& rule) {
    const std::string text = old.take_text("message");
    const auto formatted = old.take("formattedRuleMessage");
    writer_.key("message");
    writer_.begin_object();
    std::string whole = text;
    if (formatted && formatted->is_object()) {
      const std::string id = text_of(*formatted, "formatId");
      const auto arguments = formatted->find("arguments");
      if (whole.empty()) whole = formatted_text(rule, id, arguments);
      writer_.member("id", id);
      if (arguments && arguments->is_array()) arguments->write_member(writer_);
    }
    if (whole.empty()) whole = "No message.";
    writer_.member("text", whole);
    writer_.end_object();
  }

  [[nodiscard]] std::string formatted_text(const std::string& rule, const std::string& id,
                                           const std::optional<JsonView>& arguments) const {
    const auto rules = run_.find("rules");
    const auto found = rules ? rules->find(rule) : std::nullopt;
    const auto formats = found ? found->find("messageFormats") : std::nullopt;
    const std::string format = formats ? text_of(*formats, id) : std::string();
    std::vector<std::string> values;
    if (arguments && arguments->is_array()) {
      for (const JsonView one : *arguments) values.push_back(one.text());
    }
    std::string out;
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] == '{' && i + 2 < format.size() && format[i + 2] == '}' &&
          format[i + 1] >= '0' && format[i + 1] <= '9') {
        const auto number = static_cast<std::size_t>(format[i + 1] - '0');
        out += number < values.size() ? values[number] : format.substr(i, 3);
        i += 2;
      } else {
        out.push_back(format[i]);
      }
      if (out.size() > kMaxFindingBytes) break;
    }
    return out;
  }

  void suppressions(const std::optional<JsonView>& list) {
    if (!list || !list->is_array()) return;
    writer_.key("suppressions");
    writer_.begin_array();
    std::set<std::string> written;
    for (const JsonView one : *list) {
      const std::string kind = one.text() == "suppressedExternally" ? "external" : "inSource";
      if (!written.insert(kind).second) continue;
      writer_.begin_object();
      writer_.member("kind", kind);
      writer_.end_object();
    }
    writer_.end_array();
  }

  JsonView run_;
  Old old_;
  JsonWriter& writer_;
  Indices rules_;
  Indices files_;
  Indices logical_;
  sarif1::PlaceWriter places_;
  sarif1::ToolWriter tool_;
};

}  // namespace

base::Result<void> upgrade_sarif1(ByteSource& source, JsonWriter& writer) {
  LimitedSource limited(source, kMaxNativeBytes);
  JsonReader reader(limited);
  JsonFragment log;
  if (!log.capture(reader, reader.next()) || reader.next() != JsonEvent::end) {
    if (log.was_too_large()) return base::fail(base::Errc::too_large, "the input is too large");
    return base::fail(base::Errc::malformed, reader.fault().message());
  }
  const JsonView root = log.root();
  const std::string version = text_of(root, "version");
  if (version != "1.0.0") {
    return base::fail(base::Errc::unsupported,
                      "SARIF version \"" + version.substr(0, 64) + "\"; this reads 1.0.0");
  }
  const auto runs = root.find("runs");
  if (!runs || !runs->is_array()) {
    return base::fail(base::Errc::malformed, "not a SARIF log: runs is missing");
  }
  Old old(root);
  old.take("$schema");
  old.take("version");
  old.take("runs");
  writer.begin_object();
  writer.member("$schema", kSchemaUri);
  writer.member("version", "2.1.0");
  writer.key("runs");
  writer.begin_array();
  for (const JsonView run : *runs) {
    if (run.is_object()) {
      RunUpgrade(run, writer).write();
    } else {
      run.write(writer);
    }
  }
  writer.end_array();
  old.write_properties(writer);
  writer.end_object();
  writer.finish();
  return {};
}

}  // namespace ethos::sarif
