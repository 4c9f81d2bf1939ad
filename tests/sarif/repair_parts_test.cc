// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "sarif/repair/region_repair.h"
#include "sarif/repair/remap.h"
#include "sarif/repair/uri_repair.h"
#include "sarif/repair/words.h"
#include "sarif/validate/formats.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

std::string mended(std::string_view text, const Sources& sources = {},
                   bool may_be_relative = true) {
  const auto uri = mend_reference(text, sources, may_be_relative);
  if (!uri) return "(stays)";
  CHECK(validation::is_uri_reference(uri->uri));
  // What was mended needs no more mending.
  CHECK_FALSE(mend_reference(uri->uri, sources, may_be_relative).has_value());
  return uri->uri;
}

TEST_CASE("repair: characters that no URI holds are encoded, escapes stay", "[sarif][repair]") {
  CHECK(mended("src/main.c") == "(stays)");
  CHECK(mended("src/my%20main.c") == "(stays)");
  CHECK(mended("") == "(stays)");
  CHECK(mended("src/my main.c") == "src/my%20main.c");
  CHECK(mended("caf\xC3\xA9/a.c") == "caf%C3%A9/a.c");
  CHECK(mended("50% done %41.c") == "50%25%20done%20%41.c");
  CHECK(mended("a#b#c") == "a#b%23c");
  CHECK(mended("<stdin>") == "%3Cstdin%3E");
  CHECK(mended("https://example.com/a b") == "https://example.com/a%20b");
  CHECK(mended("no file associated with this alert") ==
        "no%20file%20associated%20with%20this%20alert");
  CHECK(mended("12:30.log") == "12%3A30.log");
  CHECK(mended(":a b:c/d:e") == "%3Aa%20b%3Ac/d:e");
  CHECK(mended("data:1") == "(stays)");
  CHECK(mended("http://[bad") == "http://%5Bbad");
}

TEST_CASE("repair: paths of Windows become file URIs", "[sarif][repair]") {
  CHECK(mended("C:\\src\\a b.c") == "file:///C:/src/a%20b.c");
  CHECK(mended("c:/src/a.c") == "file:///c:/src/a.c");
  CHECK(mended("C:\\100%25\\a.c") == "file:///C:/100%2525/a.c");
  CHECK(mended("C:/100%25/a.c") == "file:///C:/100%25/a.c");
  CHECK(mended("file://C:/src/a.c") == "file:///C:/src/a.c");
  CHECK(mended("file:C:\\src\\a.c") == "file:///C:/src/a.c");
  CHECK(mended("file:///C:\\src\\a.c") == "file:///C:/src/a.c");
  CHECK(mended("file:///C:/src/a.c") == "(stays)");
  CHECK(mended("\\\\server\\share\\a.c") == "file://server/share/a.c");
  CHECK(mended("src\\sub\\a.c") == "src/sub/a.c");
  CHECK(mended("src\\a#b.c") == "src/a%23b.c");
}

TEST_CASE("repair: a path where a file URI has its host", "[sarif][repair]") {
  CHECK(mended("file://Package Descriptor") == "Package%20Descriptor");
  CHECK(mended("file://Package%20Descriptor") == "Package%20Descriptor");
  CHECK(mended("file://my dir/a#b.c") == "my%20dir/a#b.c");
  CHECK(mended("file://main.c") == "main.c");
  CHECK(mended("file://a%20b:c.c") == "a%20b%3Ac.c");
  CHECK(mended("file://server/share/a.c") == "(stays)");
  CHECK(mended("file://localhost/a.c") == "(stays)");
  CHECK(mended("file://main.c", {}, false) == "(stays)");
  const support::TempTree tree;
  tree.write("src/a.c", "int a;\n");
  const auto paths = PathMapper::create(tree.path(), "");
  auto files = SourceFiles::open(tree.path());
  REQUIRE(paths);
  REQUIRE(files);
  CHECK(mended("file://src/a.c", {&*paths, &*files}) == "src/a.c");
  CHECK(mended("file://src/b.c", {&*paths, &*files}) == "(stays)");
}

TEST_CASE("repair: absolute paths below the root become relative to it", "[sarif][repair]") {
  const support::TempTree tree;
  tree.write("src/a.c", "int a;\n");
  tree.write("src/x#1.c", "int x;\n");
  tree.write("src/100%41.c", "int y;\n");
  const auto paths = PathMapper::create(tree.path(), "");
  auto files = SourceFiles::open(tree.path());
  REQUIRE(paths);
  REQUIRE(files);
  const Sources sources{&*paths, &*files};
  CHECK(mended("file://" + tree.path() + "/src/a.c", sources) == "src/a.c");
  CHECK(mended(tree.path() + "/src/a.c", sources) == "src/a.c");
  CHECK(mended(tree.path() + "/new file.c", sources) == "new%20file.c");
  CHECK(mended("file://localhost" + tree.path() + "/src/a.c", sources) == "src/a.c");
  CHECK(mended("file:///" + tree.path() + "/src/a.c", sources) == "src/a.c");
  CHECK(mended("file://" + tree.path() + "/src/a.c", sources, false) == "(stays)");
  CHECK(mended("file:///etc/passwd", sources) == "(stays)");
  CHECK(mended("file://elsewhere" + tree.path() + "/src/a.c", sources) == "(stays)");
  CHECK(mended("/src/a.c", sources) == "src/a.c");
  CHECK(mended("/src/b.c", sources) == "(stays)");
  // The file that is there tells what "#" and "%" mean.
  CHECK(mended("src/x#1.c", sources) == "src/x%231.c");
  CHECK(mended("src/a.c#1", sources) == "(stays)");
  CHECK(mended("src/100%41.c", sources) == "src/100%2541.c");
}

