// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/sarif/mended.h"
#include "tests/sarif/temp_tree.h"

// Where results are, and in what letters.

namespace ethos::sarif {
namespace {

// Mended once with these options; mending again finds nothing.
std::string locations_after(const std::string& members, const RepairOptions& options) {
  const Mended once = mend(log_with(members), options);
  REQUIRE(once.failure.empty());
  const Mended again = mend(once.text, options);
  CHECK(again.changes.empty());
  CHECK(again.text == once.text);
  return once.run0()["results"][0]["locations"].dump();
}

std::string result_at(const std::string& location) {
  return R"("results":[{"message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":)" +
         location + "}}]}]";
}

TEST_CASE("repair: a URI follows what it is relative to", "[sarif][repair]") {
  const support::TempTree tree;
  tree.write("sub/a.c", "int a;\n");
  RepairOptions options;
  options.root = tree.path();
  options.adds_fingerprints = false;
  const auto at = [](const std::string& uri, const char* base) {
    return result_at("{\"uri\":\"" + uri + "\",\"uriBaseId\":\"" + base + "\"}");
  };
  const auto place = [](const std::string& members) {
    return "[{\"physicalLocation\":{\"artifactLocation\":{" + members + "}}}]";
  };
  // The bases come behind the results: they are read first all the same.
  const std::string bases =
      ",\"originalUriBaseIds\":{\"ROOT\":{\"uri\":\"file://" + tree.path() +
      "/\"},\"PWD\":{\"uri\":\"sub\",\"uriBaseId\":\"ROOT\"},\"LOOP\":{\"uri\":\"x/\","
      "\"uriBaseId\":\"LOOP\"},\"AWAY\":{\"uri\":\"file:///elsewhere/\"}}";
  CHECK(locations_after(at("a.c", "PWD") + bases, options) == place(R"("uri":"sub/a.c")"));
  CHECK(locations_after(at("my a.c", "PWD") + bases, options) == place(R"("uri":"sub/my%20a.c")"));
  CHECK(locations_after(at("sub/a.c", "ROOT") + bases, options) ==
        place(R"("uri":"sub/a.c","uriBaseId":"ROOT")"));
  for (const char* base : {"LOOP", "AWAY", "%SRCROOT%"}) {
    CHECK(locations_after(at("a.c", base) + bases, options) ==
          place("\"uri\":\"a.c\",\"uriBaseId\":\"" + std::string(base) + "\""));
  }
  options.adds_fingerprints = true;
  const Mended mended = mend(
      log_with(
          R"("results":[{"message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c","uriBaseId":"PWD"},"region":{"startLine":1}}}]}])" +
          bases),
      options);
  CHECK(mended.run0()["results"][0]["partialFingerprints"].size() == 1);
}

TEST_CASE("repair: paths of the machine where the tool ran", "[sarif][repair]") {
  RepairOptions options;
  options.old_roots = {"/code/", R"(C:\agent\_work\1)"};
  const auto uri = [&options](const std::string& text) {
    return json::parse(locations_after(result_at("{\"uri\":\"" + text + "\"}"),
                                       options))[0]["physicalLocation"]["artifactLocation"]["uri"]
        .get<std::string>();
  };
  CHECK(uri("/code/cft/a b.yml") == "cft/a%20b.yml");
  CHECK(uri("file:///code/a.c") == "a.c");
  CHECK(uri("file:///code/x/../a.c") == "a.c");
  CHECK(uri("/codes/a.c") == "/codes/a.c");
  CHECK(uri("file:///code/../etc/passwd") == "file:///code/../etc/passwd");
  CHECK(uri(R"(c:\\agent\\_work\\1\\src\\a.cs)") == "src/a.cs");
  CHECK(uri("file:///C:/agent/_work/1/src/a.cs") == "src/a.cs");
  CHECK(uri("file://C:/agent/_work/2/a.cs") == "file:///C:/agent/_work/2/a.cs");
}

TEST_CASE("repair: line 1 for places without a region, when asked for", "[sarif][repair]") {
  RepairOptions options;
  options.adds_regions = true;
  const auto region = [&options](const std::string& text) {
    return json::parse(locations_after(result_at(R"({"uri":"a.c"})" + text),
                                       options))[0]["physicalLocation"]["region"]
        .dump();
  };
  CHECK(region("") == R"({"startLine":1})");
  CHECK(region(R"(,"region":{"startLine":0,"startColumn":0})") == R"({"startLine":1})");
  CHECK(region(R"(,"region":null)") == R"({"startLine":1})");
  CHECK(region(R"(,"region":{"startLine":7})") == R"({"startLine":7})");
  CHECK(region(R"(,"region":{"byteOffset":7})") == R"({"byteOffset":7})");
  // Only where results are: related places may well be whole files.
  const std::string related = result_with(
      R"("relatedLocations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c"}}}])");
  CHECK(mend(related, options).changes.empty());
  const support::TempTree tree;
  tree.write("a.c", "int a;\n");
  options.root = tree.path();
  const Mended once = mend(log_with(result_at(R"({"uri":"a.c"})")), options);
  CHECK(once.changes.size() == 2);
  CHECK(mend(once.text, options).changes.empty());
}

TEST_CASE("repair: halves of surrogate pairs become replacement characters", "[sarif][repair]") {
  const auto text = [](const std::string& message) {
    return R"({"version":"2.1.0",)"
           "\n"
           R"("runs":[],"properties":{"a":")" +
           message + "\"}}";
  };
  const auto mended = [&text](const std::string& message) {
    const Mended once = mend(text(message));
    REQUIRE(once.failure.empty());
    CHECK(mend(once.text).changes.empty());
    const std::size_t at = once.text.find("\"a\":\"") + 5;
    return once.text.substr(at, once.text.size() - at - 4);
  };
  CHECK(mended(R"(x\ud83d y)") == R"(x\ufffd y)");
  CHECK(mended(R"(\uDE00)") == R"(\ufffd)");
  CHECK(mended(R"(\ud83d\ud83d\ude00\ude00)") == R"(\ufffd\ud83d\ude00\ufffd)");
  CHECK(mended(R"(\ud83d\n)") == R"(\ufffd\n)");
  CHECK(mended(R"(\\ud83d\\\uD83D\u0041)") == R"(\\ud83d\\\ufffd\u0041)");
  const Mended one = mend(text(R"(\ud83d)"));
  REQUIRE(one.changes.size() == 1);
  CHECK(one.changes[0].kind == RepairKind::surrogate_replaced);
  CHECK(one.changes[0].line == 2);
  CHECK(one.changes[0].before == R"("\ud83d")");
  for (const char* bad : {R"(\ud83)", R"(\ud8-3)", R"(\u)", R"(\x)"}) {
    CHECK_FALSE(mend(text(bad)).failure.empty());
  }
}

TEST_CASE("repair: UTF-16 becomes UTF-8", "[sarif][repair]") {
  std::string wide = "\xFF\xFE";
  for (const char c : log_with("")) {
    wide += c;
    wide += '\0';
  }
  const Mended mended = mend(wide);
  CHECK(mended.failure.empty());
  REQUIRE(mended.changes.size() == 1);
  CHECK(mended.changes[0].kind == RepairKind::encoding_changed);
  CHECK(mended.text == mend(log_with("")).text);
  CHECK_FALSE(mend(wide + "x").failure.empty());                             // half a unit more
  CHECK_FALSE(mend(std::string("\xFF\xFE\0\0{\0\0\0", 8)).failure.empty());  // UTF-32
  CHECK_FALSE(mend("\xFF\xFE").failure.empty());
  CHECK_FALSE(mend("\xFE").failure.empty());
}

}  // namespace
}  // namespace ethos::sarif
