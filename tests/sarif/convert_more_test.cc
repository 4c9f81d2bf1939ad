// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sarif/convert/converters.h"
#include "sarif/convert/formats.h"
#include "sarif/convert/yaml.h"
#include "sarif/places.h"
#include "sarif/resolve.h"
#include "sarif/source_files.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

using Read = base::Result<ConvertedRun> (*)(ByteSource&);

ConvertedRun read(Read converter, std::string_view text) {
  MemorySource source(text);
  auto run = converter(source);
  if (!run) FAIL(run.error().message());
  return std::move(*run);
}

bool accepts(Read converter, std::string_view text) {
  MemorySource source(text);
  return converter(source).has_value();
}

std::string detected(std::string_view text) {
  const auto format = detect_format(text);
  return format ? std::string(*format) : "none";
}

const Rule& rule_of(const ConvertedRun& run, std::size_t finding) {
  return run.rules.at(run.findings.at(finding).rule);
}

constexpr std::string_view kTidy = R"(---
MainSourceFile:  '/w/a.c'
Diagnostics:
  - DiagnosticName:  readability-identifier-length
    DiagnosticMessage:
      Message:         'parameter name ''a'' is too short'
      FilePath:        '/w/a.c'
      FileOffset:      8
      Replacements:
        - FilePath:        '/w/a.c'
          Offset:          8
          Length:          2
          ReplacementText: 'first

            second'
    Notes:
      - Message:         declared here
        FilePath:        '/w/a.c'
        FileOffset:      0
        Replacements:    []
    Level:           Error
    BuildDirectory:  '/w'
  - DiagnosticName:  clang-diagnostic-error
    DiagnosticMessage:
      Message:         "tab\there"
      FilePath:        ''
      FileOffset:      0
      Replacements:    []
    Level:           Error
...
)";

TEST_CASE("clang-tidy yaml: byte offsets become places with the help of the source", "[sarif]") {
  const support::TempTree tree;
  // "é" is two bytes: offset 8 is the 6th character of line 2.
  tree.write("a.c",
             "ab\n\xC3\xA9"
             "cd xy\n");
  ConvertedRun run = read(convert_clang_tidy_yaml, kTidy);
  auto paths = PathMapper::create(tree.path(), "");
  auto sources = SourceFiles::open(tree.path());
  REQUIRE(paths);
  REQUIRE(sources);
  for (Finding& finding : run.findings) {
    finding.location.path = tree.file("a.c");
    for (Location& one : finding.related) one.path = tree.file("a.c");
  }
  resolve_places(run, *paths, *sources);
  REQUIRE(run.findings.size() == 1);
  const Finding& one = run.findings[0];
  CHECK(rule_of(run, 0).id == "readability-identifier-length");
  CHECK(rule_of(run, 0).help_uri ==
        "https://clang.llvm.org/extra/clang-tidy/checks/readability/identifier-length.html");
  CHECK(one.level == Level::error);
  CHECK(one.message == "parameter name 'a' is too short");
  CHECK(one.location.region.start_line == 2);
  CHECK(one.location.region.start_column == 5);
  REQUIRE(one.fixes.size() == 1);
  CHECK(one.fixes[0].replacements[0].region.start_column == 5);
  CHECK(one.fixes[0].replacements[0].region.end_column == 7);
  CHECK(one.fixes[0].replacements[0].text == "first\nsecond");
  REQUIRE(one.related.size() == 1);
  CHECK(one.related[0].region.start_line == 1);
  CHECK(one.related[0].region.start_column == 1);
  CHECK(one.fingerprints.size() == 2);
  REQUIRE(run.notifications.size() == 1);
  CHECK(run.notifications[0].message == "tab\there");
  CHECK(detected(kTidy) == "clang-tidy-yaml");
}

TEST_CASE("clang-tidy yaml: text before it is left out", "[sarif]") {
  const std::string yaml =
      "---\nMainSourceFile: 'a.c'\nDiagnostics:\n  - DiagnosticName: misc-x\n"
      "    DiagnosticMessage:\n      Message: 'm'\n      FilePath: 'a.c'\n      FileOffset: 3\n...\n";
  for (const std::string before : {"", "a.c:1:4: warning: m [misc-x]\n  int x;\n     ^\n"}) {
    const ConvertedRun run = read(convert_clang_tidy_yaml, before + yaml);
    CHECK(run.findings.size() == 1);
  }
}

