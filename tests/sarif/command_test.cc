// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ledger/base/build_version.h"
#include "sarif/commands/run.h"
#include "sarif/json/fragment.h"
#include "tests/sarif/support.h"

namespace ethos::sarif {
namespace {

namespace fs = std::filesystem;
const fs::path kData = fs::path(ETHOS_TEST_DATA) / "sarif";

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome call(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run(args, out, err);
  return {code, out.str(), err.str()};
}

std::string data(const std::string& name) { return (kData / name).string(); }

struct TempDir {
  TempDir() {
    std::string name = (fs::temp_directory_path() / "ethos-sarif-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
  fs::path path;
};

struct Document {
  explicit Document(const std::string& text) : source(text), reader(source) {
    REQUIRE(fragment.capture(reader, reader.next()));
  }
  [[nodiscard]] JsonView run0() const { return *fragment.root().find("runs")->at(0); }
  MemorySource source;
  JsonReader reader;
  JsonFragment fragment;
};

TEST_CASE("command: each way to call it has its exit status", "[sarif]") {
  CHECK(call({}).code == 2);
  CHECK(call({"nothing"}).code == 2);
  CHECK(call({"convert"}).code == 2);
  CHECK(call({"convert", "--from", "nothing", "-", "-o", "-"}).code == 2);
  CHECK(call({"convert", "--from", "none", "/dev/null", "-o", "-"}).code == 2);
  CHECK(call({"convert", "--revision", "x", "/dev/null", "-o", "-"}).code == 2);
  CHECK(call({"--help"}).code == 0);
  CHECK(call({"convert", "--help"}).code == 0);
  CHECK(call({"--version"}).out == std::string("ethos-sarif ") + ethos::base::kBuildVersion + "\n");
  CHECK(call({"convert", "/nonexistent", "-o", "-"}).code == 3);
  CHECK(call({"convert", "/", "-o", "-"}).code == 3);
  CHECK(call({"convert", "--from", "bandit", "/dev/null", "-o", "-"}).code == 3);
  CHECK(call({"convert", "--root", "/nonexistent", data("convert/gcc.txt"), "-o", "-"}).code == 3);
  CHECK(call({"digest", data("convert/gcc.txt")}).code == 3);
  CHECK(call({"formats"}).code == 0);
  CHECK(call({"formats", "--json"}).code == 0);
}

TEST_CASE("command: every help ends with examples and exit statuses", "[sarif]") {
  const std::string help = call({"--help"}).out;
  const std::size_t list = help.find("Subcommands:");
  REQUIRE(list != std::string::npos);
  CHECK(help.find("\nExamples:\n") > list);
  CHECK(help.find("\nExit status: 0 ") > list);
  std::istringstream lines(help.substr(list, help.find("Examples:") - list));
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    if (!line.starts_with("  ") || line[2] == ' ') continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    CAPTURE(name);
    const std::string text = call({name, "--help"}).out;
    CHECK(text.find("Examples:\n  ") != std::string::npos);
    CHECK(text.find("ethos-sarif " + name) != std::string::npos);
    CHECK(text.find("Exit status: 0 ") != std::string::npos);
    ++count;
  }
  CHECK(count >= 12);
}

TEST_CASE("command: an error is one line and leaves the output alone", "[sarif]") {
  const TempDir dir;
  std::ofstream(dir.file("out.sarif")) << "old";
  const Outcome bad =
      call({"convert", "--from", "pylint", data("convert/gcc.txt"), "-o", dir.file("out.sarif")});
  CHECK(bad.code == 3);
  CHECK(std::count(bad.err.begin(), bad.err.end(), '\n') == 1);
  CHECK(bad.err.rfind("ethos-sarif: ", 0) == 0);
  CHECK(support::read_all(dir.file("out.sarif")) == "old");
  CHECK(std::distance(fs::directory_iterator(dir.path), fs::directory_iterator()) == 1);
  CHECK(call({"convert", data("convert/gcc.txt"), "-o", dir.file("no/out.sarif")}).code == 3);
  CHECK(call({"convert", data("convert/gcc.txt"), "-o", "/dev/full/x"}).code == 3);
}

TEST_CASE("command: an output below the root is not reached through a link", "[sarif]") {
  const TempDir dir;
  fs::create_directories(dir.path / "root");
  fs::create_directories(dir.path / "elsewhere");
  fs::create_directory_symlink(dir.path / "elsewhere", dir.path / "root/out");
  const std::string input = data("convert/flake8.txt");
  CHECK(call({"convert", "--root", dir.file("root"), input, "-o", dir.file("root/out/x")}).code ==
        3);
  CHECK(fs::is_empty(dir.path / "elsewhere"));
  CHECK(call({"convert", "--root", dir.file("root"), input, "-o", dir.file("root/x")}).code == 0);
}

TEST_CASE("command: convert writes what code scanning asks for", "[sarif]") {
  const Outcome done = call({"convert", "--root", data("tree"), "--category", "lint",
                             "--repository-uri", "https://example.com/r", "--revision", "abc",
                             data("convert/shellcheck.json1"), "-o", "-"});
  REQUIRE(done.code == 0);
  const Document log(done.out);
  CHECK(text_of(log.fragment.root(), "version") == "2.1.0");
  const JsonView first = log.run0();
  CHECK(first.find_path({"automationDetails", "id"})->text() == "lint/");
  CHECK(text_of(first, "columnKind") == "unicodeCodePoints");
  const JsonView result = *first.find("results")->at(0);
  CHECK(integer_of(result, "ruleIndex") == 0);
  CHECK(result.find_path({"partialFingerprints", "primaryLocationLineHash"}));
  CHECK(text_of(*first.find("versionControlProvenance")->at(0), "revisionId") == "abc");
  CHECK_FALSE(first.find("properties"));
}

TEST_CASE("command: what a tool says is plain text", "[sarif]") {
  const TempDir dir;
  std::ofstream(dir.file("gcc.txt")) << "a.c:1:1: error: f[x](1) is no function\n"
                                        "a.c:2:1: error: [here](javascript:x)\n"
                                        "a.c:3:1: warning: plain a[1] \\n (b)\n"
                                        "a.c:4:1: error: int x{0}, y{};\n"
                                        "a.c:5:1: warning: int y{};\n"
                                        "a.c:6:1: error: \xE2\x80\xAE"
                                        "evil\x07\n";
  const Outcome done =
      call({"convert", "--from", "gcc", dir.file("gcc.txt"), "-o", dir.file("o.sarif")});
  REQUIRE(done.code == 0);
  const Document log(support::read_all(dir.file("o.sarif")));
  const auto text = [&](std::size_t i) {
    return std::string(log.run0().find("results")->at(i)->find_path({"message", "text"})->text());
  };
  CHECK(text(0) == "f\\[x\\](1) is no function");
  CHECK(text(1) == "\\[here\\](javascript:x)");
  CHECK(text(2) == "plain a[1] \\n (b)");
  CHECK(text(3) == "int x{{0}}, y{{}};");
  CHECK(text(4) == "int y{};");
  CHECK(text(5) == "<U+202E>evil<U+0007>");
  CHECK(call({"validate", dir.file("o.sarif")}).code == 0);
}

TEST_CASE("command: evidence is carried whatever the tool left behind", "[sarif]") {
  const TempDir dir;
  std::ofstream(dir.file("half.json")) << "{\"comments\":[{\"file\":";
  std::ofstream(dir.file("half.sarif")) << "{\"version\":\"2.1.0\",\"runs\":[{\"results\":[";
  const std::string evidence = data("evidence/good_denials.json");
  for (const auto& [format, input] : std::initializer_list<std::pair<const char*, std::string>>{
           {"shellcheck-json1", dir.file("half.json")},
           {"auto", dir.file("half.sarif")},
           {"sarif", dir.file("half.sarif")},
           {"auto", "/dev/null"}}) {
    CAPTURE(format, input);
    const Outcome done =
        call({"convert", "--from", format, "--evidence", evidence, input, "-o", "-"});
    REQUIRE(done.code == 0);
    CHECK(done.err.find("only the evidence") != std::string::npos);
    const Document log(done.out);
    CHECK(log.run0().find("results")->size() == 5);
    CHECK(log.run0().find_path({"properties", "sandbox"}));
    const JsonView invocation = *log.run0().find("invocations")->at(0);
    CHECK(invocation.find("executionSuccessful")->boolean() == false);
    CHECK(invocation.find("toolExecutionNotifications")->size() == 1);
  }
  const Outcome none = call({"convert", "--from", "none", "--evidence",
                             data("evidence/good_clean.json"), "/dev/null", "-o", "-"});
  REQUIRE(none.code == 0);
  CHECK(none.err.empty());
  const Document log(none.out);
  CHECK(log.run0().find("results")->size() == 0);
  CHECK(log.run0().find_path({"tool", "driver", "name"})->text() == "shellcheck");
}

TEST_CASE("command: SARIF with evidence keeps its own and gains ours", "[sarif]") {
  const TempDir dir;
  std::ofstream(dir.file("in.sarif"))
      << R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[{"message":{"text":"x"}}],"properties":{"sandbox":"mine"}}]})";
  const Outcome done = call({"convert", "--evidence", data("evidence/good_denials.json"),
                             dir.file("in.sarif"), "-o", dir.file("out.sarif")});
  REQUIRE(done.code == 0);
  const Document log(support::read_all(dir.file("out.sarif")));
  CHECK(log.run0().find("results")->size() == 6);
  CHECK(log.run0().find_path({"properties", "sandbox_from_input"})->text() == "mine");
  CHECK(log.run0().find_path({"properties", "sandbox", "enabled"})->boolean() == true);
  const Outcome digest = call({"digest", dir.file("out.sarif")});
  REQUIRE(digest.code == 0);
  const Document digests(digest.out);
  CHECK(digests.fragment.root().find("results")->size() == 6);
}

