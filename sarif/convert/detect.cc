// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "sarif/convert/diagnostic_line.h"
#include "sarif/convert/formats.h"
#include "sarif/convert/input.h"
#include "sarif/convert/text_line.h"
#include "sarif/json/copy.h"
#include "sarif/json/reader.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;
using Keys = std::set<std::string, std::less<>>;

// Keys of the object that `reader` stands in, as far as the bytes at hand go.
Keys keys_at_hand(JsonReader& reader) {
  Keys keys;
  while (reader.next() == JsonEvent::key && keys.size() < 64) {
    keys.emplace(reader.text());
    if (!skip_value(reader, reader.next())) break;
  }
  return keys;
}

bool has_all(const Keys& keys, std::initializer_list<std::string_view> wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](std::string_view key) { return keys.find(key) != keys.end(); });
}

base::Result<std::string_view> detect_object(const Keys& keys) {
  if (keys.contains("runs") || (has_all(keys, {"$schema", "version"})))
    return std::string_view("sarif");
  if (keys.contains("reason") || has_all(keys, {"spans", "rendered"})) {
    return std::string_view("clippy-json");
  }
  if (has_all(keys, {"totals", "files"})) return std::string_view("phpstan-json");
  if (keys.contains("comments")) return std::string_view("shellcheck-json1");
  if (keys.contains("messages")) return std::string_view("pylint-json2");
  if (keys.contains("Issues")) return std::string_view("golangci-json");
  if (has_all(keys, {"files", "metadata"})) return std::string_view("rubocop-json");
  if (has_all(keys, {"results"}) || has_all(keys, {"errors", "generated_at"}))
    return std::string_view("bandit-json");
  return fail(Errc::unsupported, "JSON of no known tool; name it with --from");
}

base::Result<std::string_view> detect_list(JsonReader& reader) {
  const JsonEvent first = reader.next();
  if (first == JsonEvent::end_array) {
    return fail(Errc::unsupported,
                "an empty list is what several tools write; name the format with --from");
  }
  if (first == JsonEvent::begin_object) {
    const Keys keys = keys_at_hand(reader);
    if (has_all(keys, {"message-id"}) || has_all(keys, {"symbol", "message"}))
      return std::string_view("pylint-json");
    if (has_all(keys, {"filePath", "messages"})) return std::string_view("eslint-json");
    if (has_all(keys, {"description", "location"})) return std::string_view("code-climate-json");
    if (has_all(keys, {"file", "code", "level"}) && !keys.contains("endLine")) {
      return std::string_view("hadolint-json");
    }
    if (has_all(keys, {"file", "code", "level"})) return std::string_view("shellcheck-json");
  }
  return fail(Errc::unsupported, "a JSON list of no known tool; name it with --from");
}

// "version": "1.0.0", of the log itself: the first one that there is.
bool is_version_1(std::string_view head) {
  constexpr std::string_view kKey = "\"version\"";
  const std::size_t at = head.find(kKey);
  if (at == std::string_view::npos) return false;
  head.remove_prefix(at + kKey.size());
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n:"), head.size()));
  return head.starts_with("\"1.0.0\"");
}

