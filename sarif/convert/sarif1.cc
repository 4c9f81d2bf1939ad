// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/sarif1.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sarif/convert/input.h"
#include "sarif/log_writer.h"
#include "sarif/uri.h"

namespace ethos::sarif {
namespace {

constexpr std::string_view kRest = "sarif1";
using Indices = std::map<std::string, std::size_t, std::less<>>;

// The members of one object of the old log; those that nobody took are written as the rest.
class Old {
 public:
  explicit Old(const JsonView& object) : object_(object) {}

  std::optional<JsonView> take(std::string_view key) {
    taken_.emplace(key);
    return object_.find(key);
  }
  std::string take_text(std::string_view key) {
    const auto value = take(key);
    return value ? value->text() : std::string();
  }
  // Under another name, as it is.
  void copy(std::string_view key, std::string_view name, JsonWriter& writer) {
    const auto value = take(key);
    if (!value || value->is_null()) return;
    writer.key(name);
    value->write(writer);
  }
  void copy_all(std::initializer_list<std::string_view> keys, JsonWriter& writer) {
    for (const std::string_view key : keys) copy(key, key, writer);
  }
  // "text" becomes {"text": "text"}.
  void copy_message(std::string_view key, std::string_view name, JsonWriter& writer) {
    const auto value = take(key);
    if (!value || !value->is_string()) return;
    writer.key(name);
    writer.begin_object();
    writer.key("text");
    value->write(writer);
    writer.end_object();
  }
  // The old properties, and what has no place.
  void write_properties(JsonWriter& writer) {
    const auto bag = take("properties");
    const auto tags = take("tags");
    std::vector<JsonView> rest;
    for (const JsonView member : object_) {
      if (!taken_.contains(member.key())) rest.push_back(member);
    }
    const bool has_bag = bag && bag->is_object() && bag->size() > 0;
    if (!has_bag && rest.empty() && !tags) return;
    writer.key("properties");
    writer.begin_object();
    if (has_bag) {
      for (const JsonView one : *bag) {
        if (!one.key_is(kRest) && !(tags && one.key_is("tags"))) one.write_member(writer);
      }
    }
    if (tags) tags->write_member(writer);
    if (!rest.empty()) {
      writer.key(kRest);
      writer.begin_object();
      for (const JsonView one : rest) one.write_member(writer);
      writer.end_object();
    }
    writer.end_object();
  }

