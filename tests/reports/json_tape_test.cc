// SPDX-License-Identifier: Apache-2.0
#include "reports/json_tape.h"

#include <catch2/catch.hpp>
#include <string>

using ethos::reports::JsonTape;
using ethos::reports::JsonValue;

TEST_CASE("json tape: values are found by name and in order", "[reports]") {
  JsonTape tape;
  const std::string text =
      R"({"a":[1,-2,"x"],"b":{"c":true,"d":"42"},"e":"q\u00e9\ud83d\ude00\n"})";
  REQUIRE(tape.parse(text));
  const JsonValue root = tape.root();
  CHECK(root.size() == 3);
  CHECK(root["a"].size() == 3);
  const JsonValue first = root["a"].first();
  CHECK(first.integer() == 1);
  CHECK(root["a"].after(first).integer() == -2);
  CHECK(root["b"]["c"].bool_or(false));
  CHECK(root["b"]["d"].big_or(0) == 42);
  CHECK(root["e"].text_or("") == "q\u00e9\U0001F600\n");
}

TEST_CASE("json tape: a missing thing stays missing along a chain", "[reports]") {
  JsonTape tape;
  REQUIRE(tape.parse(R"({"a":1})"));
  CHECK_FALSE(tape.root()["x"]["y"]["z"].exists());
  CHECK(tape.root()["a"].text_or("none") == "none");
  CHECK(tape.root()["a"]["b"].integer_or(7) == 7);
  CHECK_FALSE(JsonValue().first().exists());
}

TEST_CASE("json tape: what is not JSON is refused", "[reports]") {
  const auto text =
      GENERATE(as<std::string>{}, "", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "01", "-", "1.", "1e",
               "tru", "\"\x01\"", "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\u12g4\"",
               "\"\xff\"", "1 2", "{a:1}", "\"open", "\"open\\", "\xef\xbb\xbf{}");
  CAPTURE(text);
  JsonTape tape;
  CHECK_FALSE(tape.parse(text));
  CHECK_FALSE(tape.root().exists());
}

TEST_CASE("json tape: a text cut at any length is refused", "[reports][property]") {
  const std::string whole = R"({"a":[1,-2.5e3,"x\u00e9"],"b":{"c":true,"d":null}})";
  JsonTape tape;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(tape.parse(std::string_view(whole).substr(0, size)));
  }
  CHECK(tape.parse(whole));
}

TEST_CASE("json tape: every byte is judged wherever it stands in a string", "[reports][property]") {
  JsonTape tape;
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 27; ++at) {
      for (const char filler : {'x', ' ', '\x7f', '!'}) {
        std::string inside(27, filler);
        inside[at] = static_cast<char>(byte);
        const std::string text = '"' + inside + '"';
        CAPTURE(byte, at, filler);
        // The byte after a backslash decides about that one; none of the fillers may follow it.
        const bool good = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
        const bool parsed = tape.parse(text);
        if (parsed != good) CHECK(parsed == good);
        if (parsed && tape.root().text_or("") != inside) CHECK(tape.root().text_or("") == inside);
      }
    }
  }
  REQUIRE(tape.parse("\"1234567\u00e9 1234567\\n1234567\u20ac\""));
  CHECK(tape.root().text_or("") == "1234567\u00e9 1234567\n1234567\u20ac");
}

TEST_CASE("json tape: depth and number range are bounded", "[reports]") {
  JsonTape tape;
  CHECK(tape.parse(std::string(32, '[') + std::string(32, ']')));
  CHECK_FALSE(tape.parse(std::string(33, '[') + std::string(33, ']')));
  REQUIRE(tape.parse("[9223372036854775807,9223372036854775808,1.5]"));
  JsonValue v = tape.root().first();
  CHECK(v.integer() == 9223372036854775807);
  v = tape.root().after(v);
  CHECK_FALSE(v.integer().has_value());
  CHECK_FALSE(tape.root().after(v).integer().has_value());
}
