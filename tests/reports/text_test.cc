// SPDX-License-Identifier: Apache-2.0
#include "reports/text.h"

#include <catch2/catch.hpp>
#include <string>

using namespace ethos::reports;

TEST_CASE("text: what turns lines around or hides is shown as an escape", "[reports]") {
  CHECK(visible("src/a b.c") == "src/a b.c");
  CHECK(visible("r\u202egnp.sh") == "r\\u{202e}gnp.sh");
  CHECK(visible("a\nb\tc\x7f") == "a\\u{a}b\\u{9}c\\u{7f}");
  CHECK(visible("\u2066x\u2069\u200b\u2028\ufeff") ==
        "\\u{2066}x\\u{2069}\\u{200b}\\u{2028}\\u{feff}");
  CHECK(visible("\U000E0041") == "\\u{e0041}");
  CHECK(visible("caf\xe9") == "caf\\xe9");
  CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(visible("\xc0\x80") == "\\xc0\\x80");
  CHECK(visible("größe 漢字") == "größe 漢字");
  CHECK(visible(std::string_view("a\0b", 3)) == "a\\u{0}b");
}

TEST_CASE("text: every code point survives encoding and decoding", "[reports][property]") {
  for (std::uint32_t code = 0; code <= 0x10FFFF; code += (code < 0x1000 ? 1 : 97)) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, code);
    const CodePoint point = decode_utf8(bytes, 0);
    if (!point.valid || point.code != code || point.length != bytes.size()) FAIL(code);
  }
}

TEST_CASE("text: a cut never splits a character", "[reports]") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc…");
  CHECK(shortened("aéb", 2) == "a…");
}

TEST_CASE("text: figures for people", "[reports]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1\u202f234\u202f567");
  CHECK(grouped(-1000) == "-1\u202f000");
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes(std::uint64_t{2} << 30U) == "2 GiB");
  CHECK(human_bytes(~std::uint64_t{0}) == "16 EiB");
  CHECK(human_duration(999) == "999 ms");
  CHECK(human_duration(2300) == "2.3 s");
  CHECK(human_duration(61000) == "1 min 1 s");
  CHECK(human_duration(3720000) == "1 h 2 min");
}

TEST_CASE("text: big numbers of records are read strictly", "[reports]") {
  CHECK(parse_decimal("18446744073709551615") == ~std::uint64_t{0});
  for (const char* bad : {"", "-1", "+1", "1x", " 1", "18446744073709551616"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_decimal(bad).has_value());
  }
}
