// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

// Tools whose JSON is a list of findings and little more: hadolint, Code Climate (GitLab code
// quality), RuboCop, golangci-lint, PHPStan.

namespace ethos::sarif {
namespace {

Level level_of(std::string_view word) {
  for (const std::string_view bad : {"error", "fatal", "critical", "blocker", "HIGH", "high"}) {
    if (word == bad) return Level::error;
  }
  for (const std::string_view medium : {"warning", "major", "medium", "MEDIUM", ""}) {
    if (word == medium) return Level::warning;
  }
  return Level::note;  // info, style, minor, convention, refactor, low
}

// What one object says.
struct Said {
  std::string path;
  std::string id;
  Level level = Level::warning;
  std::string text;
  Region region;
  std::string help_uri;
  std::optional<std::pair<std::string, std::string>> fingerprint;
};

class PlainJson {
 public:
  explicit PlainJson(ConvertedRun& run) : run_(run), rules_(run) {}

  base::Result<void> add(Said said, std::string_view what) {
    if (said.path.empty() || said.id.empty()) {
      return base::fail(base::Errc::malformed, "not a finding of " + std::string(what));
    }
    Finding finding;
    finding.level = said.level;
    finding.rule = rules_.index_of(said.id, [&](const std::string& id) {
      Rule rule = plain_rule(id, run_.tool.name, said.help_uri);
      rule.default_level = said.level;
      return rule;
    });
    finding.message = clean_message(said.text);
    finding.location.path = std::move(said.path);
    finding.location.region = said.region;
    if (said.fingerprint) finding.fingerprints.push_back(std::move(*said.fingerprint));
    return add_finding(run_, std::move(finding));
  }

