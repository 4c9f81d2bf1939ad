// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <string>

#include "ledger/record/canonical_json.h"
#include "ledger/record/json_document.h"
#include "tests/support/result_maker.h"
#include "tests/support/temp_dir.h"

using namespace ethos::record;
using ethos::base::Errc;
using ethos::support::code_of;

TEST_CASE("ethos-json/1: good bytes are accepted and written back the same", "[ledger][json]") {
  for (const char* good :
       {"{}", R"({"a":1})", R"({"a":"\u001f","b_2":[true,{}]})", "{\"a\":\"\xC3\xA9/\"}",
        R"({"a":-9007199254740991,"b":9007199254740991,"c":0,"d":-1})",
        R"({"a":"\"\\\b\t\n\f\r\u0001\u000b\u000e"})",
        "{\"a\":\"\x7F\xE2\x80\xA8\xF4\x8F\xBF\xBF\"}",
        R"({"a":[],"a0":[[]],"a_":[{"b":{}}],"aa":""})",
        R"({"abcdefghijklmnopqrstuvwxyz012345":false})", R"({"a":1000000000000000})"}) {
    CAPTURE(good);
    CHECK(check_canonical(good));
    auto value = parse_canonical(good);
    REQUIRE(value);
    auto again = encode_canonical(*value);
    REQUIRE(again);
    CHECK(*again == good);
  }
}

TEST_CASE("ethos-json/1: anything but the one form is refused", "[ledger][json]") {
  const std::string too_deep = R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}})"
                               "}";
  for (const std::string& bad : {
           std::string(""),
           std::string("{"),
           std::string("}"),
           std::string("[1]"),
           std::string("1"),
           std::string("\"a\""),
           std::string(R"({"a": 1})"),
           std::string(R"( {"a":1})"),
           std::string("{\"a\":1}\n"),
           std::string(R"({"a":1} )"),
           std::string("\xEF\xBB\xBF{}"),
           std::string(R"({"b":1,"a":2})"),
           std::string(R"({"a":1,"a":1})"),
           std::string(R"({"A":1})"),
           std::string(R"({"":1})"),
           std::string(R"({"1a":1})"),
           std::string(R"({"_a":1})"),
           std::string(R"({"a-b":1})"),
           std::string(R"({"abcdefghijklmnopqrstuvwxyz0123456":1})"),
           std::string(R"({"a":1.0})"),
           std::string(R"({"a":1e2})"),
           std::string(R"({"a":-0})"),
           std::string(R"({"a":01})"),
           std::string(R"({"a":+1})"),
           std::string(R"({"a":-})"),
           std::string(R"({"a":null})"),
           std::string(R"({"a":True})"),
           std::string(R"({"a":tru})"),
           std::string(R"({"a":9007199254740992})"),
           std::string(R"({"a":-9007199254740992})"),
           std::string(R"({"a":99999999999999999999})"),
           std::string(R"({"a":"\u001F"})"),
           std::string(R"({"a":"\/"})"),
           std::string(R"({"a":"\u0041"})"),
           std::string(R"({"a":"\u000a"})"),
           std::string(R"({"a":"\u0000"})"),
           std::string(R"({"a":"\u0008"})"),
           std::string(R"({"a":"\u007f"})"),
           std::string(R"({"a":"\u00e9"})"),
           std::string(R"({"a":"\ud800"})"),
           std::string(R"({"a":"\x"})"),
           std::string(R"({"a":"\)"),
           std::string(R"({"a":"\u00)"),
           std::string("{\"a\":\"\n\"}"),
           std::string("{\"a\":\"\0\"}", 9),
           std::string("{\"a\":\"\xC0\x80\"}"),
           std::string("{\"a\":\"\xED\xA0\x80\"}"),
           std::string("{\"a\":\"\xF4\x90\x80\x80\"}"),
           std::string("{\"a\":\"\xC3\"}"),
           std::string("{\"a\":\"\xE2\x82\"}"),
           std::string("{\"a\":\"\xFF\"}"),
           std::string("{\"\xC3\xA9\":1}"),
           std::string(R"({"\u0061":1})"),
           std::string(R"({"a":1,})"),
           std::string(R"({"a":[1,]})"),
           std::string(R"({"a":[,1]})"),
           std::string(R"({,"a":1})"),
           std::string(R"({"a":[1 2]})"),
           std::string(R"({"a"})"),
           std::string(R"({"a":})"),
           std::string(R"({"a":1)"),
           std::string(R"({"a":[1)"),
           std::string(R"({"a":"x)"),
           std::string(R"({"a":1}{"a":1})"),
           std::string(R"({"a":[1]]})"),
           too_deep,
       }) {
    CAPTURE(bad);
    CHECK_FALSE(check_canonical(bad));
    CHECK_FALSE(parse_canonical(bad));
  }
}

