// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

Level level_of(std::string_view type) {
  if (type == "error" || type == "fatal") return Level::error;
  if (type == "warning") return Level::warning;
  return Level::note;  // convention, refactor, information
}

// Pylint counts columns from 0.
std::optional<std::int64_t> column_of(const JsonView& message, std::string_view name) {
  const auto column = integer_of(message, name);
  if (!column || *column < 0 || *column > 2147483646) return std::nullopt;
  return *column + 1;
}

void add_properties(Finding& finding, const JsonView& message) {
  for (const std::string_view name : {"module", "obj", "confidence"}) {
    const std::string text = text_of(message, name);
    if (!text.empty()) finding.properties.emplace_back(name, clean_message(text));
  }
}

}  // namespace

base::Result<ConvertedRun> convert_pylint(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"Pylint", "", "https://pylint.readthedocs.io"};
  // Most checks take the column from Python's ast, which counts the bytes of the UTF-8 line.
  run.column_unit = ColumnUnit::utf8_bytes;
  RuleBook rules(run);
  const auto handle = [&](const JsonView& message) -> base::Result<void> {
    std::string id = text_of(message, "messageId");       // json2
    if (id.empty()) id = text_of(message, "message-id");  // json
    const std::string path = text_of(message, "path");    // relative to where pylint ran
    if (!message.is_object() || id.empty() || !message.find("message")) {
      return base::fail(base::Errc::malformed, "not a Pylint message");
    }
    const Level level = level_of(text_of(message, "type"));
    const std::string text = clean_message(text_of(message, "message"));
    if (path.empty()) {
      run.notifications.push_back({level, id, text, std::nullopt});
      return {};
    }
    Finding finding;
    const std::string symbol = clean_message(text_of(message, "symbol"));
    finding.rule = rules.index_of(id, [&](const std::string& key) {
      Rule rule = pylint_rule(key, symbol);
      rule.default_level = level;
      return rule;
    });
    finding.level = level;
    finding.message = text;
    finding.location.path = path;
    finding.location.region =
        make_region(position_of(message, "line"), column_of(message, "column"),
                    position_of(message, "endLine"), column_of(message, "endColumn"));
    add_properties(finding, message);
    return add_finding(run, std::move(finding));
  };
  auto done = read_json_document(source, "messages", {{"", handle}, {"messages", handle}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace ethos::sarif