TEST_CASE("clang-tidy yaml: without the source the offset is kept, offsets past the end do no harm",
          "[sarif]") {
  const support::TempTree tree;
  tree.write("a.c", "x\n");
  ConvertedRun run = read(convert_clang_tidy_yaml, kTidy);
  CHECK(run.findings[0].properties == Properties{{"fileOffset", std::int64_t{8}}});
  CHECK(run.findings[0].location.region.start_line == 1);
  run.findings[0].location.path = tree.file("a.c");
  auto paths = PathMapper::create(tree.path(), "");
  auto sources = SourceFiles::open(tree.path());
  resolve_places(run, *paths, *sources);
  CHECK(run.findings[0].location.region.start_line == 1);
  CHECK(run.findings[0].fixes.empty());
  CHECK_FALSE(accepts(convert_clang_tidy_yaml, "hello: 1\n"));
  CHECK_FALSE(accepts(convert_clang_tidy_yaml, "Diagnostics:\n  - DiagnosticName: x\n"));
  CHECK(accepts(convert_clang_tidy_yaml, "---\nMainSourceFile: ''\nDiagnostics: []\n...\n"));
}

std::string shown(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "~";
    case YamlNode::Kind::scalar:
      return "'" + node.text + "'";
    case YamlNode::Kind::list: {
      std::string out = "[";
      for (const YamlNode& one : node.items) out += shown(one);
      return out + "]";
    }
    case YamlNode::Kind::map:
      break;
  }
  std::string out = "{";
  for (const YamlNode& value : node.items) out += value.name + "=" + shown(value);
  return out + "}";
}

std::string yaml(std::string_view text) {
  std::string out;
  const auto done = read_yaml(
      text, "list",
      [&](const YamlNode& item) {
        out += "-" + shown(item);
        return base::Result<void>();
      },
      [&](const std::string& key, const YamlNode& node) {
        out += key + ":" + shown(node);
        return base::Result<void>();
      });
  return done ? out : "error";
}

TEST_CASE("yaml: what programs write is read, anything else is refused", "[sarif]") {
  CHECK(yaml("a: 1\nb: two words\nc: 'it''s'\nd: \"x\\ny\"\n") ==
        "a:'1'b:'two words'c:'it's'd:'x\ny'");
  CHECK(yaml("a:\n  b: 1\n  c:\n    d: 2\ne:\n") == "a:{b='1'c={d='2'}}e:~");
  CHECK(yaml("list:\n- a: 1\n  b: 2\n- x\n-\n  c: 3\nend: 1\n") ==
        "-{a='1'b='2'}-'x'-{c='3'}end:'1'");
  CHECK(yaml("list:\n  - a:\n      - 1\n      - 2\n    b: []\n    c: {}\n") ==
        "-{a=['1''2']b=[]c={}}");
  CHECK(yaml("a: |\n  x\n    y\n\n  z\nb: 1\n") == "a:'x\n  y\n\nz'b:'1'");
  CHECK(yaml("a: 'x\n  y\n\n  z'\n") == "a:'x y\nz'");
  CHECK(yaml("# c\n---\na: 1\r\n...\n") == "a:'1'");
  CHECK(yaml("") == "");
  CHECK(yaml("a: &x 1\n") == "error");
  CHECK(yaml("a: 'x\n") == "error");
  CHECK(yaml("no colon\n") == "error");
  std::string deep = "list:\n";
  for (std::size_t i = 0; i < 100; ++i) deep += std::string(i + 1, ' ') + "- \n";
  CHECK(yaml(deep) == "error");
}

