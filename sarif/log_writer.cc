// SPDX-License-Identifier: Apache-2.0
#include "sarif/log_writer.h"

#include <algorithm>

#include "sarif/plain_message.h"

namespace ethos::sarif {
namespace {

constexpr std::string_view kSourceRoot = "SRCROOT";

void write_text(JsonWriter& writer, std::string_view key, std::string_view text) {
  writer.key(key);
  writer.begin_object();
  writer.member("text", text);
  writer.end_object();
}

void write_optional(JsonWriter& writer, std::string_view key,
                    const std::optional<std::int64_t>& value) {
  if (value) writer.member_integer(key, *value);
}

void write_if(JsonWriter& writer, std::string_view key, const std::string& text) {
  if (!text.empty()) writer.member(key, text);
}

void write_region(JsonWriter& writer, std::string_view key, const Region& region) {
  writer.key(key);
  writer.begin_object();
  writer.member_integer("startLine", region.start_line);
  write_optional(writer, "startColumn", region.start_column);
  write_optional(writer, "endLine", region.end_line);
  write_optional(writer, "endColumn", region.end_column);
  writer.end_object();
}

void write_artifact_location(JsonWriter& writer, const Location& location) {
  writer.key("artifactLocation");
  writer.begin_object();
  writer.member("uri", location.uri);
  writer.end_object();
}

void write_location_members(JsonWriter& writer, const Location& location) {
  writer.key("physicalLocation");
  writer.begin_object();
  write_artifact_location(writer, location);
  write_region(writer, "region", location.region);
  writer.end_object();
  if (!location.message.empty()) write_text(writer, "message", plain_message(location.message));
}

void write_location(JsonWriter& writer, const Location& location) {
  writer.begin_object();
  write_location_members(writer, location);
  writer.end_object();
}

void write_related(JsonWriter& writer, const std::vector<Location>& related) {
  if (related.empty()) return;
  writer.key("relatedLocations");
  writer.begin_array();
  std::int64_t id = 0;
  for (const Location& location : related) {
    writer.begin_object();
    writer.member_integer("id", ++id);
    write_location_members(writer, location);
    writer.end_object();
  }
  writer.end_array();
}

// 3.36: one flow of one thread. Locations stand in place: GitHub takes none by index.
void write_code_flow(JsonWriter& writer, const std::vector<Location>& path) {
  if (path.empty()) return;
  writer.key("codeFlows");
  writer.begin_array();
  writer.begin_object();
  writer.key("threadFlows");
  writer.begin_array();
  writer.begin_object();
  writer.key("locations");
  writer.begin_array();
  for (const Location& location : path) {
    writer.begin_object();
    writer.key("location");
    write_location(writer, location);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  writer.end_array();
  writer.end_object();
  writer.end_array();
}

void write_fix(JsonWriter& writer, const Fix& fix, const Location& file) {
  writer.begin_object();
  write_text(writer, "description", plain_message(fix.description));
  writer.key("artifactChanges");
  writer.begin_array();
  writer.begin_object();
  write_artifact_location(writer, file);
  writer.key("replacements");
  writer.begin_array();
  for (const Replacement& one : fix.replacements) {
    writer.begin_object();
    write_region(writer, "deletedRegion", one.region);
    if (!one.text.empty()) write_text(writer, "insertedContent", one.text);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  writer.end_array();
  writer.end_object();
}

void write_suppressions(JsonWriter& writer, const std::vector<Suppression>& suppressions) {
  writer.key("suppressions");
  writer.begin_array();
  for (const Suppression& one : suppressions) {
    writer.begin_object();
    writer.member("kind", "inSource");
    write_if(writer, "justification", one.justification);
    writer.end_object();
  }
  writer.end_array();
}

void write_string_list(JsonWriter& writer, std::string_view key,
                       const std::vector<std::string>& list) {
  writer.key(key);
  writer.begin_array();
  for (const std::string& text : list) writer.string(text);
  writer.end_array();
}

void write_rule_properties(JsonWriter& writer, const Rule& rule) {
  if (rule.tags.empty() && rule.precision.empty() && rule.security_severity.empty() &&
      rule.problem_severity.empty()) {
    return;
  }
  writer.key("properties");
  writer.begin_object();
  if (!rule.tags.empty()) write_string_list(writer, "tags", rule.tags);
  write_if(writer, "precision", rule.precision);
  write_if(writer, "problem.severity", rule.problem_severity);
  write_if(writer, "security-severity", rule.security_severity);
  writer.end_object();
}

void write_tool(JsonWriter& writer, const ConvertedRun& run) {
  writer.key("tool");
  writer.begin_object();
  writer.key("driver");
  writer.begin_object();
  writer.member("name", run.tool.name);
  write_if(writer, "version", run.tool.version);
  write_if(writer, "informationUri", run.tool.information_uri);
  writer.key("rules");
  writer.begin_array();
  for (const Rule& rule : run.rules) write_rule(writer, rule);
  writer.end_array();
  writer.end_object();
  writer.end_object();
}

void write_notification(JsonWriter& writer, const Notification& notification) {
  writer.begin_object();
  if (!notification.id.empty()) {
    writer.key("descriptor");
    writer.begin_object();
    writer.member("id", notification.id);
    writer.end_object();
  }
  writer.member("level", level_text(notification.level));
  write_text(writer, "message", plain_message(notification.message));
  if (notification.location && !notification.location->uri.empty()) {
    writer.key("locations");
    writer.begin_array();
    write_location(writer, *notification.location);
    writer.end_array();
  }
  writer.end_object();
}

// Machine, account, environment and command line stay out on purpose: they name people and hold
// secrets, and the ledger carries what an auditor needs of them.
void write_invocations(JsonWriter& writer, const ConvertedRun& run, const RunContext& context) {
  if (!context.invocation && run.notifications.empty() && !run.has_failed) return;
  const Invocation known = context.invocation.value_or(Invocation{});
  writer.key("invocations");
  writer.begin_array();
  writer.begin_object();
  writer.member_boolean("executionSuccessful", known.execution_successful && !run.has_failed);
  write_optional(writer, "exitCode", known.exit_code);
  write_optional(writer, "exitSignalNumber", known.exit_signal);
  write_if(writer, "startTimeUtc", known.start_time_utc);
  write_if(writer, "endTimeUtc", known.end_time_utc);
  if (!run.notifications.empty()) {
    writer.key("toolExecutionNotifications");
    writer.begin_array();
    for (const Notification& one : run.notifications) write_notification(writer, one);
    writer.end_array();
  }
  writer.end_object();
  writer.end_array();
}

void write_provenance(JsonWriter& writer, const Provenance& provenance) {
  writer.key("versionControlProvenance");
  writer.begin_array();
  writer.begin_object();
  writer.member("repositoryUri", provenance.repository_uri);
  write_if(writer, "revisionId", provenance.revision);
  write_if(writer, "branch", provenance.branch);
  writer.key("mappedTo");
  writer.begin_object();
  writer.member("uriBaseId", kSourceRoot);
  writer.end_object();
  writer.end_object();
  writer.end_array();
  // 3.14.14: the base is named and explained, its absolute place stays unsaid.
  writer.key("originalUriBaseIds");
  writer.begin_object();
  writer.key(kSourceRoot);
  writer.begin_object();
  write_text(writer, "description", "The root of the repository; all relative URIs start there.");
  writer.end_object();
  writer.end_object();
}

}  // namespace

std::string automation_id(const std::string& category, const std::string& run_id) {
  if (category.ends_with('/')) return category + run_id;
  return category + "/" + run_id;
}

void write_rule(JsonWriter& writer, const Rule& rule) {
  writer.begin_object();
  writer.member("id", rule.id);
  write_if(writer, "name", rule.name);
  write_text(writer, "shortDescription", plain_message(rule.short_description));
  write_text(writer, "fullDescription", plain_message(rule.full_description));
  write_text(writer, "help", plain_message(rule.help));
  write_if(writer, "helpUri", rule.help_uri);
  writer.key("defaultConfiguration");
  writer.begin_object();
  writer.member("level", level_text(rule.default_level));
  writer.end_object();
  write_rule_properties(writer, rule);
  writer.end_object();
}

void write_properties(JsonWriter& writer, const Properties& properties) {
  if (properties.empty()) return;
  writer.key("properties");
  writer.begin_object();
  for (const auto& [name, value] : properties) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      writer.member(name, *text);
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
      writer.member_integer(name, *number);
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      writer.member_boolean(name, *flag);
    } else if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
      write_string_list(writer, name, *list);
    }
  }
  writer.end_object();
}

