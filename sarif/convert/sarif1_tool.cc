// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/sarif1_tool.h"

#include <algorithm>

#include "sarif/convert/input.h"

namespace ethos::sarif::sarif1 {
namespace {

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

}  // namespace

void ToolWriter::tool(Old& run) {
  const auto tool = run.take("tool");
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
    rules(run);
    old.write_properties(writer_);
  } else {
    writer_.member("name", "unknown");
    rules(run);
  }
  writer_.end_object();
  writer_.end_object();
}

void ToolWriter::rules(Old& run) {
  const auto rules = run.take("rules");
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

void ToolWriter::message_strings(const std::optional<JsonView>& formats) {
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

void ToolWriter::invocation(Old& run) {
  const auto invocation = run.take("invocation");
  const auto tool_notes = run.take("toolNotifications");
  const auto configuration_notes = run.take("configurationNotifications");
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

void ToolWriter::place(const std::string& path, std::string_view key) {
  if (path.empty()) return;
  writer_.key(key);
  writer_.begin_object();
  writer_.member("uri", reference_of(path));
  writer_.end_object();
}

void ToolWriter::notifications(std::string_view key, const std::optional<JsonView>& list) {
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
      places_.physical(*place);
      writer_.end_object();
      writer_.end_array();
    }
    old.write_properties(writer_);
    writer_.end_object();
  }
  writer_.end_array();
}

void ToolWriter::reference(std::string_view key, const std::string& id,
                           std::optional<std::size_t> index) {
  writer_.key(key);
  writer_.begin_object();
  writer_.member("id", id);
  if (index) writer_.member_integer("index", static_cast<std::int64_t>(*index));
  writer_.end_object();
}

}  // namespace ethos::sarif::sarif1
