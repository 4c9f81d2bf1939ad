// SPDX-License-Identifier: Apache-2.0
#include "sandbox/jsonc.h"

#include <catch2/catch.hpp>
#include <iterator>
#include <random>
#include <string_view>

#include "ledger/record/canonical_json.h"
#include "sandbox/json_value.h"

using namespace ethos;
using sandbox::JsonNode;
using sandbox::parse_jsonc;

TEST_CASE("jsonc: comments stand wherever white space may", "[sandbox]") {
  const auto doc = parse_jsonc(
      "// a\n{ /* b */ \"k\" /**/ : // c\r\n [1, -2 /* , */ , \"x//y\"] /* \n */ } // end");
  REQUIRE(doc);
  const JsonNode* list = doc->find("k");
  REQUIRE(list != nullptr);
  REQUIRE(list->items.size() == 3);
  CHECK(list->items[1].number == -2);
  CHECK(list->items[2].text == "x//y");
}

TEST_CASE("jsonc: a value knows its line and column", "[sandbox]") {
  const auto doc = parse_jsonc("{\n /* x\n */ \"a\":\n   true}");
  REQUIRE(doc);
  CHECK(doc->line == 1);
  CHECK(doc->find("a")->line == 4);
  CHECK(doc->find("a")->column == 4);
}

TEST_CASE("jsonc: escapes decode to UTF-8", "[sandbox]") {
  const auto doc = parse_jsonc(R"(["\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00"])");
  REQUIRE(doc);
  CHECK(doc->items[0].text == "\"\\/\b\f\n\r\t\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST_CASE("jsonc: each of these is refused, with its place", "[sandbox]") {
  using namespace std::string_literals;
  const std::pair<std::string, std::string> cases[] = {
      {"", "a value was expected"},
      {"{} {}", "something follows"},
      {"[1,]", "trailing comma"},
      {"{\"a\":1,}", "trailing comma"},
      {"{\"a\":1,\"a\":2}", "twice"},
      {"{\"a\":1,\"\\u0061\":2}", "twice"},
      {"[1.0]", "no integer"},
      {"[1e3]", "no integer"},
      {"[01]", "leading zero"},
      {"[-0]", "minus zero"},
      {"[1234567890123456]", "15 digits"},
      {"[+1]", "expected"},
      {"[.5]", "expected"},
      {"[nul]", "expected"},
      {"[\"\\ud800\"]", "surrogate"},
      {"[\"\\udc00\"]", "surrogate"},
      {"[\"\\ud800\\u0041\"]", "surrogate"},
      {"[\"\\u0000\"]", "U+0000"},
      {"[\"\\x41\"]", "unknown escape"},
      {"[\"\\u12g4\"]", "four hex"},
      {"[\"a\nb\"]", "control character"},
      {"[\"abc", "without an end"},
      {"[\"abc\\", "unknown escape"},
      {"/* x", "without an end"},
      {"[1 / 2]", "lone '/'"},
      {"\xEF\xBB\xBF{}", "byte order mark"},
      {"[\"\xC0\x80\"]", "not UTF-8"},
      {"[\"\xED\xA0\x80\"]", "not UTF-8"},
      {"[\"\xF4\x90\x80\x80\"]", "not UTF-8"},
      {"// \xFF\n[]", "not UTF-8"},
      {"[]\0"s, "NUL"},
      {"{1:2}", "a key was expected"},
      {"{\"a\" 1}", "':' was expected"},
      {"[1 2]", "',' or ']'"},
      {"{\"a\":1 \"b\":2}", "',' or '}'"},
      {"['a']", "expected"},
      {std::string(17, '[') + std::string(17, ']'), "too deeply"}};
  for (const auto& [text, why] : cases) {
    CAPTURE(text, why);
    const auto doc = parse_jsonc(text);
    REQUIRE_FALSE(doc);
    CHECK(doc.error().what.find(why) != std::string::npos);
    CHECK(doc.error().what.starts_with("line "));
  }
}

TEST_CASE("jsonc: the limits themselves are allowed, one more is not", "[sandbox]") {
  CHECK(parse_jsonc(std::string(16, '[') + std::string(16, ']')));
  CHECK(parse_jsonc(std::string(262'142, ' ') + "[]"));
  const auto big = parse_jsonc(std::string(262'143, ' ') + "[]");
  REQUIRE_FALSE(big);
  CHECK(big.error().code == base::Errc::too_large);
  CHECK(parse_jsonc("[999999999999999,-999999999999999]"));
}

TEST_CASE("json value: keys ascend and each character has one escape", "[sandbox]") {
  sandbox::Json value;
  value["b"] = sandbox::Json::Array{1, true, "x"};
  value["a"] = "\x01\n\"\\/\x7F\xC3\xA9";
  value["A"] = sandbox::big(18446744073709551615U);
  CHECK(value.encode() ==
        "{\"A\":\"18446744073709551615\",\"a\":\"\\u0001\\n\\\"\\\\/"
        "\x7F\xC3\xA9\",\"b\":[1,true,\"x\"]}");
}

TEST_CASE("json value: any text is written as the ledger writes it", "[sandbox][property]") {
  std::mt19937 random(11);
  const std::string_view special[] = {
      "\"", "\\", "\n", "\x01", "\x1f", " ", "\x7f", "\xC3\xA9", "\xF0\x9F\x98\x80"};
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    const std::size_t pieces = random() % 40;
    for (std::size_t i = 0; i < pieces; ++i) {
      if (random() % 8 == 0)
        text += special[random() % std::size(special)];
      else
        text += static_cast<char>(' ' + random() % 95);
    }
    std::string expected;
    ethos::record::append_json_string(expected, text);
    CHECK(sandbox::Json(text).encode() == expected);
  }
}
