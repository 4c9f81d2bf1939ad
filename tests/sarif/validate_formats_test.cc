// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "sarif/validate/formats.h"
#include "sarif/validate/item_digest.h"
#include "sarif/validate/number.h"
#include "sarif/validate/placeholders.h"
#include "sarif/validate/safe_text.h"
#include "sarif/validate/times.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif::validation {
namespace {

TEST_CASE("validate: absolute URIs and references by RFC 3986", "[sarif][validate]") {
  for (const char* good : {"http://a", "file:///a/b", "urn:x:y", "http://[::1]:80/a?b#c", "a:/",
                           "http://u@h:1/", "x://[v1.a]/", "http://[1:2:3:4:5:6:1.2.3.4]"}) {
    CAPTURE(good);
    CHECK(is_absolute_uri(good));
    CHECK(is_uri_reference(good));
  }
  for (const char* relative :
       {"", "a", "a/b.c", "/a", "//h/p", "#f", "?q", "a%20b", "..", "a:b@c", "\"quoted\""}) {
    CAPTURE(relative);
    CHECK_FALSE(is_absolute_uri(std::string("") + relative + " "));
    CHECK(is_uri_reference(relative));
  }
  for (const char* bad : {"a b", "a\\b", "caf\xC3\xA9", "%", "%2", "%zz", "a#b#c", "[x]",
                          "http://[::1", "http://[1::2::3]", "http://[12345::]", "http://a[::1]",
                          "a|b", "a<b", "a\nb", "http://[1:2:3:4:5:6:7]", "http://[v.a]"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_absolute_uri(bad));
    CHECK_FALSE(is_uri_reference(bad));
  }
  CHECK_FALSE(is_absolute_uri("http:"));
  CHECK(is_uri_reference("http:"));
}

TEST_CASE("validate: times with a zone by RFC 3339", "[sarif][validate]") {
  for (const char* good :
       {"2024-02-29T00:00:00Z", "2024-01-01t23:59:59.123+05:30", "2024-01-01 00:00:00z",
        "2016-12-31T23:59:60Z", "2017-01-01T05:29:60+05:30", "2024-01-01T00:00:00+01"}) {
    CAPTURE(good);
    CHECK(is_date_time(good));
  }
  for (const char* bad : {"2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-01-01T00:00:00",
                          "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:60Z",
                          "2024-01-01T00:00:00.Z", "2024-01-01", "", "2024-01-01T00:00:00+24:00",
                          "2024-01-01T00:00:00Zx", "24-01-01T00:00:00Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_date_time(bad));
  }
  CHECK(is_before("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.001Z"));
  CHECK(is_before("2024-01-01T01:00:00+02:00", "2024-01-01T00:00:00Z"));
  CHECK(is_before("2024-01-01T00:00:00Z", "2024-01-01T00:00:00-0030"));
  CHECK_FALSE(is_before("2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00Z"));
  CHECK_FALSE(is_before("never", "2024-01-01T00:00:00Z"));
}

TEST_CASE("validate: UUIDs of version 1 to 5 only", "[sarif][validate]") {
  CHECK(is_guid("11111111-1111-1111-8888-111111111111"));
  CHECK(is_guid("ABCDEF01-2345-4789-bBcD-0123456789aB"));
  for (const char* bad :
       {"11111111-1111-7111-8888-111111111111",  // version 7
        "11111111-1111-4111-7888-111111111111", "", "1111", "11111111-1111-4111-8888-11111111111g",
        "11111111x1111-4111-8888-111111111111"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_guid(bad));
  }
}

TEST_CASE("validate: languages, MIME types and versions in four parts", "[sarif][validate]") {
  CHECK(has_format("en", Format::language));
  CHECK(has_format("en-US", Format::language));
  CHECK_FALSE(has_format("eng", Format::language));
  CHECK_FALSE(has_format("en_US", Format::language));
  CHECK(has_format("text/plain", Format::mime_type));
  CHECK_FALSE(has_format("text", Format::mime_type));
  CHECK_FALSE(has_format("/plain", Format::mime_type));
  CHECK_FALSE(has_format("text/", Format::mime_type));
  CHECK_FALSE(has_format("text/\n", Format::mime_type));
  CHECK(has_format("v1.2.3.4-beta", Format::dotted_quad));
  CHECK_FALSE(has_format("1.2.3", Format::dotted_quad));
  CHECK_FALSE(has_format("1..2.3.4.", Format::dotted_quad));
}

TEST_CASE("validate: numbers are judged by value, in any spelling", "[sarif][validate]") {
  CHECK(is_whole(double_from_token("1.0")));
  CHECK(is_whole(double_from_token("1e3")));
  CHECK(is_whole(double_from_token("18446744073709551615")));
  CHECK_FALSE(is_whole(double_from_token("1.5")));
  CHECK_FALSE(is_whole(double_from_token("1e400")));
  CHECK(double_from_token("-1e400") == -std::numeric_limits<double>::infinity());
  CHECK(double_from_token("1e-400") == 0);
  CHECK(double_from_token("0." + std::string(400, '0') + "1") == 0);
  CHECK(double_from_token("1e99999999999999999999") == std::numeric_limits<double>::infinity());
  CHECK(integer_from_token("10") == 10);
  CHECK(integer_from_token("1e1") == 10);
  CHECK_FALSE(integer_from_token("1.5").has_value());
  CHECK_FALSE(integer_from_token("18446744073709551615").has_value());
  CHECK(integer_from_token("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("validate: equal JSON values have equal digests", "[sarif][validate]") {
  const ItemHasher hasher;
  CHECK(hasher.number(1) == hasher.number(double_from_token("1.0")));
  CHECK(hasher.number(0) == hasher.number(-0.0));
  CHECK_FALSE(hasher.text("1") == hasher.number(1));
  CHECK_FALSE(hasher.text("") == hasher.text(std::string(1, '\0')));
  const ItemDigest a = hasher.member(hasher.text("a"), hasher.number(1));
  const ItemDigest b = hasher.member(hasher.text("b"), hasher.number(2));
  CHECK(hasher.object(ItemHasher::add(a, b), 2) == hasher.object(ItemHasher::add(b, a), 2));
  const ItemDigest one = hasher.element({}, hasher.number(1));
  const ItemDigest two = hasher.element({}, hasher.number(2));
  CHECK_FALSE(hasher.element(one, hasher.number(2)) == hasher.element(two, hasher.number(1)));
  DigestSet set;
  for (int i = 0; i < 10000; ++i) CHECK(set.insert(hasher.number(i)));
  for (int i = 0; i < 10000; ++i) CHECK_FALSE(set.insert(hasher.number(i)));
  CHECK(set.size() == 10000);
  set.clear();
  CHECK(set.insert(hasher.number(1)));
}

TEST_CASE("validate: placeholders, links and words in messages", "[sarif][validate]") {
  CHECK(arguments_wanted("no {x} here, {{0}} is text, {} too") == 0);
  CHECK(arguments_wanted("{0} and {2}") == 3);
  CHECK(arguments_wanted("{-1}{99999999999999999999}{") == 0);
  CHECK(linked_ids("[a](1), [b](http://x), \\[c\\](2), [d](34)") ==
        std::vector<std::int64_t>{1, 34});
  CHECK(linked_ids("](1)").empty());
  CHECK(linked_ids("\\[a](1), a](2), \\\\[b](3)") == std::vector<std::int64_t>{3});
  CHECK_FALSE(has_words(" \n\t"));
  CHECK(character_count("caf\xC3\xA9") == 4);
}

TEST_CASE("validate: parts of a URI", "[sarif][validate]") {
  CHECK(split_uri("FILE:///a/../b").is_file());
  CHECK(split_uri("file:///a/%2E./b").has_dots());
  CHECK_FALSE(split_uri("a..b/...").has_dots());
  CHECK(split_uri("/a").is_rooted());
  CHECK(split_uri("//h/a").is_rooted());
  CHECK_FALSE(split_uri("c:/a").is_rooted());
  CHECK(split_uri("c:/a").scheme == "c");
  CHECK(split_uri("a/b:c").scheme.empty());
}

TEST_CASE("validate: what a file says cannot reach the terminal", "[sarif][validate]") {
  CHECK(safe_text("a\x1B[2Jb\n") == "a\\u{1b}[2Jb\\u{a}");
  CHECK(safe_text("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(safe_text("\xC2\x9B"
                  "31m") == "\\u{9b}31m");
  CHECK(safe_text("a\xE2\x80\xAE"
                  "b") == "a\\u{202e}b");
  CHECK(safe_text("\xFF") == "\\x{ff}");
  CHECK(safe_json_string("a\x1B\"\xE2\x80\xAE") == "\"a\\u001b\\\"\\u202e\"");
  CHECK(safe_json_string("\xF3\xA0\x80\x81") == "\"\\udb40\\udc01\"");
}

}  // namespace
}  // namespace ethos::sarif::validation