 private:
  JsonView object_;
  std::set<std::string, std::less<>> taken_;
};

bool is_level(std::string_view word) {
  return word == "note" || word == "warning" || word == "error";
}

bool is_dotted_quad(const std::string& text) {
  return std::count(text.begin(), text.end(), '.') == 3 && !text.empty() && text.front() != '.' &&
         text.back() != '.' && text.find("..") == std::string::npos &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

bool is_language(const std::string& text) {
  const auto is_letter = [&text](std::size_t i) {
    return (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z');
  };
  if (text.size() != 2 && text.size() != 5) return false;
  return is_letter(0) && is_letter(1) &&
         (text.size() == 2 || (text[2] == '-' && is_letter(3) && is_letter(4)));
}

// "sha256" is "sha-256" now.
std::string hash_name(std::string_view old) {
  std::string name;
  for (const char c : old)
    name.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  if (name.starts_with("sha") && name.size() > 3 && name[3] != '-') name.insert(3, "-");
  return name;
}

// A path or URI of the old log as a URI reference.
std::string reference_of(const std::string& text) {
  return is_uri_reference(text) ? text : encode_uri_path(text);
}

class RunUpgrade {
 public:
  RunUpgrade(const JsonView& run, JsonWriter& writer) : run_(run), old_(run), writer_(writer) {}

  void write() {
    number(run_.find("rules"), rules_);
    number(run_.find("files"), files_);
    number(run_.find("logicalLocations"), logical_);
    writer_.begin_object();
    tool();
    invocation();
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

  void tool() {
    const auto tool = old_.take("tool");
    writer_.key("tool");
    writer_.begin_object();
    writer_.key("driver");
    writer_.begin_object();
    if (tool && tool->is_object()) {
      Old old(*tool);
      const std::string name = old.take_text("name");
      writer_.member("name", name.empty() ? "unknown" : name);
      old.copy_all({"fullName", "version", "semanticVersion"}, writer_);
      if (is_dotted_quad(text_of(*tool, "fileVersion"))) {
        old.copy("fileVersion", "dottedQuadFileVersion", writer_);
      }
      if (is_language(text_of(*tool, "language"))) old.copy("language", "language", writer_);
      rules();
      old.write_properties(writer_);
    } else {
      writer_.member("name", "unknown");
      rules();
    }
    writer_.end_object();
    writer_.end_object();
  }

  void rules() {
    const auto rules = old_.take("rules");
    if (!rules || !rules->is_object() || rules->size() == 0) return;
    writer_.key("rules");
    writer_.begin_array();
    for (const JsonView rule : *rules) {
      Old old(rule);
      writer_.begin_object();
      const std::string id = old.take_text("id");
      writer_.member("id", id.empty() ? rule.key() : id);
      old.copy_all({"name", "helpUri"}, writer_);
      old.copy_message("shortDescription", "shortDescription", writer_);
      old.copy_message("fullDescription", "fullDescription", writer_);
      message_strings(old.take("messageFormats"));
      const std::string level = old.take_text("defaultLevel");
      const bool is_disabled = text_of(rule, "configuration") == "disabled";
      if (is_disabled) old.take("configuration");
      if (!level.empty() || is_disabled) {
        writer_.key("defaultConfiguration");
        writer_.begin_object();
        if (is_disabled) writer_.member_boolean("enabled", false);
        if (!level.empty()) writer_.member("level", is_level(level) ? level : "none");
        writer_.end_object();
      }
      old.write_properties(writer_);
      writer_.end_object();
    }
    writer_.end_array();
  }

  void message_strings(const std::optional<JsonView>& formats) {
    if (!formats || !formats->is_object() || formats->size() == 0) return;
    writer_.key("messageStrings");
    writer_.begin_object();
    for (const JsonView format : *formats) {
      writer_.key(format.key());
      writer_.begin_object();
      writer_.member("text", format.text());
      writer_.end_object();
    }
    writer_.end_object();
  }

  void invocation() {
    const auto invocation = old_.take("invocation");
    const auto tool_notes = old_.take("toolNotifications");
    const auto configuration_notes = old_.take("configurationNotifications");
    const bool has_one = invocation && invocation->is_object();
    if (!has_one && !tool_notes && !configuration_notes) return;
    writer_.key("invocations");
    writer_.begin_array();
    writer_.begin_object();
    // The old version does not say; a log with results is of a tool that ran.
    writer_.member_boolean("executionSuccessful", true);
    if (has_one) {
      Old old(*invocation);
      old.copy_all({"commandLine", "machine", "account", "processId", "environmentVariables"},
                   writer_);
      old.copy("startTime", "startTimeUtc", writer_);
      old.copy("endTime", "endTimeUtc", writer_);
      place(old.take_text("workingDirectory"), "workingDirectory");
      place(old.take_text("fileName"), "executableLocation");
      notifications("toolExecutionNotifications", tool_notes);
      notifications("toolConfigurationNotifications", configuration_notes);
      old.write_properties(writer_);
    } else {
      notifications("toolExecutionNotifications", tool_notes);
      notifications("toolConfigurationNotifications", configuration_notes);
    }
    writer_.end_object();
    writer_.end_array();
  }

  void place(const std::string& path, std::string_view key) {
    if (path.empty()) return;
    writer_.key(key);
    writer_.begin_object();
    writer_.member("uri", reference_of(path));
    writer_.end_object();
  }

  void notifications(std::string_view key, const std::optional<JsonView>& list) {
    if (!list || !list->is_array()) return;
    writer_.key(key);
    writer_.begin_array();
    for (const JsonView one : *list) {
      Old old(one);
      writer_.begin_object();
      const auto message = old.take("message");
      writer_.key("message");
      writer_.begin_object();
      writer_.member("text", message ? message->text() : std::string());
      writer_.end_object();
      const std::string id = old.take_text("id");
      if (!id.empty()) reference("descriptor", id, std::nullopt);
      const std::string rule = old.take_text("ruleId");
      if (!rule.empty()) reference("associatedRule", rule, index_in(rules_, rule));
      const std::string level = old.take_text("level");
      if (!level.empty()) writer_.member("level", is_level(level) ? level : "none");
      old.copy_all({"threadId"}, writer_);
      old.copy("time", "timeUtc", writer_);
      if (const auto place = old.take("physicalLocation")) {
        writer_.key("locations");
        writer_.begin_array();
        writer_.begin_object();
        physical(*place);
        writer_.end_object();
        writer_.end_array();
      }
      old.write_properties(writer_);
      writer_.end_object();
    }
    writer_.end_array();
  }

  void reference(std::string_view key, const std::string& id, std::optional<std::size_t> index) {
    writer_.key(key);
    writer_.begin_object();
    writer_.member("id", id);
    if (index) writer_.member_integer("index", static_cast<std::int64_t>(*index));
    writer_.end_object();
  }

  static std::optional<std::size_t> index_in(const Indices& indices, std::string_view key) {
    const auto found = indices.find(key);
    return found == indices.end() ? std::nullopt : std::optional(found->second);
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
    locations(old.take("locations"));
    related(old.take("relatedLocations"));
    code_flows(old.take("codeFlows"));
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

  void region(const JsonView& old_region) {
    Old old(old_region);
    writer_.key("region");
    writer_.begin_object();
    old.copy_all({"startLine", "startColumn", "endLine", "endColumn"}, writer_);
    old.copy("offset", "byteOffset", writer_);
    old.copy("length", "byteLength", writer_);
    old.write_properties(writer_);
    writer_.end_object();
  }

  // The member physicalLocation of what {uri, uriBaseId, region} says.
  void physical(const JsonView& file) {
    const std::string uri = text_of(file, "uri");
    if (uri.empty()) return;
    const std::string base = text_of(file, "uriBaseId");
    writer_.key("physicalLocation");
    writer_.begin_object();
    writer_.key("artifactLocation");
    writer_.begin_object();
    writer_.member("uri", reference_of(uri));
    if (!base.empty()) writer_.member("uriBaseId", base);
    if (const auto index = index_in(files_, uri)) {
      writer_.member_integer("index", static_cast<std::int64_t>(*index));
    }
    writer_.end_object();
    const auto place = file.find("region");
    if (place && place->is_object() && place->size() > 0) region(*place);
    writer_.end_object();
  }

  void locations(const std::optional<JsonView>& list) {
    if (!list || !list->is_array()) return;
    writer_.key("locations");
    writer_.begin_array();
    for (const JsonView one : *list) {
      Old old(one);
      writer_.begin_object();
      const auto result_file = old.take("resultFile");
      const auto target = result_file ? std::nullopt : old.take("analysisTarget");
      if (result_file) physical(*result_file);
      if (target) physical(*target);
      logical(old);
      old.write_properties(writer_);
      writer_.end_object();
    }
    writer_.end_array();
  }

  void logical(Old& old) {
    const std::string name = old.take_text("fullyQualifiedLogicalName");
    const std::string key = old.take_text("logicalLocationKey");
    const std::string& known = key.empty() ? name : key;
    if (known.empty()) return;
    writer_.key("logicalLocations");
    writer_.begin_array();
    writer_.begin_object();
    writer_.member("fullyQualifiedName", known);
    old.copy_all({"decoratedName"}, writer_);
    if (const auto index = index_in(logical_, known)) {
      writer_.member_integer("index", static_cast<std::int64_t>(*index));
    }
    writer_.end_object();
    writer_.end_array();
  }

  // An annotatedCodeLocation as a location, without its braces.
  void annotated(Old& old) {
    if (const auto place = old.take("physicalLocation"); place && place->is_object())
      physical(*place);
    logical(old);
    old.copy_message("message", "message", writer_);
  }

  void related(const std::optional<JsonView>& list) {
    if (!list || !list->is_array()) return;
    writer_.key("relatedLocations");
    writer_.begin_array();
    for (const JsonView one : *list) {
      Old old(one);
      writer_.begin_object();
      annotated(old);
      old.write_properties(writer_);
      writer_.end_object();
    }
    writer_.end_array();
  }

  void code_flows(const std::optional<JsonView>& list) {
    if (!list || !list->is_array()) return;
    writer_.key("codeFlows");
    writer_.begin_array();
    for (const JsonView flow : *list) {
      Old old(flow);
      writer_.begin_object();
      old.copy_message("message", "message", writer_);
      writer_.key("threadFlows");
      writer_.begin_array();
      writer_.begin_object();
      writer_.key("locations");
      writer_.begin_array();
      if (const auto steps = old.take("locations"); steps && steps->is_array()) {
        for (const JsonView step : *steps) {
          Old old_step(step);
          writer_.begin_object();
          writer_.key("location");
          writer_.begin_object();
          annotated(old_step);
          writer_.end_object();
          old_step.copy("module", "module", writer_);
          const std::string importance = old_step.take_text("importance");
          if (!importance.empty()) writer_.member("importance", importance);
          old_step.write_properties(writer_);
          writer_.end_object();
        }
      }
      writer_.end_array();
      writer_.end_object();
      writer_.end_array();
      old.write_properties(writer_);
      writer_.end_object();
    }
    writer_.end_array();
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
