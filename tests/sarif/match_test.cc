// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/match.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sarif/line_key.h"
#include "sarif/log/baseline.h"

namespace ethos::sarif {
namespace {

std::vector<std::string> keys(std::string_view source) {
  std::vector<std::string> out;
  for (const LineKey& key : line_keys(source)) out.push_back(key.text());
  return out;
}

const std::string kSource =
    "int f() {\n  return 0;\n}\n\nint g() {\n\treturn 0;\n  if (x) {\n    return 0;\n    return "
    "0;\n  "
    "}\n}\n";

TEST_CASE("line key: the vectors of the format's page", "[sarif][golden]") {
  const auto found = keys(kSource);
  REQUIRE(found.size() == 12);
  std::ifstream file(ETHOS_SOURCE "/docs/formats/line-fingerprint.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  REQUIRE_FALSE(page.empty());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t row = page.find("\n| " + std::to_string(i + 1) + " | ");
    REQUIRE(row != std::string::npos);
    const std::string line = page.substr(row + 1, page.find('\n', row + 1) - row - 1);
    CHECK(line.find("`" + found[i] + "`") != std::string::npos);
  }
}

TEST_CASE("line key: white space, line ends and a byte order mark do not count", "[sarif]") {
  CHECK(keys("a b\nc\n") == keys("\xEF\xBB\xBF"
                                 "ab\r\n\tc\r\n"));
  CHECK(keys("").size() == 1);
  CHECK(keys("a").size() == 1);
  CHECK(keys("a\n").size() == 2);
  CHECK(keys("a\rb").size() == 1);
  CHECK(keys("a\r") == keys("a"));
  CHECK(keys("\xFF\xFE\n\xFF\xFE") != keys("\xFF\n\xFE"));
}

TEST_CASE("line key: edits nearby, moves and equal lines elsewhere change nothing", "[sarif]") {
  const std::string before =
      "def f():\n    x = 1\n    return x\n\ndef g():\n    y = 2\n    return y\n";
  const std::string target = keys(before)[1];
  // Lines right after it, which GitHub's hash covers.
  CHECK(keys("def f():\n    x = 1\n    print(x)\n    return 2\n")[1] == target);
  // Moved below g, into another block.
  CHECK(keys("def g():\n    y = 2\n    if y:\n        x = 1\n")[3] == target);
  // Two lines that are alike, told apart by what they stand under: a third one elsewhere, above.
  const std::string two = "def f():\n    go()\n\ndef g():\n    go()\n";
  const std::string three = "def e():\n    go()\n\n" + two;
  CHECK(keys(two)[1] == keys(three)[4]);
  CHECK(keys(two)[4] == keys(three)[7]);
  CHECK(keys(two)[1] != keys(two)[4]);
}

TEST_CASE("line key: a deep and long file is no burden", "[sarif]") {
  std::string hostile;
  for (int i = 0; i < 20'000; ++i)
    hostile += std::string(static_cast<std::size_t>(i % 300), ' ') + "x\n";
  CHECK(keys(hostile).size() == 20'001);
}

// Results written by hand: rule, path, line, message, line key, GitHub's hash.
struct Made {
  std::string rule;
  std::string path;
  int line;
  std::string message = "m";
  std::string key = {};
  std::string hash = {};
};

std::string log_of(const std::vector<Made>& results) {
  std::string out;
  for (const Made& one : results) {
    out += out.empty() ? "" : ",";
    out += R"({"ruleId":")" + one.rule + R"(","message":{"text":")" + one.message +
           R"("},"locations":[{"physicalLocation":{"artifactLocation":{"uri":")" + one.path +
           R"("},"region":{"startLine":)" + std::to_string(one.line) +
           R"(}}}],"partialFingerprints":{)";
    if (!one.key.empty()) out += R"("ethosLine/v1":")" + one.key + "\"";
    if (!one.hash.empty()) {
      out += std::string(one.key.empty() ? "" : ",") + R"("primaryLocationLineHash":")" + one.hash +
             "\"";
    }
    out += "}}";
  }
  return R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[)" + out + "]}]}";
}