TEST_CASE("clippy: messages of cargo with their spans, fixes and macros", "[sarif]") {
  const std::string text =
      R"({"reason":"compiler-artifact","target":{}})"
      "\n"
      R"({"reason":"compiler-message","message":{"rendered":"x","level":"warning","message":"unneeded `return`","code":{"code":"clippy::needless_return","explanation":null},)"
      R"("spans":[{"file_name":"src/main.rs","is_primary":true,"line_start":3,"line_end":3,"column_start":5,"column_end":14,"label":null,"expansion":null},)"
      R"({"file_name":"src/main.rs","is_primary":false,"line_start":1,"line_end":1,"column_start":1,"column_end":3,"label":"in here","expansion":null}],)"
      R"("children":[{"level":"help","message":"remove `return`","code":null,"spans":[{"file_name":"src/main.rs","is_primary":true,"line_start":3,"line_end":3,"column_start":5,"column_end":14,"suggested_replacement":"0","suggestion_applicability":"MachineApplicable"}]}]}})"
      "\n"
      R"({"reason":"compiler-message","message":{"rendered":"x","level":"error","message":"mismatched types","code":{"code":"E0308"},)"
      R"("spans":[{"file_name":"<::alloc::macros::vec macros>","is_primary":true,"line_start":1,"line_end":1,"column_start":1,"column_end":2,)"
      R"("expansion":{"span":{"file_name":"src/lib.rs","line_start":9,"line_end":9,"column_start":2,"column_end":8,"expansion":null}}}],"children":[]}})"
      "\n"
      R"({"reason":"compiler-message","message":{"rendered":"x","level":"warning","message":"2 warnings emitted","code":null,"spans":[],"children":[]}})"
      "\n"
      R"({"reason":"build-finished","success":false})"
      "\n";
  const ConvertedRun run = read(convert_clippy, text);
  REQUIRE(run.findings.size() == 2);
  CHECK(rule_of(run, 0).id == "clippy::needless_return");
  CHECK(rule_of(run, 0).help_uri ==
        "https://rust-lang.github.io/rust-clippy/master/index.html#needless_return");
  CHECK(run.findings[0].location.region == Region{3, 5, {}, 14, {}, {}});
  REQUIRE(run.findings[0].related.size() == 1);
  CHECK(run.findings[0].related[0].message == "in here");
  REQUIRE(run.findings[0].fixes.size() == 1);
  CHECK(run.findings[0].fixes[0].replacements[0].text == "0");
  CHECK(rule_of(run, 1).help_uri == "https://doc.rust-lang.org/error_codes/E0308.html");
  CHECK(run.findings[1].level == Level::error);
  CHECK(run.findings[1].location.path == "src/lib.rs");
  CHECK(run.findings[1].location.region.start_line == 9);
  CHECK(detected(text) == "clippy-json");
  CHECK(accepts(convert_clippy, ""));
  CHECK_FALSE(accepts(convert_clippy, "error: could not compile\n"));
  CHECK_FALSE(accepts(convert_clippy, "{\"reason\":\n"));
}