TEST_CASE("ethos-json/1: limits hold at their edge", "[ledger][json]") {
  const auto deep = [](int depth) {
    std::string out;
    for (int i = 0; i < depth; ++i) out += R"({"a":)";
    out += "1" + std::string(static_cast<std::size_t>(depth), '}');
    return out;
  };
  CHECK(check_canonical(deep(8)));
  CHECK(code_of(check_canonical(deep(9))) == Errc::too_large);
  const auto wide = [](int count) {
    std::string out = R"({"a":[)";
    for (int i = 0; i < count; ++i) out += i == 0 ? "1" : ",1";
    return out + "]}";
  };
  CHECK(check_canonical(wide(512)));
  CHECK(code_of(check_canonical(wide(513))) == Errc::too_large);
  const auto sized = [](std::size_t bytes) {
    return R"({"a":")" + std::string(bytes - 8, 'x') + "\"}";
  };
  CHECK(check_canonical(sized(16384)));
  CHECK(code_of(check_canonical(sized(16385))) == Errc::too_large);
  // The same from the other side.
  auto big = Json::object().set("a", std::string(16384, 'x'));
  CHECK(code_of(encode_canonical(big)) == Errc::too_large);
  CHECK(encode_canonical(big, kDocumentLimits));
}

TEST_CASE("ethos-json/1: values without a form are refused by the writer", "[ledger][json]") {
  CHECK(code_of(encode_canonical(Json::object().set("a", Json()))) == Errc::malformed);
  CHECK(code_of(encode_canonical(Json::object().set("a", Json::real(1.5)))) == Errc::malformed);
  CHECK(code_of(encode_canonical(Json::object().set("a", kMaxInteger + 1))) == Errc::malformed);
  CHECK(code_of(encode_canonical(Json::object().set("A", 1))) == Errc::malformed);
  CHECK(code_of(encode_canonical(Json::object().set("a", "\xFF"))) == Errc::malformed);
  CHECK(code_of(encode_canonical(Json::object().set("a", std::string(1, '\0')))) ==
        Errc::malformed);
  CHECK(*encode_canonical(Json::object().set("b", 1).set("a", Json::array().push(true))) ==
        R"({"a":[true],"b":1})");
}

