// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/rules/known.h"
#include "sarif/rules/naming.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

Level level_of(std::string_view severity) {
  if (severity == "HIGH") return Level::error;
  if (severity == "MEDIUM") return Level::warning;
  return Level::note;
}

// GitHub wants a number as text; the middle of its bands high, medium and low.
std::string security_severity(Level level) {
  switch (level) {
    case Level::error:
      return "8.0";
    case Level::warning:
      return "5.5";
    default:
      return "3.0";
  }
}

// Offsets count from 0 (bytes of the line, from Python's ast); -1 stands for none.
std::optional<std::int64_t> column_of(const JsonView& issue, std::string_view name) {
  const auto offset = integer_of(issue, name);
  if (!offset || *offset < 0 || *offset > 2147483646) return std::nullopt;
  return *offset + 1;
}

// The last number of line_range, when it lies behind the issue's own line.
std::optional<std::int64_t> end_line_of(const JsonView& issue, std::optional<std::int64_t> line) {
  const auto range = issue.find("line_range");
  if (!range || !range->is_array() || !line) return std::nullopt;
  std::int64_t last = *line;
  for (const JsonView one : *range) last = std::max(last, one.integer().value_or(0));
  return last;
}

std::string cwe_of(const JsonView& issue) {
  const auto id = issue.find_path({"issue_cwe", "id"});
  return id ? cwe_number(id->token()) : std::string();
}

Region region_of(const JsonView& issue) {
  const auto line = position_of(issue, "line_number");
  return make_region(line, column_of(issue, "col_offset"), end_line_of(issue, line),
                     column_of(issue, "end_col_offset"));
}

}  // namespace

base::Result<ConvertedRun> convert_bandit(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"Bandit", "", "https://bandit.readthedocs.io"};
  run.column_unit = ColumnUnit::utf8_bytes;
  RuleBook rules(run);
  const auto handle_result = [&](const JsonView& issue) -> base::Result<void> {
    const std::string id = text_of(issue, "test_id");
    const std::string file = text_of(issue, "filename");
    if (!issue.is_object() || id.empty() || file.empty()) {
      return base::fail(base::Errc::malformed, "not a Bandit result");
    }
    Finding finding;
    finding.level = level_of(text_of(issue, "issue_severity"));
    finding.rule = rules.index_of(id, [&](const std::string& key) {
      return bandit_rule(key, text_of(issue, "test_name"), text_of(issue, "more_info"),
                         cwe_of(issue));
    });
    // The rule carries the worst severity that this log shows for it.
    Rule& rule = run.rules[finding.rule];
    if (rule.security_severity.empty() || finding.level > rule.default_level) {
      rule.default_level = finding.level;
      rule.security_severity = security_severity(finding.level);
    }
    finding.message = clean_message(text_of(issue, "issue_text"));
    finding.location.path = file;
    finding.location.region = region_of(issue);
    for (const std::string_view name : {"issue_confidence", "issue_severity"}) {
      const std::string text = text_of(issue, name);
      if (!text.empty()) finding.properties.emplace_back(name, text);
    }
    return add_finding(run, std::move(finding));
  };
  const auto handle_error = [&](const JsonView& error) -> base::Result<void> {
    Notification notification;
    notification.level = Level::error;
    notification.message = clean_message(text_of(error, "reason"));
    const std::string file = text_of(error, "filename");
    if (!file.empty()) {
      notification.location.emplace();
      notification.location->path = file;
    }
    run.notifications.push_back(std::move(notification));
    return {};
  };
  auto done =
      read_json_document(source, "results", {{"results", handle_result}, {"errors", handle_error}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace ethos::sarif