void write_finding(JsonWriter& writer, const Finding& finding, const std::string& rule_id,
                   std::optional<std::size_t> index, WithSuppressions suppressions) {
  writer.begin_object();
  writer.member("ruleId", rule_id);
  if (index) writer.member_integer("ruleIndex", static_cast<std::int64_t>(*index));
  writer.member("level", level_text(finding.level));
  write_text(writer, "message", plain_message(finding.message));
  writer.key("locations");
  writer.begin_array();
  write_location(writer, finding.location);
  writer.end_array();
  write_related(writer, finding.related);
  write_code_flow(writer, finding.path);
  if (!finding.fingerprints.empty()) {
    writer.key("partialFingerprints");
    writer.begin_object();
    for (const auto& [name, value] : finding.fingerprints) writer.member(name, value);
    writer.end_object();
  }
  if (suppressions == WithSuppressions::yes) write_suppressions(writer, finding.suppressions);
  if (!finding.fixes.empty()) {
    writer.key("fixes");
    writer.begin_array();
    for (const Fix& fix : finding.fixes) write_fix(writer, fix, finding.location);
    writer.end_array();
  }
  write_properties(writer, finding.properties);
  writer.end_object();
}

void write_run(JsonWriter& writer, const ConvertedRun& run, const RunContext& context) {
  writer.begin_object();
  write_tool(writer, run);
  if (!context.category.empty()) {
    writer.key("automationDetails");
    writer.begin_object();
    writer.member("id", automation_id(context.category, context.run_id));
    writer.end_object();
  }
  write_invocations(writer, run, context);
  if (context.provenance) write_provenance(writer, *context.provenance);
  writer.member("columnKind", "unicodeCodePoints");
  writer.key("results");
  writer.begin_array();
  // 3.27.23: when one result of a run has the property, all have it; an empty list says "not".
  const bool has_suppressions =
      std::any_of(run.findings.begin(), run.findings.end(),
                  [](const Finding& finding) { return !finding.suppressions.empty(); });
  for (const Finding& finding : run.findings) {
    write_finding(writer, finding, run.rules[finding.rule].id, finding.rule,
                  has_suppressions ? WithSuppressions::yes : WithSuppressions::no);
  }
  writer.end_array();
  if (context.write_properties) {
    writer.key("properties");
    writer.begin_object();
    context.write_properties(writer);
    writer.end_object();
  }
  writer.end_object();
}

void write_log(JsonWriter& writer, const ConvertedRun& run, const RunContext& context) {
  writer.begin_object();
  writer.member("$schema", kSchemaUri);
  writer.member("version", "2.1.0");
  writer.key("runs");
  writer.begin_array();
  write_run(writer, run, context);
  writer.end_array();
  writer.end_object();
  writer.finish();
}

}  // namespace ethos::sarif