namespace {

Json random_json(std::mt19937& rng, int depth) {
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(rng() % n); };
  const unsigned kind = depth >= 7 ? pick(3) : pick(5);
  if (kind == 0) return Json(pick(2) == 0);
  if (kind == 1) return Json(static_cast<std::int64_t>(rng()) * (pick(2) == 0 ? 1 : -1));
  if (kind == 2) {
    std::string text;
    const char* pieces[] = {"a", "\n",  "\x01", "\"", "\\", "\xC3\xA9", "\xF0\x9F\x98\x80",
                            "/", "\x7F"};
    for (unsigned i = pick(6); i > 0; --i) text += pieces[pick(9)];
    return Json(text);
  }
  Json out = kind == 3 ? Json::array() : Json::object();
  for (unsigned i = pick(4); i > 0; --i) {
    if (kind == 3) {
      out.push(random_json(rng, depth + 1));
    } else {
      const std::string key = std::string(1, static_cast<char>('a' + pick(26))) + std::to_string(i);
      if (out.find(key) == nullptr) out.set(key, random_json(rng, depth + 1));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("ethos-json/1: what is written is read back equal, and by the document parser too",
          "[ledger][json][property]") {
  const auto seed = GENERATE(take(200, random(0, 1'000'000)));
  CAPTURE(seed);
  std::mt19937 rng(static_cast<unsigned>(seed));
  const Json value = Json::object().set("v", random_json(rng, 2));
  auto bytes = encode_canonical(value);
  REQUIRE(bytes);
  CHECK(check_canonical(*bytes));
  CHECK(*parse_canonical(*bytes) == value);
  CHECK(*parse_document(*bytes) == value);
  // One byte changed: refused, or another value; never the same.
  std::string changed = *bytes;
  const std::size_t at = rng() % changed.size();
  changed[at] = static_cast<char>(changed[at] ^ static_cast<char>(1U << (rng() % 7)));
  if (changed != *bytes) {
    auto other = parse_canonical(changed);
    if (other) {
      CHECK_FALSE(*other == value);
      CHECK(*encode_canonical(*other) == changed);
    }
  }
}

TEST_CASE("document: ordinary JSON with its lines", "[ledger][json]") {
  auto doc =
      parse_document("{\n  \"a\": [1, 2.5, null],\n  \"b\": \"\\ud83d\\ude00\\u00e9\\/\"\n}\n");
  REQUIRE(doc);
  CHECK(doc->find("a")->line() == 2);
  CHECK(doc->find("b")->line() == 3);
  CHECK(doc->find("a")->items()[1].as_real() == 2.5);
  CHECK(*doc->find_string("b") == "\xF0\x9F\x98\x80\xC3\xA9/");
  CHECK(parse_document("-9223372036854775808")->as_integer() ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(parse_document("9223372036854775808")->is(Json::Kind::real));
}

TEST_CASE("document: bad JSON is refused with its line", "[ledger][json]") {
  for (const std::string& bad : {std::string(""),
                                 std::string("{"),
                                 std::string("[1,]"),
                                 std::string("{\"a\":1,}"),
                                 std::string("01"),
                                 std::string("1."),
                                 std::string(".5"),
                                 std::string("+1"),
                                 std::string("1e"),
                                 std::string("1e999"),
                                 std::string("nul"),
                                 std::string("'a'"),
                                 std::string("{a:1}"),
                                 std::string("\"\\ud800\""),
                                 std::string("\"\\udc00\""),
                                 std::string("\"\\ud800\\u0041\""),
                                 std::string("\"\\u0000\""),
                                 std::string("\"\\u12\""),
                                 std::string("\"\\u 123\""),
                                 std::string("\"\\u-123\""),
                                 std::string("\"\\x\""),
                                 std::string("\"a\nb\""),
                                 std::string("\"\xFF\""),
                                 std::string("\xEF\xBB\xBF{}"),
                                 std::string("1 2"),
                                 std::string("{\"a\":1,\"a\":2}"),
                                 std::string("{\"a\":1,\"\\u0061\":2}"),
                                 std::string("// c\n1"),
                                 std::string("[1] // c"),
                                 std::string("NaN"),
                                 std::string("\"abc"),
                                 std::string("[[["),
                                 std::string("-")}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_document(bad));
  }
  CHECK(parse_document("{\n\"a\":1,\n\"a\":2}").error().what.starts_with("line 3: "));
  CHECK(code_of(parse_document(std::string(17, '[') + std::string(17, ']'))) == Errc::too_large);
  CHECK(parse_document(std::string(16, '[') + std::string(16, ']')));
  CHECK(code_of(parse_document("\"" + std::string(256 * 1024, 'x') + "\"")) == Errc::too_large);
}

TEST_CASE("document: comments and nothing else beyond JSON in a declaration", "[ledger][json]") {
  auto doc =
      parse_document("// first\n{ /* two\nlines */ \"a\": 1 /**/ } // end", kCommentedDocument);
  REQUIRE(doc);
  CHECK(doc->find("a")->line() == 3);
  for (const char* bad : {"{\"a\":1,}", "{\"a\":1.5}", "{\"a\":null}", "{} /* open", "{} /", "{} #",
                          "{} /*/", "{\"a\":12345678901234567890}"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_document(bad, kCommentedDocument));
  }
}

TEST_CASE("document: deep and long input ends quickly", "[ledger][json]") {
  CHECK_FALSE(parse_document(std::string(200'000, '[')));
  CHECK_FALSE(parse_document(std::string(200'000, '{')));
  std::string keys = "{";
  for (int i = 0; i < 20'000; ++i) keys += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  CHECK(parse_document(keys + "}"));
}

TEST_CASE("jcs: accepted bytes equal their RFC 8785 form", "[ledger][json][vectors]") {
  const std::string shared = ethos::support::shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  // The official outputs: those inside the profile must be accepted and come back byte for byte;
  // those outside (fractions, null, other keys) must be refused. Both kinds must have been seen.
  int inside = 0;
  int outside = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared + "/vectors/jcs/output")) {
    const std::string bytes = ethos::support::read_text(entry.path().string());
    CAPTURE(entry.path().string());
    auto value = parse_canonical(bytes, kDocumentLimits);
    if (value) {
      ++inside;
      CHECK(*encode_canonical(*value, kDocumentLimits) == bytes);
    } else {
      ++outside;
    }
    // String escaping is the same everywhere: the values of all vectors, under a legal key.
    auto doc = parse_document(bytes);
    REQUIRE(doc);
    if (!doc->is(Json::Kind::object)) continue;
    for (const JsonMember& member : doc->members()) {
      if (!member.value.is(Json::Kind::string)) continue;
      std::string expected;
      append_json_string(expected, member.value.as_string());
      CHECK(bytes.find(expected) != std::string::npos);
      std::string key;
      append_json_string(key, member.key);
      CHECK(bytes.find(key + ":") != std::string::npos);
    }
  }
  CHECK(outside >= 3);
  CHECK(inside + outside == 6);
}
