// SPDX-License-Identifier: Apache-2.0
// What a log says about files, against the files.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "sarif/validate/validate.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif::validation {
namespace {

using nlohmann::json;

class Fixture {
 public:
  Fixture() {
    tree_.write("src/main.c",
                "int a;\nint caf\xC3\xA9 = 1;\r\n\n\n  int five;\nint six;\n7\n8\nint nine;\n10\n");
    tree_.write("src/main.h", "1\n2\n3\n4\n");
    const auto path = std::filesystem::path(ETHOS_TEST_DATA) / "sarif" / "validate" / "good.sarif";
    log_ = json::parse(support::read_all(path));
    run()["originalUriBaseIds"]["ROOT"]["uri"] = "file://" + tree_.path() + "/";
  }
  json& run() { return log_["runs"][0]; }
  json& place() { return run()["results"][0]["locations"][0]["physicalLocation"]; }
  [[nodiscard]] const support::TempTree& tree() const { return tree_; }

  // "ETH1502 /runs/0/...", one for each finding of the rules that look at sources.
  [[nodiscard]] std::string findings() const {
    const std::string text = log_.dump();
    MemorySource source(text);
    Options options;
    options.root = tree_.path();
    const Report report = validate(source, options);
    CHECK(report.root_failure.empty());
    std::string out;
    for (const Finding& finding : report.findings) {
      if (finding.rule->id.substr(0, 5) != "ETH15") continue;
      out += out.empty() ? "" : " ";
      out += std::string(finding.rule->id) + " " +
             finding.pointer.substr(finding.pointer.rfind('/') + 1);
    }
    return out;
  }

 private:
  support::TempTree tree_;
  json log_;
};

TEST_CASE("validate: a log that fits its sources has no findings", "[sarif][validate]") {
  Fixture fixture;
  CHECK(fixture.findings().empty());
  // Without a declared base, and with one of another machine, URIs count from the root.
  fixture.run()["originalUriBaseIds"]["ROOT"]["uri"] = "file:///elsewhere/";
  CHECK(fixture.findings().empty());
  fixture.run().erase("originalUriBaseIds");
  CHECK(fixture.findings().empty());
  fixture.place()["artifactLocation"]["uri"] = "file://" + fixture.tree().path() + "/src/main.c";
  CHECK(fixture.findings().empty());
}

TEST_CASE("validate: files that are not below the root", "[sarif][validate]") {
  Fixture fixture;
  fixture.place()["artifactLocation"] = {{"uri", "src/other.c"}};
  CHECK(fixture.findings() == "ETH1501 uri");
  fixture.place()["artifactLocation"] = {{"uri", "../../etc/passwd"}};
  CHECK(fixture.findings() == "ETH1501 uri");
  fixture.place()["artifactLocation"] = {{"uri", "src"}};
  CHECK(fixture.findings() == "ETH1501 uri");
  REQUIRE(::symlink("/etc/passwd", fixture.tree().file("src/link").c_str()) == 0);
  fixture.place()["artifactLocation"] = {{"uri", "src/link"}};
  CHECK(fixture.findings() == "ETH1501 uri");
}

TEST_CASE("validate: regions behind the end of a file or line", "[sarif][validate]") {
  Fixture fixture;
  const auto with = [&fixture](const json& region) {
    fixture.place()["region"] = region;
    fixture.place().erase("contextRegion");
    return fixture.findings();
  };
  CHECK(with({{"startLine", 11}}).empty());  // behind the last line end
  CHECK(with({{"startLine", 12}}) == "ETH1502 startLine");
  CHECK(with({{"startLine", 10}, {"endLine", 12}}) == "ETH1502 endLine");
  CHECK(with({{"startLine", 2}, {"startColumn", 14}}).empty());  // 13 characters, 14 bytes
  CHECK(with({{"startLine", 2}, {"startColumn", 15}}) == "ETH1503 startColumn");
  CHECK(with({{"startLine", 1}, {"endColumn", 7}}).empty());
  CHECK(with({{"startLine", 1}, {"endColumn", 8}}) == "ETH1503 endColumn");
}

TEST_CASE("validate: snippets that are not in their lines", "[sarif][validate]") {
  Fixture fixture;
  const auto with = [&fixture](const char* text) {
    fixture.place()["region"]["snippet"] = {{"text", text}};
    return fixture.findings();
  };
  CHECK(with("int five;").empty());
  CHECK(with("  int five;\n").empty());
  CHECK(with("five").empty());
  CHECK(with("int four;") == "ETH1505 text");
  fixture.place()["region"] = {{"startLine", 1}, {"endLine", 2}};
  fixture.place()["contextRegion"] = {{"startLine", 1}, {"endLine", 3}};
  CHECK(with("int a;\r\nint caf\xC3\xA9 = 1;").empty());
}

TEST_CASE("validate: hashes and fixes", "[sarif][validate]") {
  Fixture fixture;
  auto& hashes = fixture.run()["artifacts"][1]["hashes"];
  hashes["sha-256"] = "19E2B7B0F3F3B2F5C0C8FA3A4D2E45C4A53E3C0A0A0B3C8C5D8DE1A9C34B8B6F";
  CHECK(fixture.findings() == "ETH1504 sha-256");
  // printf '1\n2\n3\n4\n' | sha256sum
  hashes["sha-256"] = "16FBD7D1F18D2FEDB247D73EDC3BC6AA040F5AB99BD3B48C35B79E543D22179B";
  CHECK(fixture.findings().empty());
  fixture.run()["artifacts"][1].erase("hashes");
  const auto fix = [&fixture](const json& region) {
    fixture.run()["results"][0]["fixes"] = json::parse(
        R"([{"artifactChanges":[{"artifactLocation":{"uri":"src/main.h"},"replacements":[{}]}]}])");
    fixture
        .run()["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"] =
        region;
    return fixture.findings();
  };
  CHECK(fix({{"startLine", 4}, {"endLine", 5}, {"endColumn", 1}}).empty());
  CHECK(fix({{"startLine", 6}}) == "ETH1506 startLine");
  CHECK(fix({{"startLine", 1}, {"startColumn", 9}}) == "ETH1506 startColumn");
}

}  // namespace
}  // namespace ethos::sarif::validation