TEST_CASE("repair: URIs that must be absolute", "[sarif][repair]") {
  CHECK_FALSE(mend_absolute("https://example.com/a").has_value());
  CHECK_FALSE(mend_absolute("rules/1").has_value());
  CHECK_FALSE(mend_absolute("").has_value());
  CHECK(mend_absolute("https://example.com/a b|c")->uri == "https://example.com/a%20b%7Cc");
}

TEST_CASE("repair: words for levels and severities", "[sarif][repair]") {
  CHECK(level_for("info") == "note");
  CHECK(level_for("CRITICAL") == "error");
  CHECK(level_for("Warning") == "warning");
  CHECK_FALSE(level_for("warning").has_value());
  CHECK_FALSE(level_for("banana").has_value());
  CHECK(severity_for("High")->text == "8.0");
  CHECK(severity_for("undefined")->text.empty());
  CHECK(severity_for("0.0")->text.empty());
  CHECK_FALSE(severity_for("7.5").has_value());
  CHECK_FALSE(severity_for("11").has_value());
  CHECK_FALSE(severity_for("banana").has_value());
}

RegionPlan plan(const std::string& text) {
  MemorySource source(text);
  JsonReader reader(source);
  JsonFragment fragment;
  REQUIRE(fragment.capture(reader, reader.next()));
  return plan_region(fragment.root());
}

std::string lost(const std::string& text) {
  std::string out;
  for (const LostMember& member : plan(text).lost) {
    out += out.empty() ? "" : " ";
    out += validation::key_name(member.key);
  }
  return out;
}

TEST_CASE("repair: numbers of a region that no file has", "[sarif][repair]") {
  CHECK(lost(R"({"startLine":1,"startColumn":1,"endLine":1,"endColumn":1})").empty());
  CHECK(lost(R"({"startLine":5,"startColumn":0})") == "startColumn");
  CHECK(lost(R"({"startLine":5,"startColumn":18446744073709551615})") == "startColumn");
  CHECK(lost(R"({"startLine":5,"endLine":0,"endColumn":0})") == "endLine endColumn");
  CHECK(lost(R"({"startLine":5,"endLine":4,"endColumn":9})") == "endLine endColumn");
  CHECK(lost(R"({"startLine":5,"startColumn":9,"endColumn":8})") == "endColumn");
  CHECK(lost(R"({"startLine":5,"startColumn":9,"endLine":6,"endColumn":8})").empty());
  CHECK(lost(R"({"startLine":5,"endLine":2147483648})") == "endLine");
  CHECK(lost(R"({"startLine":"5","startColumn":1.5,"charOffset":-1})").empty());
  CHECK(lost(R"({"startLine":5,"charLength":-1})") == "charLength");
  CHECK_FALSE(plan(R"({"startLine":5,"startColumn":0})").is_void);
  CHECK(lost(R"({"startLine":0,"startColumn":3,"endLine":4})") == "startLine startColumn endLine");
  CHECK(plan(R"({"startLine":0,"startColumn":3,"endLine":4})").is_void);
  CHECK_FALSE(plan(R"({"startLine":0,"byteOffset":10})").is_void);
  CHECK_FALSE(plan("{}").is_void);
}

TEST_CASE("repair: indices follow what was merged", "[sarif][repair]") {
  const validation::ItemHasher hasher;
  Remap remap;
  for (const char* item : {"a", "b", "a", "c", "b"}) remap.add(hasher.text(item));
  CHECK_FALSE(remap.is_trivial());
  CHECK_FALSE(remap.merged_with(0).has_value());
  CHECK(remap.merged_with(2) == 0);
  CHECK(remap.merged_with(4) == 1);
  CHECK(remap.moved(2) == 0);
  CHECK(remap.moved(3) == 2);
  CHECK(remap.moved(4) == 1);
  CHECK_FALSE(remap.moved(1).has_value());
  CHECK_FALSE(remap.moved(-1).has_value());
  CHECK_FALSE(remap.moved(9).has_value());
  remap.keep_all();
  CHECK(remap.is_trivial());
  CHECK_FALSE(remap.moved(3).has_value());
  CHECK_FALSE(remap.merged_with(4).has_value());
}

}  // namespace
}  // namespace ethos::sarif
