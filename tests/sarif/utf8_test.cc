// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/utf8.h"

#include <catch2/catch.hpp>

namespace ethos::sarif {
namespace {

TEST_CASE("utf8: well-formed sequences of each length", "[sarif]") {
  CHECK(utf8_sequence_length("a") == 1);
  CHECK(utf8_sequence_length("\xC3\xA9") == 2);
  CHECK(utf8_sequence_length("\xE2\x82\xAC") == 3);
  CHECK(utf8_sequence_length("\xF0\x9F\x98\x80") == 4);
  CHECK(decode_utf8("\xF0\x9F\x98\x80", 4) == 0x1F600);
}

TEST_CASE("utf8: each ill-formed shape is refused", "[sarif]") {
  for (const std::string_view bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xC3",
        "\xC3(", "\xE2(\xAC", "\xF0\x9F\x98("}) {
    CAPTURE(bad);
    CHECK(utf8_sequence_length(bad) == 0);
    CHECK_FALSE(is_valid_utf8(bad));
  }
}

TEST_CASE("utf8: every code point round-trips", "[sarif][property]") {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, point);
    const std::size_t length = utf8_sequence_length(bytes);
    if (length != bytes.size() || decode_utf8(bytes, length) != point) {
      CAPTURE(static_cast<unsigned>(point));
      FAIL("no round trip");
    }
  }
  SUCCEED();
}

TEST_CASE("utf8: a maximal ill-formed part becomes one replacement", "[sarif]") {
  const std::string r = "\xEF\xBF\xBD";
  CHECK(replace_invalid_utf8("a\xE2\x82z") == "a" + r + "z");
  CHECK(replace_invalid_utf8("\xF0\x9F\x98") == r);
  CHECK(replace_invalid_utf8("\xED\xA0\x80") == r + r + r);
  CHECK(replace_invalid_utf8("\xC0\x80") == r + r);
}

}  // namespace
}  // namespace ethos::sarif
