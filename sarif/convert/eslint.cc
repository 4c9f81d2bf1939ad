// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

Rule rule_of(const std::string& id) {
  const bool is_core = id.find('/') == std::string::npos;
  return plain_rule(id, "ESLint", is_core ? "https://eslint.org/docs/latest/rules/" + id : "");
}

class EslintJson {
 public:
  explicit EslintJson(ConvertedRun& run) : run_(run), rules_(run) {}

  base::Result<void> file(const JsonView& file) {
    path_ = text_of(file, "filePath");
    const auto messages = file.find("messages");
    if (path_.empty() || !messages || !messages->is_array()) {
      return base::fail(base::Errc::malformed, "not an ESLint result");
    }
    for (const JsonView message : *messages) {
      auto done = add(message);
      if (!done) return done;
    }
    const auto suppressed = file.find("suppressedMessages");
    if (!suppressed || !suppressed->is_array()) return {};
    for (const JsonView message : *suppressed) {
      auto done = add(message);
      if (!done) return done;
    }
    return {};
  }

 private:
  base::Result<void> add(const JsonView& message) {
    const std::string id = text_of(message, "ruleId");
    const std::string text = clean_message(text_of(message, "message"));
    Location location;
    location.path = path_;
    location.region =
        make_region(position_of(message, "line"), position_of(message, "column"),
                    position_of(message, "endLine"), position_of(message, "endColumn"));
    const Level level = integer_of(message, "severity") == 1 ? Level::warning : Level::error;
    if (id.empty()) {
      // No rule: the file could not be parsed, or a comment names a rule that does not exist.
      run_.notifications.push_back({level, "", text, std::move(location)});
      return {};
    }
    Finding finding;
    finding.level = level;
    finding.rule = rules_.index_of(id, [&](const std::string& key) {
      Rule rule = rule_of(key);
      rule.default_level = level;
      return rule;
    });
    finding.message = text;
    finding.location = std::move(location);
    add_suppressions(finding, message);
    return add_finding(run_, std::move(finding));
  }

  static void add_suppressions(Finding& finding, const JsonView& message) {
    const auto list = message.find("suppressions");
    if (!list || !list->is_array()) return;
    for (const JsonView one : *list) {
      if (finding.suppressions.size() >= kMaxRelated) return;
      finding.suppressions.push_back({text_of(one, "justification")});
    }
  }

  ConvertedRun& run_;
  RuleBook rules_;
  std::string path_;
};

}  // namespace

// Fixes are left out: their ranges count UTF-16 units of the whole file as it was then.
base::Result<ConvertedRun> convert_eslint(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"ESLint", "", "https://eslint.org"};
  run.column_unit = ColumnUnit::utf16_units;
  EslintJson eslint(run);
  auto done =
      read_json_document(source, "", {{"", [&](const JsonView& one) { return eslint.file(one); }}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace ethos::sarif