TEST_CASE("command: no format's rules pass for the rule of denials", "[sarif]") {
  const TempDir dir;
  std::ofstream(dir.file("eslint.json"))
      << R"([{"filePath":"a.js","messages":[{"ruleId":"runtime.sandbox_denial","severity":2,"message":"m","line":1,"column":1}]}])";
  std::ofstream(dir.file("old.sarif"))
      << R"({"version":"1.0.0","runs":[{"tool":{"name":"t"},"results":[{"ruleId":"runtime.sandbox_denial","message":"m"}]}]})";
  for (const auto& [format, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"eslint-json", "eslint.json"}, {"sarif-1.0", "old.sarif"}}) {
    for (const char* evidence : {"evidence/good_denials.json", "evidence/good_clean.json"}) {
      CAPTURE(format, evidence);
      const Outcome done = call(
          {"convert", "--from", format, "--evidence", data(evidence), dir.file(name), "-o", "-"});
      REQUIRE(done.code == 0);
      const Document log(done.out);
      CHECK(text_of(*log.run0().find("results")->at(0), "ruleId") ==
            "runtime.sandbox_denial_from_input");
      const auto rules = log.run0().find_path({"tool", "driver", "rules"});
      if (!rules) continue;
      for (const JsonView rule : *rules) {
        if (rule.find("id")->text_is("runtime.sandbox_denial"))
          CHECK(text_of(rule, "name") == "SandboxDenial");
      }
    }
  }
}