 private:
  ConvertedRun& run_;
  RuleBook rules_;
};

}  // namespace

base::Result<ConvertedRun> convert_hadolint(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"hadolint", "", "https://github.com/hadolint/hadolint"};
  PlainJson json(run);
  auto done = read_json_document(
      source, "", {{"", [&](const JsonView& one) {
                      Said said;
                      said.path = text_of(one, "file");
                      said.id = text_of(one, "code");
                      said.level = level_of(text_of(one, "level"));
                      said.text = text_of(one, "message");
                      said.region =
                          make_region(position_of(one, "line"), position_of(one, "column"), {}, {});
                      said.help_uri = said.id.starts_with("SC")
                                          ? "https://www.shellcheck.net/wiki/" + said.id
                                          : "https://github.com/hadolint/hadolint/wiki/" + said.id;
                      return json.add(std::move(said), "hadolint");
                    }}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

base::Result<ConvertedRun> convert_code_climate(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"Code Climate", "", ""};
  PlainJson json(run);
  auto done = read_json_document(
      source, "", {{"", [&](const JsonView& one) -> base::Result<void> {
                      const auto type = one.find("type");
                      if (type && !type->text_is("issue")) return {};  // a measurement
                      Said said;
                      said.id = text_of(one, "check_name");
                      if (said.id.empty()) said.id = "issue";
                      said.level = level_of(text_of(one, "severity"));
                      said.text = text_of(one, "description");
                      if (const auto location = one.find("location")) {
                        said.path = text_of(*location, "path");
                        if (const auto lines = location->find("lines")) {
                          said.region = make_region(position_of(*lines, "begin"), {},
                                                    position_of(*lines, "end"), {});
                        } else if (const auto begin = location->find_path({"positions", "begin"})) {
                          said.region = make_region(position_of(*begin, "line"),
                                                    position_of(*begin, "column"), {}, {});
                        }
                      }
                      const std::string fingerprint = text_of(one, "fingerprint");
                      if (!fingerprint.empty()) said.fingerprint = {"codeClimate/v1", fingerprint};
                      return json.add(std::move(said), "Code Climate");
                    }}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

base::Result<ConvertedRun> convert_rubocop(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"RuboCop", "", "https://rubocop.org"};
  PlainJson json(run);
  const auto handle_file = [&](const JsonView& file) -> base::Result<void> {
    const auto offenses = file.find("offenses");
    if (!offenses || !offenses->is_array()) {
      return base::fail(base::Errc::malformed, "not a RuboCop file");
    }
    for (const JsonView one : *offenses) {
      Said said;
      said.path = text_of(file, "path");
      said.id = text_of(one, "cop_name");
      said.level = level_of(text_of(one, "severity"));
      said.text = text_of(one, "message");
      if (const auto place = one.find("location")) {
        // last_column is the last character itself; ours is the one behind it.
        auto end = position_of(*place, "last_column");
        if (end) ++*end;
        auto line = position_of(*place, "start_line");
        if (!line) line = position_of(*place, "line");
        said.region = make_region(line, position_of(*place, "start_column"),
                                  position_of(*place, "last_line"), end);
      }
      auto done = json.add(std::move(said), "RuboCop");
      if (!done) return done;
    }
    return {};
  };
  const auto handle_metadata = [&](const JsonView& metadata) -> base::Result<void> {
    run.tool.version = text_of(metadata, "rubocop_version").substr(0, 64);
    return {};
  };
  auto done =
      read_json_document(source, "files", {{"files", handle_file}, {"metadata", handle_metadata}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

base::Result<ConvertedRun> convert_golangci(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"golangci-lint", "", "https://golangci-lint.run"};
  run.column_unit = ColumnUnit::utf8_bytes;
  PlainJson json(run);
  const auto handle = [&](const JsonView& one) -> base::Result<void> {
    if (one.is_null()) return {};  // "Issues": null on a clean run
    Said said;
    said.id = text_of(one, "FromLinter");
    said.level = level_of(text_of(one, "Severity"));
    said.text = text_of(one, "Text");
    if (const auto place = one.find("Pos")) {
      said.path = text_of(*place, "Filename");
      said.region = make_region(position_of(*place, "Line"), position_of(*place, "Column"), {}, {});
    }
    return json.add(std::move(said), "golangci-lint");
  };
  auto done = read_json_document(source, "Issues", {{"Issues", handle}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

base::Result<ConvertedRun> convert_phpstan(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"PHPStan", "", "https://phpstan.org"};
  PlainJson json(run);
  const auto handle_file = [&](const JsonView& file) -> base::Result<void> {
    const auto messages = file.find("messages");
    if (!messages || !messages->is_array()) {
      return base::fail(base::Errc::malformed, "not a PHPStan file");
    }
    for (const JsonView one : *messages) {
      Said said;
      said.path = file.key();
      // "a.php (in context of class B)": a trait is analysed once for each class that uses it.
      said.path = said.path.substr(0, said.path.find(" (in context of "));
      said.id = text_of(one, "identifier");
      if (said.id.empty()) said.id = "phpstan";
      said.level = Level::error;  // PHPStan knows no other
      said.text = text_of(one, "message");
      const std::string tip = text_of(one, "tip");
      if (!tip.empty()) said.text += "\n" + tip;
      said.region = make_region(position_of(one, "line"), {}, {}, {});
      if (said.id != "phpstan") said.help_uri = "https://phpstan.org/error-identifiers/" + said.id;
      auto done = json.add(std::move(said), "PHPStan");
      if (!done) return done;
    }
    return {};
  };
  // An object by path; an empty list when there is no file.
  const auto handle_files = [&](const JsonView& files) -> base::Result<void> {
    for (const JsonView file : files) {
      auto done = handle_file(file);
      if (!done) return done;
    }
    return {};
  };
  const auto handle_error = [&](const JsonView& error) -> base::Result<void> {
    if (error.is_string()) {
      run.notifications.push_back({Level::error, "", clean_message(error.text()), std::nullopt});
      run.has_failed = true;
    }
    return {};
  };
  const auto ignore = [](const JsonView&) { return base::Result<void>(); };
  auto done = read_json_document(
      source, "totals", {{"totals", ignore}, {"files", handle_files}, {"errors", handle_error}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace ethos::sarif
