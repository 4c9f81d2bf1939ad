// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sarif/columns.h"

namespace ethos::sarif {

// What a converter produces: one run of one tool. All texts are valid UTF-8 but `path`, which is
// the bytes a tool printed. Section numbers are those of SARIF 2.1.0.

enum class Level { none, note, warning, error };  // 3.27.10

// 3.30. Lines and columns count from 1, the end column is exclusive; an absent one is unknown.
struct Region {
  std::int64_t start_line = 1;
  std::optional<std::int64_t> start_column;
  std::optional<std::int64_t> end_line;
  std::optional<std::int64_t> end_column;
  // What some tools say instead, counted in bytes from 0: resolve_places() makes lines of it.
  std::optional<std::int64_t> byte_offset = std::nullopt;
  std::optional<std::int64_t> byte_length = std::nullopt;
  friend bool operator==(const Region&, const Region&) = default;
};

// 3.28. `path` is what the tool said; `uri` and `relative` come from PathMapper afterwards.
struct Location {
  std::string path;
  Region region;
  std::string message;
  std::string uri;
  std::string relative;
};

// 3.57: replace the text of `region` (empty = insert) by `text`.
struct Replacement {
  Region region;
  std::string text;
};

// 3.55, all in the finding's own file.
struct Fix {
  std::string description;
  std::vector<Replacement> replacements;
};

// 3.35, of kind inSource: the tool itself was told to pass over the finding.
struct Suppression {
  std::string justification;  // empty when none was given
};

using PropertyValue = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;
using Properties = std::vector<std::pair<std::string, PropertyValue>>;

// A result, 3.27. (Findings about a SARIF file itself are in sarif/validate/.)
struct Finding {
  std::size_t rule = 0;  // index into ConvertedRun::rules
  Level level = Level::warning;
  std::string message;
  Location location;
  std::vector<Location> related;  // 3.27.22
  std::vector<Location> path;     // steps of one threadFlow, 3.37, first to last
  std::vector<Fix> fixes;
  std::vector<Suppression> suppressions;
  std::vector<std::pair<std::string, std::string>> fingerprints;  // partialFingerprints, 3.27.17
  Properties properties;
};

// A reportingDescriptor, 3.49.
struct Rule {
  std::string id;
  std::string name;               // one word, capitals inside; empty when it would repeat the id
  std::string short_description;  // one sentence
  std::string full_description;
  std::string help;
  std::string help_uri;  // empty when the tool has no page for it
  Level default_level = Level::warning;
  std::vector<std::string> tags;
  std::string precision;          // GitHub: very-high, high, medium, low; empty when unknown
  std::string security_severity;  // GitHub: a number written as text; empty when none
  std::string problem_severity;   // GitHub: error, warning, recommendation
};

// Something the tool said about itself or about no file: 3.58, toolExecutionNotifications.
struct Notification {
  Level level = Level::warning;
  std::string id;  // empty when it has none
  std::string message;
  std::optional<Location> location;
};

struct ToolInfo {
  std::string name;
  std::string version;  // empty when the output does not say: a guessed version is worse than none
  std::string information_uri;
};

struct ConvertedRun {
  ToolInfo tool;
  std::vector<Rule> rules;
  std::vector<Finding> findings;
  std::vector<Notification> notifications;
  ColumnUnit column_unit = ColumnUnit::code_points;
  bool has_failed = false;  // the output itself says that the tool did not do its work
};

[[nodiscard]] const char* level_text(Level level);

}  // namespace ethos::sarif
