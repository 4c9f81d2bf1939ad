// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/string_codec.h"

#include <catch2/catch.hpp>

namespace ethos::sarif {
namespace {

std::string unescape(std::string_view raw, LoneSurrogates policy = LoneSurrogates::refuse) {
  REQUIRE(check_escapes(raw, policy) == EscapeFault::none);
  std::string out;
  append_unescaped(out, raw, policy);
  return out;
}

TEST_CASE("string codec: each escape", "[sarif]") {
  CHECK(unescape(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(unescape(R"(a\u00e9z)") == "a\xC3\xA9z");
  CHECK(unescape(R"(\uD83D\uDE00)") == "\xF0\x9F\x98\x80");
  CHECK(unescape(R"(\u0000)") == std::string(1, '\0'));
  CHECK(unescape("plain") == "plain");
}

TEST_CASE("string codec: bad escapes are refused", "[sarif]") {
  for (const std::string_view bad : {R"(\x)", R"(\u12)", R"(\u12G4)", R"(\)", R"(\U0041)"}) {
    CAPTURE(bad);
    CHECK(check_escapes(bad, LoneSurrogates::refuse) == EscapeFault::bad_escape);
  }
}

TEST_CASE("string codec: lone surrogates are refused or stand for bytes", "[sarif]") {
  for (const std::string_view lone :
       {R"(\ud800)", R"(\udc00)", R"(\ud800\ud800)", R"(\ud800x)", R"(\udc80\ud83d)"}) {
    CAPTURE(lone);
    CHECK(check_escapes(lone, LoneSurrogates::refuse) == EscapeFault::lone_surrogate);
    CHECK(check_escapes(lone, LoneSurrogates::as_bytes) == EscapeFault::none);
  }
  CHECK(unescape(R"(a\udcffb)", LoneSurrogates::as_bytes) ==
        "a\xFF"
        "b");
  CHECK(unescape(R"(\ud800)", LoneSurrogates::as_bytes) == "\xEF\xBF\xBD");
}

TEST_CASE("string codec: escaping gives the shortest form and comes back", "[sarif]") {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all.push_back(static_cast<char>(c));
  std::string escaped;
  append_escaped(escaped, all);
  CHECK(escaped.substr(0, 12) == R"(\u0000\u0001)");
  CHECK(unescape(escaped) == all);
  std::string plain;
  append_escaped(plain, "/\x7F\xC3\xA9");
  CHECK(plain == "/\x7F\xC3\xA9");
}

}  // namespace
}  // namespace ethos::sarif
