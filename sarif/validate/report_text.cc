// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/report.h"
#include "sarif/validate/safe_text.h"

namespace ethos::sarif::validation {
namespace {

std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string shown_name(const FileReport& file) {
  return file.path == "-" ? "standard input" : safe_text(file.path);
}

void write_finding(ByteSink& sink, const std::string& name, const Finding& finding) {
  std::string line =
      name + ":" + std::to_string(finding.line) + ":" + std::to_string(finding.column) + ": ";
  line += severity_name(finding.severity);
  line += ": " + safe_text(finding.message) + " [";
  line += finding.rule->id;
  if (!finding.pointer.empty()) line += " at " + safe_text(finding.pointer);
  line += "]\n    " + safe_text(finding.fix) + "\n";
  sink.append(line);
}

void write_summary(ByteSink& sink, const std::string& name, const Report& report, Profile profile) {
  std::string line = name + ": ";
  if (!report.is_readable()) line += "unreadable, ";
  line += counted(report.errors, "error") + ", " + counted(report.warnings, "warning") + ", " +
          counted(report.notes, "note") + " in " + counted(report.runs, "run") + " with " +
          counted(report.results, "result") + " (profile ";
  line += profile_name(profile);
  line += ")";
  if (report.not_kept != 0) line += "; " + std::to_string(report.not_kept) + " more not shown";
  sink.append(line + "\n");
}

}  // namespace

void write_text(ByteSink& sink, std::span<const FileReport> files, Profile profile) {
  for (const FileReport& file : files) {
    if (!file.failure.empty()) continue;
    const std::string name = shown_name(file);
    for (const Finding& finding : file.report.findings) write_finding(sink, name, finding);
    write_summary(sink, name, file.report, profile);
  }
}

void write_rules_text(ByteSink& sink) {
  for (const Rule& rule : rules()) {
    std::string line(rule.id);
    line += "  ";
    line += rule.name;
    line += " (";
    for (std::size_t i = 0; i < kProfileCount; ++i) {
      const auto profile = static_cast<Profile>(i);
      if (i != 0) line += ", ";
      line += profile_name(profile);
      line += ' ';
      line += severity_name(rule.in(profile));
    }
    line += ")\n    ";
    line += rule.summary;
    line += "\n    ";
    line += rule.help;
    sink.append(line + "\n");
  }
}

}  // namespace ethos::sarif::validation