base::Result<std::string_view> detect_json(std::string_view head) {
  MemorySource source(head);
  JsonOptions options;
  options.lone_surrogates = LoneSurrogates::as_bytes;
  options.duplicate_keys = DuplicateKeyPolicy::report;
  JsonReader reader(source, options);
  if (reader.next() == JsonEvent::begin_array) return detect_list(reader);
  auto found = detect_object(keys_at_hand(reader));
  if (found && *found == "sarif" && is_version_1(head)) return std::string_view("sarif-1.0");
  return found;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

base::Result<std::string_view> detect_xml(std::string_view head) {
  if (holds(head, "<results version=") && holds(head, "<cppcheck "))
    return std::string_view("cppcheck-xml");
  if (holds(head, "<checkstyle")) return std::string_view("checkstyle-xml");
  if (holds(head, "<plist")) return std::string_view("clang-plist");
  if (holds(head, "<testsuite")) return std::string_view("junit-xml");
  return fail(Errc::unsupported, "XML of no known tool; name it with --from");
}

bool is_flake8_line(std::string_view line) {
  const auto accepts = [](std::string_view rest) {
    const std::string_view word = rest.substr(0, std::min(rest.find(' '), rest.size()));
    return word.size() >= 2 && word.size() <= 14 && word.front() >= 'A' && word.front() <= 'Z' &&
           word.back() >= '0' && word.back() <= '9';
  };
  const auto place = split_place(line, accepts);
  return place && !place->column.empty();
}

bool is_yamllint_line(std::string_view line) {
  return split_place(line,
                     [](std::string_view rest) {
                       return rest.starts_with("[error] ") || rest.starts_with("[warning] ");
                     })
      .has_value();
}

bool is_annotation_line(std::string_view line) {
  for (const std::string_view word : {"::error ", "::warning ", "::notice "}) {
    if (line.starts_with(word) && holds(line, "file=")) return true;
  }
  return false;
}

// "[C0114(missing-module-docstring), ] ..." or "C0114: ... (missing-module-docstring)".
bool is_pylint_line(std::string_view line) {
  if (line.starts_with("************* Module ")) return true;
  return split_place(line,
                     [](std::string_view rest) {
                       if (rest.starts_with('[')) rest.remove_prefix(1);
                       return rest.size() > 6 &&
                              std::string_view("CRWEF").find(rest[0]) != std::string_view::npos &&
                              std::all_of(rest.begin() + 1, rest.begin() + 5,
                                          [](char c) { return c >= '0' && c <= '9'; }) &&
                              (rest[5] == '(' || (rest[5] == ':' && rest.ends_with(')')));
                     })
      .has_value();
}

// "main.yml:3: name[missing]: All tasks should be named."
bool is_ansible_line(std::string_view line) {
  const auto place = split_place(line, [](std::string_view rest) {
    const std::size_t colon = std::min(rest.find(": "), rest.size());
    const std::string_view id = rest.substr(0, colon);
    return id.ends_with(']') && id.find('[') != std::string_view::npos && id.front() != '[' &&
           id.find(' ') == std::string_view::npos;
  });
  return place && (place->path.ends_with(".yml") || place->path.ends_with(".yaml"));
}

// "  3:9   warning  Expected '===' ...  eqeqeq", under a path.
bool is_stylish_line(std::string_view line) {
  if (!line.starts_with("  ")) return false;
  const std::size_t first = line.find_first_not_of(' ');
  const std::size_t colon = line.find(':');
  const std::size_t space = line.find(' ', std::min(first, line.size()));
  if (first == std::string_view::npos || colon > space || space == std::string_view::npos)
    return false;
  const std::size_t word = line.find_first_not_of(' ', space);
  const std::string_view rest = line.substr(std::min(word, line.size()));
  return (rest.starts_with("error ") || rest.starts_with("warning ")) && line[first] >= '0' &&
         line[first] <= '9';
}

// "main.go:6:2: fmt.Printf format ..." below "# package". Other tools for Go write such lines too,
// but no package above them.
bool is_go_vet_line(std::string_view line) {
  const auto place = split_place(line, [](std::string_view rest) { return !rest.empty(); });
  return place && place->path.ends_with(".go") && !place->column.empty();
}

bool is_msbuild_line(std::string_view line) {
  return holds(line, "): error ") || holds(line, "): warning ");
}

// Which compiler wrote a diagnostic line; empty when the line does not tell.
std::string_view compiler_of(const DiagnosticLine& line) {
  for (const std::string& name : line.names) {
    if (name.starts_with("SC") || name.starts_with("-Wanalyzer"))
      return std::string_view("gcc-text");
    if (!name.starts_with('-')) return "clang-tidy-text";
    if (name == "-Werror")
      return std::string_view("clang-text");  // "[-Werror,-Wunused]" is clang's way
  }
  if (!line.cwes.empty() || holds(line.text, "\xE2\x80\x98")) return std::string_view("gcc-text");
  return {};
}

base::Result<std::string_view> detect_text(std::string_view head) {
  bool has_diagnostic = false;
  bool has_package = false;
  std::string_view rest = head;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line = strip_terminal_escapes(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (const auto diagnostic = parse_diagnostic_line(line)) {
      has_diagnostic = true;
      // Two spaces before the code are mypy's own way.
      if (diagnostic->path.ends_with(".py") && line.ends_with(']') && holds(line, "  [")) {
        return std::string_view("mypy-text");
      }
      const std::string_view name = compiler_of(*diagnostic);
      if (!name.empty()) return name;
      continue;
    }
    if (is_annotation_line(line)) return std::string_view("github-annotations");
    if (is_pylint_line(line)) return std::string_view("pylint-text");
    if (is_ansible_line(line)) return std::string_view("ansible-lint-text");
    if (line.starts_with("MainSourceFile:") || line == "Diagnostics:") {
      return std::string_view("clang-tidy-yaml");
    }
    if (is_stylish_line(line)) return std::string_view("eslint-stylish");
    if (is_yamllint_line(line)) return std::string_view("yamllint-text");
    if (line.starts_with("TAP version ") || line.starts_with("not ok ")) {
      return std::string_view("tap");
    }
    has_package = has_package || line.starts_with("# ");
    if (has_package && is_go_vet_line(line)) return std::string_view("go-vet-text");
    if (is_msbuild_line(line)) return std::string_view("msbuild-text");
    if (is_flake8_line(line)) return std::string_view("flake8-text");
    if (holds(line, ": In function ") || holds(line, ": In member function "))
      return std::string_view("gcc-text");
    if (line.ends_with(" generated.")) return std::string_view("clang-text");
  }
  // A diagnostic that either compiler could have written: their texts are read alike.
  if (has_diagnostic) return std::string_view("clang-text");
  return fail(Errc::unsupported, "output of no known tool; name its format with --from");
}

}  // namespace

base::Result<std::string_view> detect_format(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return fail(Errc::unsupported,
                "nothing to recognise in an empty input; name its format with --from");
  }
  if (head[first] == '{' || head[first] == '[') return detect_json(head);
  // Cppcheck's progress lines may come first when both of its streams were joined.
  // "<stdin>:3:1: warning" is no markup.
  const bool has_tag = head[first] == '<' && !head.substr(first).starts_with("<stdin>:");
  if (has_tag || holds(head, "<?xml ")) return detect_xml(head);
  return detect_text(head);
}

}  // namespace ethos::sarif
