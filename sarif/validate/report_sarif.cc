// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sarif/uri.h"
#include "sarif/validate/report.h"
#include "sarif/validate/safe_text.h"

namespace ethos::sarif::validation {
namespace {

constexpr std::string_view kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

// A path of this machine as a URI; standard input gets a name that no file has.
std::string uri_of(const std::string& path) {
  if (path == "-") return "stdin";
  return path.substr(0, 1) == "/" ? "file://" + encode_uri_path(path) : encode_uri_path(path);
}

std::vector<const Rule*> rules_that_fired(std::span<const FileReport> files) {
  std::vector<const Rule*> fired;
  for (const FileReport& file : files) {
    for (const Finding& finding : file.report.findings) fired.push_back(finding.rule);
  }
  // All of them stand in one table, ordered by id.
  std::sort(fired.begin(), fired.end());
  fired.erase(std::unique(fired.begin(), fired.end()), fired.end());
  return fired;
}

void write_message(JsonWriter& writer, std::string_view key, std::string_view text) {
  writer.key(key);
  writer.begin_object();
  writer.key("text");
  writer.raw_scalar(safe_json_string(text));
  writer.end_object();
}

void write_rule(JsonWriter& writer, const Rule& rule, Profile profile) {
  writer.begin_object();
  writer.member("id", rule.id);
  writer.member("name", rule.name);
  write_message(writer, "shortDescription", rule.summary);
  write_message(writer, "fullDescription", rule.summary);
  write_message(writer, "help", rule.help);
  writer.key("defaultConfiguration");
  writer.begin_object();
  writer.member("level", severity_name(rule.in(profile)));
  writer.end_object();
  writer.end_object();
}

void write_location(JsonWriter& writer, const FileReport& file, const Finding& finding) {
  writer.key("locations");
  writer.begin_array();
  writer.begin_object();
  writer.key("physicalLocation");
  writer.begin_object();
  writer.key("artifactLocation");
  writer.begin_object();
  writer.member("uri", uri_of(file.path));
  writer.end_object();
  writer.key("region");
  writer.begin_object();
  // Columns are left out: what is known here are bytes, and SARIF counts characters.
  writer.member_integer("startLine",
                        std::max<std::int64_t>(1, static_cast<std::int64_t>(finding.line)));
  writer.member_integer("byteOffset", static_cast<std::int64_t>(finding.offset));
  writer.end_object();
  writer.end_object();
  if (!finding.pointer.empty()) {
    writer.key("logicalLocations");
    writer.begin_array();
    writer.begin_object();
    writer.key("fullyQualifiedName");
    writer.raw_scalar(safe_json_string(finding.pointer));
    writer.end_object();
    writer.end_array();
  }
  writer.end_object();
  writer.end_array();
}

void write_result(JsonWriter& writer, const FileReport& file, const Finding& finding,
                  std::span<const Rule* const> fired) {
  const auto place = std::lower_bound(fired.begin(), fired.end(), finding.rule);
  writer.begin_object();
  writer.member("ruleId", finding.rule->id);
  writer.member_integer("ruleIndex", place - fired.begin());
  writer.member("level", severity_name(finding.severity));
  write_message(writer, "message", finding.message + " " + finding.fix);
  write_location(writer, file, finding);
  writer.end_object();
}

// A file that could not be opened is no finding about SARIF: the run says that it is incomplete.
void write_invocation(JsonWriter& writer, std::span<const FileReport> files) {
  const bool is_complete = std::all_of(files.begin(), files.end(),
                                       [](const FileReport& file) { return file.is_readable(); });
  writer.key("invocations");
  writer.begin_array();
  writer.begin_object();
  writer.member_boolean("executionSuccessful", is_complete);
  if (!is_complete) {
    writer.key("toolExecutionNotifications");
    writer.begin_array();
    for (const FileReport& file : files) {
      if (file.is_readable()) continue;
      const std::string& why = file.failure.empty() ? file.report.fault.message() : file.failure;
      writer.begin_object();
      writer.member("level", "error");
      write_message(writer, "message", file.path + ": " + why + ".");
      writer.end_object();
    }
    writer.end_array();
  }
  writer.end_object();
  writer.end_array();
}

}  // namespace

void write_sarif(ByteSink& sink, std::span<const FileReport> files, Profile profile) {
  const std::vector<const Rule*> fired = rules_that_fired(files);
  JsonWriter writer(sink, JsonLayout::indented);
  writer.begin_object();
  writer.member("$schema", kSchema);
  writer.member("version", "2.1.0");
  writer.key("runs");
  writer.begin_array();
  writer.begin_object();
  writer.key("tool");
  writer.begin_object();
  writer.key("driver");
  writer.begin_object();
  writer.member("name", "ethos-sarif");
  writer.member("version", ETHOS_VERSION);
  writer.key("rules");
  writer.begin_array();
  for (const Rule* rule : fired) write_rule(writer, *rule, profile);
  writer.end_array();
  writer.end_object();
  writer.end_object();
  write_invocation(writer, files);
  writer.key("automationDetails");
  writer.begin_object();
  writer.member("id", "ethos-sarif/validate/" + std::string(profile_name(profile)) + "/");
  writer.end_object();
  writer.key("results");
  writer.begin_array();
  for (const FileReport& file : files) {
    for (const Finding& finding : file.report.findings) write_result(writer, file, finding, fired);
  }
  writer.end_array();
  writer.end_object();
  writer.end_array();
  writer.end_object();
  writer.finish();
}

}  // namespace ethos::sarif::validation
