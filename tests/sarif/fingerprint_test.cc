// SPDX-License-Identifier: Apache-2.0
#include "sarif/fingerprint.h"

#include <catch2/catch.hpp>

#include "sarif/json/fragment.h"
#include "tests/sarif/support.h"

namespace ethos::sarif {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> out;
  for (const LineHash& line : line_hashes(source)) out.push_back(line.text());
  return out;
}

// The definition, written as plainly as it goes: sum of u[k] * 37^(99-k) at each line start.
std::vector<std::uint64_t> plain_definition(const std::u16string& kept) {
  std::vector<std::uint64_t> out;
  for (std::size_t start = 0; start < kept.size(); ++start) {
    if (start != 0 && kept[start - 1] != u'\n') continue;
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < 100; ++k) {
      hash = hash * 37 + (start + k < kept.size() ? kept[start + k] : 0);
    }
    out.push_back(hash);
  }
  return out;
}

TEST_CASE("fingerprint: known lines of known texts", "[sarif]") {
  CHECK(texts("") == std::vector<std::string>{"c129715d7a2bc9a3:1"});
  CHECK(texts(" a\nb\n  \t\tc\n d") ==
        std::vector<std::string>{"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1",
                                 "a23a3dc5e078b07b:1"});
}

TEST_CASE("fingerprint: every kind of line end counts once", "[sarif]") {
  CHECK(line_hashes("a\r\nb").size() == 2);
  CHECK(line_hashes("a\rb").size() == 2);
  CHECK(line_hashes("a\r \nb").size() == 3);
  CHECK(line_hashes("a\n\nb").size() == 3);
  CHECK(line_hashes("a\nb") == line_hashes("a\r\nb"));
}

TEST_CASE("fingerprint: equal lines are told apart by their number", "[sarif]") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "x\n";
  const auto lines = line_hashes(text);
  REQUIRE(lines.size() == 301);
  CHECK(lines[0].occurrence == 1);
  CHECK(lines[10].occurrence == 11);
  CHECK(lines[0].hash == lines[10].hash);
  CHECK(lines[299].hash != lines[0].hash);
}

TEST_CASE("fingerprint: ill-formed bytes count as the replacement character", "[sarif]") {
  CHECK(line_hashes("a\xFF"
                    "b") == line_hashes("a\xEF\xBF\xBD"
                                        "b"));
  CHECK(line_hashes("a\xE2\x82"
                    "b") == line_hashes("a\xEF\xBF\xBD"
                                        "b"));
}

TEST_CASE("fingerprint: rolling and plain definition agree", "[sarif][property]") {
  std::uint32_t state = 12345;
  for (int round = 0; round < 50; ++round) {
    std::u16string kept;
    std::string bytes;
    const std::size_t size = (state >> 8U) % 700;
    for (std::size_t i = 0; i < size; ++i) {
      state = state * 1664525U + 1013904223U;
      const char c = "ab\ncd{"[(state >> 16U) % 6];
      kept.push_back(static_cast<char16_t>(c));
      bytes.push_back(c);
    }
    kept.push_back(u'\xFFFF');
    std::vector<std::uint64_t> rolled;
    for (const LineHash& line : line_hashes(bytes)) rolled.push_back(line.hash);
    CAPTURE(round, bytes);
    CHECK(rolled == plain_definition(kept));
  }
}

TEST_CASE("fingerprint: all published vectors", "[sarif][golden]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  const std::string file = support::read_all(*shared / "fingerprint-vectors.json");
  MemorySource source(file);
  JsonReader reader(source);
  JsonFragment document;
  REQUIRE(document.capture(reader, reader.next()));
  const auto vectors = document.root().find("vectors");
  REQUIRE(vectors);
  std::size_t lines = 0;
  for (const JsonView vector : *vectors) {
    CAPTURE(text_of(vector, "name"));
    std::vector<std::string> expected;
    const auto wanted = vector.find("lines");
    for (const JsonView line : *wanted) expected.push_back(line.text());
    CHECK(texts(support::decode_base64(text_of(vector, "base64"))) == expected);
    lines += expected.size();
  }
  CHECK(lines == 109);
}

}  // namespace
}  // namespace ethos::sarif