TEST_CASE("command: evidence that cannot be trusted stops everything", "[sarif]") {
  CHECK(call({"convert", "--evidence", data("evidence/fail_hole.json"), data("convert/flake8.txt"),
              "-o", "-"})
            .code == 3);
  CHECK(
      call({"convert", "--evidence", "/nonexistent", data("convert/flake8.txt"), "-o", "-"}).code ==
      3);
}

TEST_CASE("command: fingerprints are added, kept, and replaced only when asked for", "[sarif]") {
  const TempDir dir;
  std::ofstream(dir.file("in.sarif")) << R"({"version":"2.1.0","runs":[{"results":[
    {"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/tabs.sh"},"region":{"startLine":2}}}]},
    {"partialFingerprints":{"primaryLocationLineHash":"other:1"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/tabs.sh"},"region":{"startLine":2}}}]},
    {"locations":[{"physicalLocation":{"artifactLocation":{"uri":"../../etc/passwd"},"region":{"startLine":1}}}]},
    {"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/tabs.sh"}}}]}]}]})";
  const Outcome done =
      call({"fingerprint", "--root", data("tree"), dir.file("in.sarif"), "-o", "-", "--compact"});
  REQUIRE(done.code == 0);
  CHECK(done.err.find("4 results: 3 fingerprints added, 0 equal, 1 different") !=
        std::string::npos);
  const Document log(done.out);
  const JsonView results = *log.run0().find("results");
  CHECK(results.at(0)->find_path({"partialFingerprints", "primaryLocationLineHash"})->text() ==
        "2a73a72d3d96552d:1");
  CHECK(results.at(1)->find_path({"partialFingerprints", "primaryLocationLineHash"})->text() ==
        "other:1");
  const Outcome replaced = call({"fingerprint", "--replace", "--key", "github", "--root",
                                 data("tree"), dir.file("in.sarif"), "-o", "-", "--compact"});
  CHECK(replaced.err.find("1 fingerprints added, 0 equal, 1 different and replaced") !=
        std::string::npos);
  CHECK(replaced.out.find("other:1") == std::string::npos);
  CHECK_FALSE(results.at(2)->find("partialFingerprints"));
  CHECK_FALSE(results.at(3)->find("partialFingerprints"));
  CHECK(
      call({"fingerprint", "--lines", data("tree/src/tabs.sh")}).out.find("2a73a72d3d96552d:1\n") !=
      std::string::npos);
  CHECK(call({"fingerprint", dir.file("in.sarif")}).code == 2);
}

