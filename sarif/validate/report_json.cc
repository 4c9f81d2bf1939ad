// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/report.h"
#include "sarif/validate/safe_text.h"

namespace ethos::sarif::validation {
namespace {

void member(JsonWriter& writer, std::string_view name, std::string_view text) {
  writer.key(name);
  writer.raw_scalar(safe_json_string(text));
}

void count(JsonWriter& writer, std::string_view name, std::uint64_t value) {
  writer.member_integer(name, static_cast<std::int64_t>(value));
}

void write_finding(JsonWriter& writer, const Finding& finding) {
  writer.begin_object();
  writer.member("rule", finding.rule->id);
  writer.member("name", finding.rule->name);
  writer.member("level", severity_name(finding.severity));
  count(writer, "line", finding.line);
  count(writer, "column", finding.column);
  count(writer, "offset", finding.offset);
  member(writer, "pointer", finding.pointer);
  member(writer, "message", finding.message);
  member(writer, "fix", finding.fix);
  writer.end_object();
}

void write_file(JsonWriter& writer, const FileReport& file) {
  const Report& report = file.report;
  writer.begin_object();
  member(writer, "file", file.path);
  writer.member_boolean("readable", file.is_readable());
  if (!file.failure.empty()) {
    member(writer, "failure", file.failure);
    writer.end_object();
    return;
  }
  if (!report.is_readable()) member(writer, "failure", report.fault.message());
  writer.member_boolean("schema_valid", report.is_schema_valid);
  count(writer, "errors", report.errors);
  count(writer, "warnings", report.warnings);
  count(writer, "notes", report.notes);
  count(writer, "not_shown", report.not_kept);
  count(writer, "runs", report.runs);
  count(writer, "results", report.results);
  count(writer, "bytes", report.bytes);
  writer.key("findings");
  writer.begin_array();
  for (const Finding& finding : report.findings) write_finding(writer, finding);
  writer.end_array();
  writer.end_object();
}

}  // namespace

void write_json(ByteSink& sink, std::span<const FileReport> files, Profile profile) {
  JsonWriter writer(sink, JsonLayout::indented);
  writer.begin_object();
  writer.member("format", "ethos-sarif-validation");
  writer.member_integer("version", 1);
  writer.member("profile", profile_name(profile));
  writer.key("files");
  writer.begin_array();
  for (const FileReport& file : files) write_file(writer, file);
  writer.end_array();
  writer.end_object();
  writer.finish();
}

void write_rules_json(ByteSink& sink) {
  JsonWriter writer(sink, JsonLayout::indented);
  writer.begin_object();
  writer.member("format", "ethos-sarif-rules");
  writer.member_integer("version", 1);
  writer.key("rules");
  writer.begin_array();
  for (const Rule& rule : rules()) {
    writer.begin_object();
    writer.member("id", rule.id);
    writer.member("name", rule.name);
    writer.member("summary", rule.summary);
    writer.member("help", rule.help);
    writer.key("levels");
    writer.begin_object();
    for (std::size_t i = 0; i < kProfileCount; ++i) {
      const auto profile = static_cast<Profile>(i);
      writer.member(profile_name(profile), severity_name(rule.in(profile)));
    }
    writer.end_object();
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  writer.finish();
}

}  // namespace ethos::sarif::validation
