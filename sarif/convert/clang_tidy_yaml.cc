// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <optional>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/yaml.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

// clang-tidy --export-fixes: places are byte offsets into the files.

namespace ethos::sarif {
namespace {

std::optional<std::int64_t> offset_of(const YamlNode& node, std::string_view key) {
  const std::string text = node.text_of(key);
  std::int64_t value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = done.ec == std::errc{} && done.ptr == text.data() + text.size();
  return is_whole && value >= 0 ? std::optional(value) : std::nullopt;
}

Level level_of(std::string_view word) {
  if (word == "Error") return Level::error;
  return word == "Remark" || word == "Note" ? Level::note : Level::warning;
}

Location location_of(const YamlNode& message) {
  Location location;
  location.path = message.text_of("FilePath");
  location.region.byte_offset = offset_of(message, "FileOffset");
  location.message = clean_message(message.text_of("Message"));
  return location;
}

// Replacements in other files than the finding's cannot be told in our model, and a part of a fix
// is no fix.
std::optional<Fix> fix_of(const YamlNode& message, const std::string& path) {
  const YamlNode* list = message.find("Replacements");
  if (list == nullptr || list->items.empty() || list->items.size() > kMaxRelated) {
    return std::nullopt;
  }
  Fix fix;
  fix.description = clean_message(message.text_of("Message"));
  for (const YamlNode& one : list->items) {
    Replacement replacement;
    replacement.region.byte_offset = offset_of(one, "Offset");
    replacement.region.byte_length = offset_of(one, "Length");
    replacement.text = one.text_of("ReplacementText");
    if (one.text_of("FilePath") != path || !replacement.region.byte_offset) return std::nullopt;
    fix.replacements.push_back(std::move(replacement));
  }
  return fix;
}

base::Result<void> add(const YamlNode& diagnostic, ConvertedRun& run, RuleBook& rules) {
  const std::string id = diagnostic.text_of("DiagnosticName");
  const YamlNode* nested = diagnostic.find("DiagnosticMessage");
  // Before LLVM 9 the message's members stood in the diagnostic itself.
  const YamlNode& message = nested == nullptr ? diagnostic : *nested;
  if (id.empty() || message.find("Message") == nullptr) {
    return base::fail(base::Errc::malformed, "not a diagnostic of clang-tidy");
  }
  const Level level = level_of(diagnostic.text_of("Level"));
  Finding finding;
  finding.level = level;
  finding.location = location_of(message);
  finding.message = finding.location.message;
  finding.location.message.clear();
  if (finding.location.path.empty()) {
    run.notifications.push_back({level, id, finding.message, std::nullopt});
    return {};
  }
  finding.rule = rules.index_of(id, [&](const std::string& key) {
    Rule rule = compiler_rule(key, Compiler::clang_tidy, {});
    rule.default_level = level;
    return rule;
  });
  if (finding.location.region.byte_offset) {
    finding.properties.emplace_back("fileOffset", *finding.location.region.byte_offset);
  }
  if (auto fix = fix_of(message, finding.location.path)) finding.fixes.push_back(std::move(*fix));
  const YamlNode* notes = diagnostic.find("Notes");
  for (std::size_t i = 0; notes != nullptr && i < notes->items.size() && i < kMaxRelated; ++i) {
    const YamlNode& note = notes->items[i];
    Location location = location_of(note);
    if (!location.path.empty()) finding.related.push_back(std::move(location));
    if (auto fix = fix_of(note, finding.location.path)) finding.fixes.push_back(std::move(*fix));
  }
  return add_finding(run, std::move(finding));
}

// With --export-fixes=/dev/stdout the same findings come before it as text.
std::string_view without_text(std::string_view whole) {
  for (const std::string_view start : {"\n---\nMainSourceFile:", "\n---\nDiagnostics:"}) {
    const std::size_t at = whole.find(start);
    if (at != std::string_view::npos) return whole.substr(at + 1);
  }
  return whole;
}

}  // namespace

base::Result<ConvertedRun> convert_clang_tidy_yaml(ByteSource& source) {
  const auto text = read_whole(source);
  if (!text) return base::Unexpected(base::Error(text.error()));
  ConvertedRun run;
  run.tool = {"clang-tidy", "", "https://clang.llvm.org/extra/clang-tidy/"};
  run.column_unit = ColumnUnit::utf8_bytes;
  RuleBook rules(run);
  bool is_known = false;
  auto done = read_yaml(
      without_text(*text), "Diagnostics",
      [&](const YamlNode& item) {
        is_known = true;
        return add(item, run, rules);
      },
      [&](const std::string& key, const YamlNode&) -> base::Result<void> {
        is_known = is_known || key == "MainSourceFile" || key == "Diagnostics";
        return {};
      });
  if (!done) return base::Unexpected(std::move(done).error());
  if (!is_known) {
    return base::fail(base::Errc::malformed, "neither MainSourceFile nor Diagnostics is there");
  }
  return run;
}

}  // namespace ethos::sarif