TEST_CASE("phpstan: files by name, errors of no file, an empty list for none", "[sarif]") {
  const std::string text =
      R"x({"totals":{"errors":1,"file_errors":2},"files":{"/w/src/A b.php (in context of class B)":{"errors":2,"messages":[)x"
      R"x({"message":"Undefined variable: $x","line":7,"ignorable":true,"identifier":"variable.undefined"},)x"
      R"x({"message":"Other","line":null,"ignorable":true,"tip":"Look there."}]}},"errors":["Out of memory"]})x";
  const ConvertedRun run = read(convert_phpstan, text);
  REQUIRE(run.findings.size() == 2);
  CHECK(run.findings[0].location.path == "/w/src/A b.php");
  CHECK(rule_of(run, 0).help_uri == "https://phpstan.org/error-identifiers/variable.undefined");
  CHECK(run.findings[1].message == "Other\nLook there.");
  CHECK(run.findings[1].location.region.start_line == 1);
  REQUIRE(run.notifications.size() == 1);
  CHECK(run.has_failed);
  CHECK(detected(text) == "phpstan-json");
  CHECK(read(convert_phpstan, R"({"totals":{"errors":0,"file_errors":0},"files":[],"errors":[]})").findings.empty());
  CHECK_FALSE(accepts(convert_phpstan, R"({"files":[]})"));
  }

  TEST_CASE("github annotations: escapes, titles, and commands that are none", "[sarif]") {
    const std::string text =
        "Run tests\n::group::x\n::error "
        "file=src/a%2Cb.c,line=3,col=5,endColumn=7,title=E100::100%25 wrong%0Asecond\n"
        "2026-01-01T00:00:00Z ::warning file=b.c,line=2,endLine=4,title=Two words::text\n::notice "
        "file=c.c::seen\n"
        "::error::no file\n";
    const ConvertedRun run = read(convert_github_annotations, text);
    REQUIRE(run.findings.size() == 3);
    CHECK(run.findings[0].location.path == "src/a,b.c");
    CHECK(run.findings[0].message == "100% wrong\nsecond");
    CHECK(run.findings[0].location.region == Region{3, 5, {}, 7, {}, {}});
    CHECK(rule_of(run, 0).id == "E100");
    CHECK(rule_of(run, 1).id == "annotation");
    CHECK(run.findings[1].message == "Two words: text");
    CHECK(run.findings[1].location.region.end_line == 4);
    CHECK(run.findings[2].level == Level::note);
    CHECK(detected("::error file=a.c,line=1::x\n") == "github-annotations");
    CHECK_FALSE(accepts(convert_github_annotations, "nothing of it\n"));
  }

  TEST_CASE("ansible-lint: both forms of its lines", "[sarif]") {
    const std::string text =
        "roles/a/tasks/main.yml:3: name[missing]: All tasks should be named.\n"
        "roles/a/tasks/main.yml:7:9: yaml[truthy]: Truthy value (warning)\n"
        "old.yml:3: [E301] Commands should not change things\n"
        "Failed: 3 failure(s), 0 warning(s) on 2 files.\n";
    const ConvertedRun run = read(convert_ansible_lint, text);
    REQUIRE(run.findings.size() == 3);
    CHECK(rule_of(run, 0).id == "name[missing]");
    CHECK(rule_of(run, 0).help_uri == "https://ansible.readthedocs.io/projects/lint/rules/name/");
    CHECK(run.findings[0].level == Level::error);
    CHECK(run.findings[1].level == Level::warning);
    CHECK(run.findings[1].message == "Truthy value");
    CHECK(run.findings[1].location.region.start_column == 9);
    CHECK(rule_of(run, 2).id == "E301");
    CHECK(detected(text) == "ansible-lint-text");
    CHECK(accepts(convert_ansible_lint, "Passed: 0 failure(s), 0 warning(s) on 1 files.\n"));
    CHECK_FALSE(accepts(convert_ansible_lint, "ERROR! nothing\n"));
  }

  TEST_CASE("pylint text: its own form and the parseable one", "[sarif]") {
    const std::string text =
        "************* Module app\npy/app.py:6:0: C0116: Missing function docstring "
        "(missing-function-docstring)\n"
        "py/app.py:8:4: E0602: Undefined variable 'x' (undefined-variable)\n"
        "py/app.py:12: [W0123(eval-used), run] Use of eval\n\n-------\nYour code has been rated at "
        "1.00/10\n";
    const ConvertedRun run = read(convert_pylint_text, text);
    REQUIRE(run.findings.size() == 3);
    CHECK(rule_of(run, 0).id == "C0116");
    CHECK(run.findings[0].message == "Missing function docstring");
    CHECK(run.findings[0].level == Level::note);
    CHECK(run.findings[0].location.region.start_column == 1);
    CHECK(run.findings[1].level == Level::error);
    CHECK(run.findings[1].location.region.start_column == 5);
    CHECK(rule_of(run, 2).name == "EvalUsed");
    CHECK(run.findings[2].message == "Use of eval");
    CHECK(detected(text) == "pylint-text");
  }

  TEST_CASE("eslint stylish: findings under their file", "[sarif]") {
    const std::string text =
        "\n/w/src/a.js\n   1:5   error    'x' is assigned a value but never used  no-unused-vars\n"
        "  12:9   warning  Expected '===' and instead saw '=='    eqeqeq\n   2:1   error    "
        "Parsing error: Unexpected token\n\n"
        "/w/b.js\n  3:1  error  Bad  plugin/rule\n\n\xE2\x9C\x96 4 problems (3 errors, 1 "
        "warning)\n";
    const ConvertedRun run = read(convert_eslint_stylish, text);
    REQUIRE(run.findings.size() == 4);
    CHECK(rule_of(run, 0).id == "no-unused-vars");
    CHECK(run.findings[0].location.path == "/w/src/a.js");
    CHECK(run.findings[0].message == "'x' is assigned a value but never used");
    CHECK(run.findings[1].level == Level::warning);
    CHECK(rule_of(run, 2).id == "parse-error");
    CHECK(run.findings[3].location.path == "/w/b.js");
    CHECK(rule_of(run, 3).help_uri.empty());
    CHECK(detected(text) == "eslint-stylish");
  }

  TEST_CASE("more real outputs of linters are read", "[sarif][golden]") {
    const auto shared = support::shared_sarif_dir();
    if (!shared) {
      WARN("skipped: shared data not present");
      return;
    }
    struct Case {
      const char* file;
      const char* format;
      std::size_t findings;
    };
    for (const auto& [file, format, findings] :
         std::initializer_list<Case>{{"clang-tidy-19.yaml", "clang-tidy-yaml", 29},
                                     {"pylint-3.parseable.txt", "pylint-text", 14},
                                     {"eslint-9.stylish.txt", "eslint-stylish", 14}}) {
      CAPTURE(file);
      const std::string text = support::read_all(*shared / "lint-inputs" / file);
      REQUIRE(detected(text) == format);
      CHECK(read(find_format(format)->read, text).findings.size() == findings);
    }
  }

}  // namespace
}  // namespace ethos::sarif
