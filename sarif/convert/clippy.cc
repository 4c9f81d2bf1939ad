// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

// cargo clippy --message-format=json, and cargo check or build with it: one JSON object a line.

namespace ethos::sarif {
namespace {

Level level_of(std::string_view word) {
  if (word.starts_with("error")) return Level::error;  // also "error: internal compiler error"
  return word == "warning" ? Level::warning : Level::note;
}

Rule describe(const std::string& id) {
  constexpr std::string_view kClippy = "clippy::";
  if (id.starts_with(kClippy)) {
    return plain_rule(
        id, "Clippy",
        "https://rust-lang.github.io/rust-clippy/master/index.html#" + id.substr(kClippy.size()));
  }
  const bool is_code = id.size() == 5 && id[0] == 'E';
  if (is_code)
    return plain_rule(id, "rustc", "https://doc.rust-lang.org/error_codes/" + id + ".html");
  return plain_rule(id, "rustc", "https://doc.rust-lang.org/rustc/lints/index.html");
}

Region region_of(const JsonView& span) {
  return make_region(position_of(span, "line_start"), position_of(span, "column_start"),
                     position_of(span, "line_end"), position_of(span, "column_end"));
}

// A macro's span lies in the macro; what was written lies in what it was expanded from.
JsonView written_span(JsonView span) {
  constexpr int kDeepest = 32;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto outer = span.find_path({"expansion", "span"});
    if (!outer || !outer->is_object()) break;
    span = *outer;
  }
  return span;
}

Location location_of(const JsonView& span) {
  const JsonView written = written_span(span);
  Location location;
  location.path = text_of(written, "file_name");
  location.region = region_of(written);
  location.message = text_of(span, "label");
  return location;
}

class Clippy {
 public:
  explicit Clippy(ConvertedRun& run) : run_(run), rules_(run) {}

  base::Result<void> line(const JsonView& object) {
    const std::string reason = text_of(object, "reason");
    if (reason == "compiler-message") {
      const auto message = object.find("message");
      return message && message->is_object() ? add(*message) : base::Result<void>();
    }
    // rustc itself has no envelope.
    if (reason.empty() && object.find("spans")) return add(object);
    return {};
  }

 private:
  base::Result<void> add(const JsonView& message) {
    const Level level = level_of(text_of(message, "level"));
    const auto code = message.find_path({"code", "code"});
    const std::string id = code ? code->text() : std::string();
    const auto spans = message.find("spans");
    std::optional<JsonView> primary;
    std::vector<Location> others;
    if (spans && spans->is_array()) {
      for (const JsonView span : *spans) {
        const auto is_primary = span.find("is_primary");
        if (is_primary && is_primary->boolean() == true && !primary) {
          primary = span;
        } else if (others.size() < kMaxRelated) {
          others.push_back(location_of(span));
        }
      }
    }
    if (!primary) {
      // "aborting due to 2 previous errors", "3 warnings emitted": sums, not findings.
      if (level == Level::error && !id.empty()) {
        run_.notifications.push_back(
            {level, id, clean_message(text_of(message, "message")), std::nullopt});
      }
      return {};
    }
    Finding finding;
    finding.level = level;
    finding.rule = rules_.index_of(id.empty() ? "rustc" : id, [&](const std::string& key) {
      Rule rule = describe(key);
      rule.default_level = level;
      return rule;
    });
    finding.message = clean_message(text_of(message, "message"));
    finding.location = location_of(*primary);
    finding.location.message.clear();
    finding.related = std::move(others);
    add_children(message, finding);
    return add_finding(run_, std::move(finding));
  }

  // Notes and helps: places become related locations, replacements in the same file a fix.
  static void add_children(const JsonView& message, Finding& finding) {
    const auto children = message.find("children");
    if (!children || !children->is_array()) return;
    for (const JsonView child : *children) {
      const std::string text = clean_message(text_of(child, "message"));
      Fix fix;
      fix.description = text;
      const auto spans = child.find("spans");
      if (!spans || !spans->is_array()) continue;
      for (const JsonView span : *spans) {
        const auto replacement = span.find("suggested_replacement");
        if (replacement && replacement->is_string()) {
          if (text_of(span, "file_name") == finding.location.path &&
              fix.replacements.size() < kMaxRelated) {
            fix.replacements.push_back({region_of(span), replacement->text()});
          }
        } else if (finding.related.size() < kMaxRelated) {
          Location location = location_of(span);
          location.message = text;
          finding.related.push_back(std::move(location));
        }
      }
      if (!fix.replacements.empty() && finding.fixes.size() < kMaxRelated) {
        finding.fixes.push_back(std::move(fix));
      }
    }
  }

  ConvertedRun& run_;
  RuleBook rules_;
};

}  // namespace

base::Result<ConvertedRun> convert_clippy(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"Clippy", "", "https://doc.rust-lang.org/clippy/"};
  run.column_unit = ColumnUnit::code_points;
  Clippy clippy(run);
  JsonFragment fragment;
  bool has_object = false;
  bool has_other = false;
  auto done = read_lines(source, [&](std::string_view line) -> base::Result<void> {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    if (line[begin] != '{') {
      has_other = true;  // cargo's own words, when both of its streams were joined
      return {};
    }
    MemorySource memory(line.substr(begin));
    JsonReader reader(memory, {.limits = {.depth = 128}});
    if (!fragment.capture(reader, reader.next(), kMaxFindingBytes) ||
        reader.next() != JsonEvent::end) {
      return base::fail(base::Errc::malformed, "a line is no JSON: " + reader.fault().reason());
    }
    has_object = true;
    return clippy.line(fragment.root());
  });
  if (!done) return base::Unexpected(std::move(done).error());
  if (has_other && !has_object) {
    return base::fail(base::Errc::malformed, "no line is a message of cargo");
  }
  return run;
}

}  // namespace ethos::sarif
