// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/xml.h"
#include "sarif/rules/known.h"
#include "sarif/rules/naming.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

constexpr std::string_view kOwn = "com.puppycrawl.tools.checkstyle.";

std::string attribute(const XmlAttributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

Level level_of(std::string_view severity) {
  if (severity == "error") return Level::error;
  if (severity == "warning") return Level::warning;
  return Level::note;
}

// Whose rule a "source" names: the format is written by many tools.
struct Source {
  std::string tool;
  std::string id;
};

Source parse_source(const std::string& source) {
  if (source.starts_with(kOwn)) {
    std::string id = source.substr(source.rfind('.') + 1);
    if (id.size() > 5 && id.ends_with("Check")) id.resize(id.size() - 5);
    return {"Checkstyle", id};
  }
  if (source.starts_with("ShellCheck.")) return {"ShellCheck", source.substr(11)};
  constexpr std::string_view kEslint = "eslint.rules.";
  if (source.starts_with(kEslint)) return {"ESLint", source.substr(kEslint.size())};
  return {"", source.empty() ? "checkstyle" : source};
}

Rule rule_of(const std::string& id, const Source& source) {
  if (source.tool == "ShellCheck") return shellcheck_rule(id);
  if (source.tool == "ESLint")
    return plain_rule(id, "ESLint", "https://eslint.org/docs/rules/" + id);
  if (source.tool == "Checkstyle") {
    return plain_rule(id, "Checkstyle", "https://checkstyle.org/checks.html");
  }
  return plain_rule(id, "checkstyle");
}

class CheckstyleXml {
 public:
  explicit CheckstyleXml(ConvertedRun& run) : run_(run), rules_(run) {}

  base::Result<void> begin(std::string_view name, const XmlAttributes& attributes) {
    if (depth_++ == 0) {
      if (name != "checkstyle") return base::fail(base::Errc::malformed, "not checkstyle XML");
      version_ = attribute(attributes, "version").substr(0, 64);
      return {};
    }
    if (name == "file") file_ = attribute(attributes, "name");
    if (name == "error") return add(attributes);
    return {};
  }

  base::Result<void> end(std::string_view name) {
    --depth_;
    if (name == "file") file_.clear();
    return {};
  }

  // The tool is the one that all rules agree on.
  void finish() {
    if (!tool_ || tool_->empty()) return;
    run_.tool.name = *tool_;
    if (*tool_ == "Checkstyle") {
      run_.tool.version = version_;
      run_.tool.information_uri = "https://checkstyle.org";
      run_.column_unit = ColumnUnit::code_points_tab8;  // its property tabWidth is 8 by default
    } else if (*tool_ == "ShellCheck") {
      run_.tool.information_uri = "https://www.shellcheck.net";
    } else {
      run_.tool.information_uri = "https://eslint.org";
    }
  }

 private:
  base::Result<void> add(const XmlAttributes& error) {
    if (attribute(error, "severity") == "ignore") return {};
    const Source source = parse_source(attribute(error, "source"));
    if (tool_ && *tool_ != source.tool) {
      tool_ = "";
    } else {
      tool_ = source.tool;
    }
    const Level level = level_of(attribute(error, "severity"));
    const std::string message = clean_message(attribute(error, "message"));
    if (file_.empty()) {
      run_.notifications.push_back({level, source.id, message, std::nullopt});
      return {};
    }
    Finding finding;
    finding.level = level;
    finding.rule = rules_.index_of(source.id, [&](const std::string& id) {
      Rule rule = rule_of(id, source);
      rule.default_level = level;
      return rule;
    });
    finding.message = message;
    finding.location.path = file_;
    finding.location.region = make_region(parse_position(attribute(error, "line")),
                                          parse_position(attribute(error, "column")), {}, {});
    return add_finding(run_, std::move(finding));
  }

  ConvertedRun& run_;
  RuleBook rules_;
  int depth_ = 0;
  std::string version_;
  std::string file_;
  std::optional<std::string> tool_;  // empty: several, or one that is not known
};

}  // namespace

base::Result<ConvertedRun> convert_checkstyle(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"checkstyle", "", ""};
  CheckstyleXml xml(run);
  auto done = read_xml(source, {[&](std::string_view name, const XmlAttributes& attributes) {
                                  return xml.begin(name, attributes);
                                },
                                [&](std::string_view name) { return xml.end(name); },
                                {}});
  if (!done) return base::Unexpected(std::move(done).error());
  xml.finish();
  return run;
}

}  // namespace ethos::sarif