TEST_CASE("command: fingerprints of locations that have an index only", "[sarif]") {
  const TempDir dir;
  // The list comes behind the results, and each run has its own.
  std::ofstream(dir.file("in.sarif")) << R"({"version":"2.1.0","runs":[{},{"results":[
    {"locations":[{"physicalLocation":{"artifactLocation":{"index":1},"region":{"startLine":2}}}]},
    {"locations":[{"physicalLocation":{"artifactLocation":{"index":7},"region":{"startLine":2}}}]},
    {"locations":[{"physicalLocation":{"artifactLocation":{"index":-1},"region":{"startLine":2}}}]}],
    "artifacts":[{},{"location":{"uri":"src/tabs.sh"}}]}]})";
  const Outcome done = call({"fingerprint", "--key", "github", "--root", data("tree"),
                             dir.file("in.sarif"), "-o", "-", "--compact"});
  CHECK(done.code == 0);
  CHECK(done.err.find("3 results: 1 fingerprints added") != std::string::npos);
  CHECK(done.out.find("2a73a72d3d96552d:1") != std::string::npos);
}

TEST_CASE("command: output that a Windows shell wrote as UTF-16", "[sarif]") {
  const TempDir dir;
  const std::string text = "a.c:1:2: warning: caf\xC3\xA9 \xF0\x9F\x98\x80 [-Wx]\n";
  const auto write = [&](const char* name, bool is_big) {
    std::ofstream out(dir.file(name), std::ios::binary);
    const std::u16string units = u"\uFEFFa.c:1:2: warning: caf\u00E9 \U0001F600 [-Wx]\n";
    for (const char16_t unit : units) {
      const std::array<char, 2> bytes = {static_cast<char>(unit & 0xFFU),
                                         static_cast<char>(unit >> 8U)};
      out.put(bytes[is_big ? 1 : 0]).put(bytes[is_big ? 0 : 1]);
    }
  };
  std::ofstream(dir.file("utf8")) << text;
  write("little", false);
  write("big", true);
  const Outcome plain = call({"convert", "--from", "gcc", dir.file("utf8"), "-o", "-"});
  CHECK(plain.out.find("caf\xC3\xA9 \xF0\x9F\x98\x80") != std::string::npos);
  for (const char* name : {"little", "big"}) {
    CHECK(call({"convert", "--from", "gcc", dir.file(name), "-o", "-"}).out == plain.out);
  }
}

TEST_CASE("command: merge takes more files than may be open at first", "[sarif]") {
  const TempDir dir;
  std::ofstream(dir.file("a"))
      << R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[{"message":{"text":"m"}}]}]})";
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  if (before.rlim_max < 1000) {
    WARN("skipped: the limit of open files is below 1000");
    return;
  }
  const rlimit low{128, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  std::vector<std::string> words = {"merge", "--fold", "tool", "-o", "-", "--compact"};
  words.insert(words.end(), 300, dir.file("a"));
  const Outcome done = call(words);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(done.code == 0);
  CHECK(done.err.find("1 runs of 300, with 300 results") != std::string::npos);
}

TEST_CASE("an unknown option is named, whatever else is missing", "[sarif][cli]") {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--bogus"}, {"convert", "--bogus"}, {"split", "in", "--bogus"}}) {
    const Outcome refused = call(args);
    CAPTURE(refused.err);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("--bogus") != std::string::npos);
  }
  CHECK(call({}).err.find("subcommand is required") != std::string::npos);
}

}  // namespace
}  // namespace ethos::sarif
