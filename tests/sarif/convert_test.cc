// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <functional>

#include "sarif/convert/converters.h"
#include "sarif/convert/formats.h"
#include "sarif/places.h"
#include "sarif/resolve.h"
#include "sarif/source_files.h"
#include "tests/sarif/support.h"

namespace ethos::sarif {
namespace {

const std::filesystem::path kData = std::filesystem::path(ETHOS_TEST_DATA) / "sarif";

std::string input(const std::string& name) { return support::read_all(kData / "convert" / name); }

using Read = base::Result<ConvertedRun> (*)(ByteSource&);

ConvertedRun read(Read converter, const std::string& text) {
  MemorySource source(text);
  auto run = converter(source);
  if (!run) FAIL(run.error().message());
  return std::move(*run);
}

// With the small source tree of the test data.
ConvertedRun resolved(Read converter, const std::string& text) {
  ConvertedRun run = read(converter, text);
  const std::string root = (kData / "tree").string();
  auto paths = PathMapper::create(root, "");
  auto sources = SourceFiles::open(root);
  REQUIRE(paths);
  REQUIRE(sources);
  resolve_places(run, *paths, *sources);
  return run;
}

std::string error_of(Read converter, std::string_view text) {
  MemorySource source(text);
  const auto run = converter(source);
  return run ? "(accepted)" : run.error().message();
}

const Rule& rule_of(const ConvertedRun& run, std::size_t finding) {
  return run.rules.at(run.findings.at(finding).rule);
}

TEST_CASE("shellcheck: json1 counts a tab as one column", "[sarif]") {
  const ConvertedRun run = resolved(convert_shellcheck, input("shellcheck.json1"));
  REQUIRE(run.findings.size() == 2);
  CHECK(rule_of(run, 0).id == "SC2045");
  CHECK(run.findings[0].level == Level::error);
  CHECK(run.findings[0].location.uri == "src/tabs.sh");
  CHECK(run.findings[0].location.region == Region{2, 11, std::nullopt, 18});
  REQUIRE(run.findings[0].fingerprints.size() == 2);
  CHECK(run.findings[0].fingerprints[0].second == "2a73a72d3d96552d:1");
  CHECK(rule_of(run, 1).short_description == "ShellCheck SC9999");
  CHECK(run.findings[1].level == Level::note);
  REQUIRE(run.findings[1].fixes.size() == 1);
  CHECK(run.findings[1].fixes[0].replacements[0].text.empty());
}

TEST_CASE("shellcheck: the old json counts a tab as up to eight columns", "[sarif]") {
  const std::string text = input("shellcheck_tabs.json");
  const ConvertedRun with_source = resolved(convert_shellcheck, text);
  CHECK(with_source.findings.at(0).location.region == Region{2, 11, std::nullopt, 18});
  CHECK(with_source.findings.at(1).fixes.at(0).replacements.at(1).region ==
        Region{2, 30, std::nullopt, 30});
  // Without the source nobody knows where the tabs are: no column, and no fix that might be wrong.
  ConvertedRun without = read(convert_shellcheck, text);
  SourceFiles none;
  resolve_places(without, PathMapper(), none);
  CHECK(without.findings.at(0).location.region == Region{2, {}, {}, {}});
  CHECK(without.findings.at(1).fixes.empty());
}

TEST_CASE("gcc: flags, colons in names, notes, includes and repeats", "[sarif]") {
  const ConvertedRun run = resolved(convert_gcc, input("gcc.txt"));
  REQUIRE(run.findings.size() == 6);
  CHECK(rule_of(run, 0).id == "-Wunused");
  REQUIRE(run.findings[0].related.size() == 2);
  CHECK(run.findings[0].related[0].uri == "src/a.h");
  CHECK(run.findings[0].related[1].region.start_line == 7);
  // Column 13 on the screen is the sixth character: a tab fills eight cells.
  CHECK(run.findings[1].location.region == Region{2, 6, {}, {}});
  REQUIRE(run.findings[1].properties.size() == 1);
  CHECK(std::get<std::int64_t>(run.findings[1].properties[0].second) == 2);
  CHECK(rule_of(run, 2).id == "-Wuninitialized");
  CHECK(rule_of(run, 2).tags == std::vector<std::string>{"external/cwe/cwe-457"});
  CHECK(run.findings[2].level == Level::error);
  REQUIRE(run.findings[2].related.size() == 1);
  CHECK(run.findings[2].related[0].message == "'x' was declared here");
  CHECK(run.findings[3].location.path == "a:1:b.c");
  CHECK(run.findings[3].location.uri == "a%3A1%3Ab.c");
  CHECK(rule_of(run, 3).id == "-Wuse-after-free");
  CHECK(rule_of(run, 4).id == "fatal-error");
  CHECK(rule_of(run, 5).id == "warning");
  CHECK(run.findings[5].message == "whole line, 'int [8]' and [with T = int]");
  REQUIRE(run.notifications.size() == 1);
  CHECK(run.has_failed);
}

TEST_CASE("clang: colours are taken out and columns are bytes", "[sarif]") {
  const ConvertedRun run = resolved(convert_clang, input("clang_colour.txt"));
  REQUIRE(run.findings.size() == 1);
  CHECK(run.findings[0].message == "unused variable");
  CHECK(rule_of(run, 0).help_uri ==
        "https://clang.llvm.org/docs/DiagnosticsReference.html#wunused-variable");
}

TEST_CASE("clang-tidy: the first check is the rule, the others its aliases", "[sarif]") {
  const ConvertedRun run = read(convert_clang_tidy, input("clang_tidy.txt"));
  REQUIRE(run.findings.size() == 3);
  CHECK(rule_of(run, 0).id == "cppcoreguidelines-avoid-magic-numbers");
  CHECK(std::get<std::vector<std::string>>(run.findings[0].properties.at(0).second) ==
        std::vector<std::string>{"readability-magic-numbers"});
  CHECK(
      rule_of(run, 0).help_uri ==
      "https://clang.llvm.org/extra/clang-tidy/checks/cppcoreguidelines/avoid-magic-numbers.html");
  CHECK(rule_of(run, 1).id == "bugprone-x");
  CHECK(run.findings[1].properties.empty());
  CHECK(rule_of(run, 2).help_uri ==
        "https://clang.llvm.org/docs/DiagnosticsReference.html#wunused-value");
}

TEST_CASE("cppcheck: first location, path, column 0, file0 and locationless errors", "[sarif]") {
  const ConvertedRun run = resolved(convert_cppcheck, input("cppcheck.xml"));
  CHECK(run.tool.version == "2.10");
  REQUIRE(run.findings.size() == 2);
  const Finding& null = run.findings[0];
  CHECK(null.level == Level::error);
  CHECK(null.location.region == Region{3, 23, {}, {}});
  REQUIRE(null.path.size() == 2);
  CHECK(null.path[0].message == "Assignment 'q=0'");
  CHECK(null.path[1].region.start_column == 23);
  CHECK(rule_of(run, 0).tags == std::vector<std::string>{"external/cwe/cwe-476", "error"});
  CHECK(null.properties.size() == 2);
  CHECK(run.findings[1].level == Level::note);
  CHECK(run.findings[1].location.region == Region{1, {}, {}, {}});
  REQUIRE(run.notifications.size() == 1);
  CHECK(run.notifications[0].id == "checkersReport");
}

TEST_CASE("pylint: columns from 0, byte columns, names that are not UTF-8", "[sarif]") {
  const ConvertedRun run = resolved(convert_pylint, input("pylint.json"));
  REQUIRE(run.findings.size() == 3);
  CHECK(run.findings[0].location.region == Region{1, 1, {}, {}});
  CHECK(rule_of(run, 0).name == "MissingModuleDocstring");
  CHECK(run.findings[0].level == Level::note);
  // Byte 24 (from 0) lies behind one two-byte character.
  CHECK(run.findings[1].location.region == Region{5, 24, {}, 33});
  CHECK(run.findings[2].location.uri == "src/%FF.py");
  CHECK(run.findings[2].message == "Parsing failed: \xEF\xBF\xBD");
  const ConvertedRun second = read(convert_pylint, input("pylint.json2"));
  REQUIRE(second.findings.size() == 1);
  CHECK(second.findings[0].level == Level::error);
  CHECK(second.notifications.size() == 1);
}

TEST_CASE("bandit: offsets from 0, severities, CWE, unparsed files", "[sarif]") {
  const ConvertedRun run = resolved(convert_bandit, input("bandit.json"));
  REQUIRE(run.findings.size() == 3);
  CHECK(run.findings[0].location.uri == "src/app.py");
  CHECK(run.findings[0].location.region == Region{5, 12, {}, 21});
  CHECK(run.findings[1].location.region.end_line == 6);
  CHECK(run.findings[2].location.region == Region{1, {}, {}, {}});
  REQUIRE(run.rules.size() == 2);
  CHECK(run.rules[0].name == "Eval");
  CHECK(run.rules[0].security_severity == "8.0");
  CHECK(run.rules[0].default_level == Level::error);
  CHECK(run.rules[0].tags == std::vector<std::string>{"security", "external/cwe/cwe-078"});
  CHECK(run.rules[1].short_description == "Hardcoded password string");
  REQUIRE(run.notifications.size() == 1);
  CHECK(run.notifications[0].location->uri == "src/broken.py");
}

TEST_CASE("flake8: colons in names, plugin codes, line 0", "[sarif]") {
  const ConvertedRun run = read(convert_flake8, input("flake8.txt"));
  REQUIRE(run.findings.size() == 5);
  CHECK(run.findings[0].level == Level::warning);
  CHECK(run.findings[1].level == Level::note);
  CHECK(run.findings[2].location.path == "weird:3:1: name.py");
  CHECK(run.findings[2].level == Level::error);
  CHECK(rule_of(run, 3).id == "ABC123");
  CHECK(run.findings[4].location.region.start_line == 1);
}

TEST_CASE("checkstyle: whose rule it is, a missing column, ignored errors", "[sarif]") {
  const ConvertedRun run = read(convert_checkstyle, input("checkstyle.xml"));
  CHECK(run.tool.name == "Checkstyle");
  CHECK(run.tool.version == "8.36.1");
  REQUIRE(run.findings.size() == 2);
  CHECK(rule_of(run, 0).id == "JavadocPackage");
  CHECK(run.findings[0].location.region == Region{1, {}, {}, {}});
  CHECK(run.findings[1].level == Level::note);
}

TEST_CASE("eslint: parse errors, suppressions, a missing end", "[sarif]") {
  const ConvertedRun run = resolved(convert_eslint, input("eslint.json"));
  REQUIRE(run.findings.size() == 2);
  CHECK(run.findings[0].level == Level::warning);
  CHECK(run.findings[0].location.uri == "file:///build/src/%C3%BCn%C3%AF.js");
  CHECK(run.findings[0].location.region == Region{6, 11, 7, 1});
  CHECK(run.findings[0].suppressions.empty());
  CHECK(rule_of(run, 1).id == "plugin/no-debugger");
  CHECK(rule_of(run, 1).help_uri.empty());
  REQUIRE(run.findings[1].suppressions.size() == 1);
  CHECK(run.findings[1].suppressions[0].justification == "wanted");
  REQUIRE(run.notifications.size() == 1);
  CHECK(run.notifications[0].location->region.start_column == 10);
}

TEST_CASE("yamllint, mypy, tsc, msbuild, go vet: one finding a line", "[sarif]") {
  const ConvertedRun yaml = read(convert_yamllint, input("yamllint.txt"));
  REQUIRE(yaml.findings.size() == 2);
  CHECK(rule_of(yaml, 0).id == "document-start");
  CHECK(yaml.findings[0].message == "missing document start \"---\"");
  CHECK(rule_of(yaml, 1).id == "syntax");
  const ConvertedRun mypy = read(convert_mypy, input("mypy.txt"));
  REQUIRE(mypy.findings.size() == 2);
  CHECK(rule_of(mypy, 0).id == "return-value");
  CHECK(mypy.findings[0].message ==
        "Incompatible return value type (got \"int\", expected \"str\")");
  CHECK(mypy.findings[1].level == Level::note);
  CHECK(read(convert_mypy, "Success: no issues found in 1 source file\n").findings.empty());
  const ConvertedRun tsc = read(convert_msbuild, input("tsc.txt"));
  CHECK(tsc.tool.name == "TypeScript");
  REQUIRE(tsc.findings.size() == 2);
  CHECK(tsc.findings[1].location.path == "src/b (1).ts");
  const ConvertedRun msbuild = resolved(convert_msbuild, input("msbuild.txt"));
  REQUIRE(msbuild.findings.size() == 2);
  CHECK(msbuild.findings[0].location.uri == "src/a.cs");
  CHECK(msbuild.findings[0].message == "The variable 'x' is declared but never used");
  CHECK(msbuild.findings[1].location.uri == "file:///C:/w/c.cs");
  CHECK(msbuild.findings[1].location.region.start_column == 2);
  const ConvertedRun go = read(convert_go_vet, input("govet.txt"));
  REQUIRE(go.findings.size() == 2);
  CHECK(go.findings[1].location.path == "./b.go");
}

TEST_CASE("junit and tap: failed tests only, with a place where one can be found", "[sarif]") {
  const ConvertedRun junit = read(convert_junit, input("junit.xml"));
  REQUIRE(junit.findings.size() == 2);
  CHECK(junit.findings[0].location.path == "src/s.py");
  CHECK(junit.findings[0].location.region.start_line == 7);
  CHECK(junit.findings[0].message == "Test failed: c: bad: one is not two");
  CHECK(junit.findings[1].location.path == "/w/test.js");
  CHECK(rule_of(junit, 1).id == "test-error");
  CHECK(junit.notifications.size() == 1);
  const ConvertedRun tap = read(convert_tap, input("test.tap"));
  REQUIRE(tap.findings.size() == 2);
  CHECK(tap.findings[0].location.path == "/w/tap.test.js");
  CHECK(tap.findings[0].location.region == Region{2, 34, {}, {}});
  CHECK(tap.findings[1].location.path == "src/c.js");
  CHECK(tap.notifications.size() == 1);
  CHECK(error_of(convert_tap, "nothing\n") == "not TAP");
}

TEST_CASE("clang plist: files by index, events as a path, a document type allowed", "[sarif]") {
  const ConvertedRun run = resolved(convert_clang_plist, input("analyzer.plist"));
  REQUIRE(run.findings.size() == 1);
  CHECK(run.tool.version == "clang version 14");
  CHECK(run.findings[0].location.uri == "src/wide.c");
  CHECK(rule_of(run, 0).id == "core.UndefinedBinaryOperatorResult");
  REQUIRE(run.findings[0].path.size() == 2);
  CHECK(run.findings[0].path[0].message == "'x' declared");
  CHECK(run.findings[0].fingerprints.size() == 3);
}

TEST_CASE("hadolint, code climate, rubocop, golangci-lint: JSON lists", "[sarif]") {
  const ConvertedRun hadolint = read(convert_hadolint, input("hadolint.json"));
  REQUIRE(hadolint.findings.size() == 2);
  CHECK(rule_of(hadolint, 1).help_uri == "https://www.shellcheck.net/wiki/SC2086");
  const ConvertedRun climate = read(convert_code_climate, input("codeclimate.json"));
  REQUIRE(climate.findings.size() == 2);
  CHECK(climate.findings[0].level == Level::error);
  CHECK(climate.findings[0].location.region == Region{3, {}, 5, {}});
  CHECK(climate.findings[1].location.region == Region{4, 2, {}, {}});
  const ConvertedRun rubocop = read(convert_rubocop, input("rubocop.json"));
  REQUIRE(rubocop.findings.size() == 1);
  CHECK(rubocop.tool.version == "1.50.0");
  CHECK(rubocop.findings[0].location.region == Region{1, 81, {}, 91});
  const ConvertedRun golangci = read(convert_golangci, input("golangci.json"));
  REQUIRE(golangci.findings.size() == 1);
  CHECK(rule_of(golangci, 0).id == "errcheck");
  CHECK(read(convert_golangci, "{\"Issues\":null}").findings.empty());
}

TEST_CASE("every rule is complete, whatever its tool", "[sarif]") {
  struct Case {
    Read converter;
    const char* file;
  };
  for (const auto& [converter, file] :
       std::initializer_list<Case>{{convert_shellcheck, "shellcheck.json1"},
                                   {convert_gcc, "gcc.txt"},
                                   {convert_clang, "clang_colour.txt"},
                                   {convert_clang_tidy, "clang_tidy.txt"},
                                   {convert_cppcheck, "cppcheck.xml"},
                                   {convert_pylint, "pylint.json"},
                                   {convert_eslint, "eslint.json"},
                                   {convert_checkstyle, "checkstyle.xml"},
                                   {convert_tap, "test.tap"},
                                   {convert_clang_plist, "analyzer.plist"},
                                   {convert_msbuild, "tsc.txt"},
                                   {convert_rubocop, "rubocop.json"},
                                   {convert_bandit, "bandit.json"},
                                   {convert_flake8, "flake8.txt"}}) {
    for (const Rule& rule : read(converter, input(file)).rules) {
      CAPTURE(file, rule.id);
      CHECK_FALSE(rule.short_description.empty());
      CHECK_FALSE(rule.full_description.empty());
      CHECK_FALSE(rule.help.empty());
      CHECK(rule.name != rule.id);
      CHECK(rule.tags.size() <= 10);
    }
  }
}

TEST_CASE("a wrong format never looks like a clean run", "[sarif]") {
  CHECK(error_of(convert_flake8, "all is well\n") != "(accepted)");
  CHECK(error_of(convert_gcc, "Your code has been rated at 10/10\n") != "(accepted)");
  CHECK(error_of(convert_cppcheck, "<checkstyle/>") != "(accepted)");
  CHECK(error_of(convert_cppcheck, "") != "(accepted)");
  CHECK(error_of(convert_cppcheck, "<results version=\"1\"/>") != "(accepted)");
  CHECK(error_of(convert_shellcheck, "") != "(accepted)");
  CHECK(error_of(convert_shellcheck, "{}") != "(accepted)");
  CHECK(error_of(convert_shellcheck, "[{\"line\":1}]") != "(accepted)");
  CHECK(error_of(convert_pylint, "{\"results\":[]}") != "(accepted)");
  CHECK(error_of(convert_bandit, "[]") != "(accepted)");
  CHECK(error_of(convert_bandit, "{\"results\":[1]}") != "(accepted)");
}

TEST_CASE("a clean run is clean", "[sarif]") {
  CHECK(read(convert_shellcheck, "{\"comments\":[]}").findings.empty());
  CHECK(read(convert_shellcheck, "[]").findings.empty());
  CHECK(read(convert_pylint, "[]").findings.empty());
  CHECK(read(convert_flake8, "").findings.empty());
  CHECK(read(convert_gcc, "").findings.empty());
  CHECK(read(convert_bandit, "{\"results\":[],\"errors\":[]}").findings.empty());
  CHECK(read(convert_cppcheck, "<?xml version=\"1.0\"?><results version=\"2\"/>").findings.empty());
}

TEST_CASE("xml: entities, types with declarations and depth are refused", "[sarif]") {
  CHECK(error_of(convert_cppcheck,
                 "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY a \"aa\">]><results version=\"2\"/>")
            .find("document type") != std::string::npos);
  CHECK(error_of(convert_cppcheck, "<results version=\"2\">&undefined;</results>") != "(accepted)");
  std::string deep = "<results version=\"2\">";
  for (int i = 0; i < 100; ++i) deep += "<a>";
  CHECK(error_of(convert_cppcheck, deep).find("deeply") != std::string::npos);
  CHECK(error_of(convert_cppcheck, "<results version=\"2\">") != "(accepted)");
}

TEST_CASE("formats: each output is recognised by its content", "[sarif]") {
  struct Case {
    const char* file;
    const char* format;
  };
  for (const auto& [file, format] :
       std::initializer_list<Case>{{"shellcheck.json1", "shellcheck-json1"},
                                   {"shellcheck_tabs.json", "shellcheck-json"},
                                   {"gcc.txt", "gcc-text"},
                                   {"clang_colour.txt", "clang-text"},
                                   {"clang_tidy.txt", "clang-tidy-text"},
                                   {"cppcheck.xml", "cppcheck-xml"},
                                   {"pylint.json", "pylint-json"},
                                   {"pylint.json2", "pylint-json2"},
                                   {"bandit.json", "bandit-json"},
                                   {"flake8.txt", "flake8-text"},
                                   {"checkstyle.xml", "checkstyle-xml"},
                                   {"eslint.json", "eslint-json"},
                                   {"yamllint.txt", "yamllint-text"},
                                   {"junit.xml", "junit-xml"},
                                   {"test.tap", "tap"},
                                   {"analyzer.plist", "clang-plist"},
                                   {"mypy.txt", "mypy-text"},
                                   {"tsc.txt", "msbuild-text"},
                                   {"msbuild.txt", "msbuild-text"},
                                   {"hadolint.json", "hadolint-json"},
                                   {"codeclimate.json", "code-climate-json"},
                                   {"rubocop.json", "rubocop-json"},
                                   {"golangci.json", "golangci-json"}}) {
    CAPTURE(file);
    const std::string text = input(file);
    const auto found = detect_format(text);
    REQUIRE(found);
    CHECK(*found == format);
  }
  CHECK(*detect_format(R"({"version":"2.1.0","runs":[]})") == "sarif");
  CHECK(*detect_format("<stdin>:1:19: warning: unused [-Wunused]\n<stdin>:2:1: warning: "
                       "\xE2\x80\x98x\xE2\x80\x99\n") == "gcc-text");
  CHECK(*detect_format("# example.com/vet\n./main.go:6:2: fmt.Printf format %d has arg\n") ==
        "go-vet-text");
  CHECK_FALSE(detect_format("main.go:6:2: should not use it (ST1000)\n"));
  CHECK_FALSE(detect_format("[]"));
  CHECK_FALSE(detect_format("  \n"));
  CHECK_FALSE(detect_format("hello"));
  CHECK(find_format("gcc")->name == "gcc-text");
  CHECK(find_format("nothing") == nullptr);
}

TEST_CASE("the real outputs of many linters are read", "[sarif][golden]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  struct Case {
    const char* file;
    std::size_t findings;
  };
  for (const auto& [file, findings] :
       std::initializer_list<Case>{{"bandit-1.7.10.json", 9},
                                   {"clang-19.txt", 5},
                                   {"clang-tidy-19.txt", 66},
                                   {"cppcheck-2.17.1.xml", 38},
                                   {"flake8.txt", 10},
                                   {"gcc-14.txt", 9},
                                   {"pylint-3.json", 14},
                                   {"pylint-3.json2", 14},
                                   {"shellcheck-0.10.json", 13},
                                   {"shellcheck-0.10.json1", 13},
                                   {"shellcheck-0.10.gcc.txt", 13},
                                   {"shellcheck-0.10.checkstyle.xml", 13},
                                   {"checkstyle-8.36.1.xml", 26},
                                   {"clang-19.plist", 4},
                                   {"eslint-9.json", 14},
                                   {"node-test.junit.xml", 2},
                                   {"node-test.tap", 2},
                                   {"yamllint.txt", 10}}) {
    CAPTURE(file);
    const std::string text = support::read_all(*shared / "lint-inputs" / file);
    const auto format = detect_format(text);
    REQUIRE(format);
    CHECK(read(find_format(*format)->read, text).findings.size() == findings);
  }
}

}  // namespace
}  // namespace ethos::sarif