// "n" new, "u" unchanged, "c" changed (updated), in the order of the current results.
std::string states(const std::vector<Made>& before, const std::vector<Made>& now) {
  const std::string previous = log_of(before);
  const std::string current = log_of(now);
  const auto open = [](const std::string& text) {
    return [&text] {
      return base::Result<std::unique_ptr<ByteSource>>(std::make_unique<MemorySource>(text));
    };
  };
  const auto comparison = compare_logs(open(previous), open(current));
  REQUIRE(comparison);
  std::string out;
  for (const BaselineState state : comparison->matching.current) {
    out += state == BaselineState::fresh ? "n" : state == BaselineState::unchanged ? "u" : "c";
  }
  return out;
}

TEST_CASE("baseline: an equal message is not an equal finding when the lines are known",
          "[sarif]") {
  // Line 10 is gone, and another one with the same message is there at line 200.
  const std::vector<Made> before = {{"R", "a.c", 5, "m", "k5"}, {"R", "a.c", 10, "m", "k10"}};
  CHECK(states(before, {{"R", "a.c", 5, "m", "k5"}, {"R", "a.c", 200, "m", "k200"}}) == "un");
  // Without line keys the message has to do.
  CHECK(states({{"R", "a.c", 5}, {"R", "a.c", 10}}, {{"R", "a.c", 5}, {"R", "a.c", 200}}) == "uu");
  // The line was edited, and 7 lines came in above: the pair before says where it is now.
  CHECK(states(before, {{"R", "a.c", 12, "m", "k5"}, {"R", "a.c", 17, "m", "edited"}}) == "uu");
  // A new finding above the old ones, which moved down by one place each.
  CHECK(states(before, {{"R", "a.c", 5, "m", "new"},
                        {"R", "a.c", 10, "m", "k5"},
                        {"R", "a.c", 15, "m", "k10"}}) == "nuu");
}

TEST_CASE("baseline: numbers in a message may change, names may not", "[sarif]") {
  CHECK(states({{"R", "a.c", 5, "61 lines, 50 allowed"}},
               {{"R", "a.c", 6, "64 lines, 50 allowed"}}) == "c");
  CHECK(states({{"R", "a.c", 5, "unused 'x1'"}}, {{"R", "a.c", 6, "unused 'x2'"}}) == "n");
}

TEST_CASE("baseline: files under another name", "[sarif]") {
  const std::vector<Made> before = {{"R", "old.c", 5, "m", "k5", "h5:1"},
                                    {"R", "old.c", 9, "m", "k9", "h9:1"},
                                    {"S", "old.c", 20, "61 lines", "k20", "h20:1"},
                                    {"R", "stays.c", 1, "m", "k1", "h1:1"}};
  // Renamed, moved down by a line, one message changed, one finding new.
  CHECK(states(before, {{"R", "dir/new.c", 6, "m", "k5", "h5:1"},
                        {"R", "dir/new.c", 10, "m", "k9", "x:1"},
                        {"S", "dir/new.c", 21, "63 lines", "k20", "y:1"},
                        {"S", "dir/new.c", 30, "other", "k30", "z:1"},
                        {"R", "stays.c", 1, "m", "k1", "h1:1"}}) == "uucnu");
  // No fingerprints at all: a folder with another name.
  CHECK(states({{"R", "a/x.c", 5}, {"R", "a/x.c", 9}}, {{"R", "b/x.c", 5}, {"R", "b/x.c", 9}}) ==
        "uu");
  // One equal line is not enough to call two files one: an unused import, say.
  CHECK(states({{"R", "gone.py", 1, "unused", "k"}}, {{"R", "new.py", 3, "unused", "k"}}) == "n");
  // A file that is still there has not been renamed.
  CHECK(states({{"R", "a.c", 5, "m", "k5", "h5:1"}, {"R", "a.c", 9, "m", "k9"}},
               {{"R", "b.c", 9, "m", "k9"}, {"R", "a.c", 5, "m", "k5", "h5:1"}}) == "nu");
}

TEST_CASE("baseline: very many alike results stay cheap", "[sarif]") {
  std::vector<Made> before;
  std::vector<Made> now;
  for (int i = 0; i < 20'000; ++i) {
    before.push_back({"R", "old" + std::to_string(i % 100) + ".c", 1, "m", "k", "h:1"});
    now.push_back({"R", "new" + std::to_string(i % 100) + ".c", 1, "m", "k", "h:1"});
  }
  CHECK(states(before, now).size() == now.size());
}

}  // namespace
}  // namespace ethos::sarif
