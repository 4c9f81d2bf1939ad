// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

Level level_of(std::string_view word) {
  if (word == "error") return Level::error;
  if (word == "warning") return Level::warning;
  return Level::note;  // info, style
}

Region region_of(const JsonView& object) {
  return make_region(position_of(object, "line"), position_of(object, "column"),
                     position_of(object, "endLine"), position_of(object, "endColumn"));
}

// "fix": {"replacements": [...]} or null. ShellCheck sorts out overlapping inserts by precedence;
// they are kept in its order.
void add_fix(Finding& finding, const JsonView& comment) {
  const auto replacements = comment.find_path({"fix", "replacements"});
  if (!replacements || !replacements->is_array()) return;
  Fix fix;
  fix.description = "The change that ShellCheck proposes.";
  for (const JsonView one : *replacements) {
    if (fix.replacements.size() >= kMaxRelated) return;
    const auto text = one.find("replacement");
    if (!text || !text->is_string() || !position_of(one, "column")) return;
    Region region = region_of(one);
    if (!region.end_column) return;
    fix.replacements.push_back({region, clean_message(text->text())});
    // An empty replacement deletes; clean_message() is for texts that must say something.
    if (text->text().empty()) fix.replacements.back().text.clear();
  }
  if (!fix.replacements.empty()) finding.fixes.push_back(std::move(fix));
}

}  // namespace

base::Result<ConvertedRun> convert_shellcheck(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"ShellCheck", "", "https://www.shellcheck.net"};
  RuleBook rules(run);
  const auto handle = [&](const JsonView& comment) -> base::Result<void> {
    const auto code = integer_of(comment, "code");
    const std::string file = text_of(comment, "file");
    if (!comment.is_object() || !code || *code < 0 || file.empty()) {
      return base::fail(base::Errc::malformed, "not a ShellCheck comment");
    }
    Finding finding;
    finding.rule = rules.index_of("SC" + std::to_string(*code), shellcheck_rule);
    finding.level = level_of(text_of(comment, "level"));
    finding.message = clean_message(text_of(comment, "message"));
    finding.location.path = file;
    finding.location.region = region_of(comment);
    add_fix(finding, comment);
    return add_finding(run, std::move(finding));
  };
  // The old format is a bare array whose columns count a tab as up to eight; json1 wraps the
  // array and counts it as one.
  const auto handle_old = [&](const JsonView& comment) {
    run.column_unit = ColumnUnit::code_points_tab8;
    return handle(comment);
  };
  auto done = read_json_document(source, "comments", {{"", handle_old}, {"comments", handle}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace ethos::sarif
