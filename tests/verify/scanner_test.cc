// SPDX-License-Identifier: Apache-2.0
#include "verify/scanner.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/verify/support/shared.h"
#include "verify/json.h"
#include "verify/record.h"

using namespace ethos::verify;

namespace {

bool accepted(const std::string& text, const JsonLimits& limits = kRecordLimits) {
  const bool scanned = Scanner(text, limits).whole_value();
  // Both readers stand on the same steps but walk them on their own: they must agree.
  CHECK(parse_canonical(text, limits).ok() == scanned);
  return scanned;
}

std::string fault_of(const std::string& text) {
  Scanner scan(text, kRecordLimits);
  return scan.whole_value() ? "" : scan.fault();
}

std::string nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += i + 1 == depth ? "{" : "{\"a\":";
  return text + std::string(depth, '}');
}

}  // namespace

TEST_CASE("scanner: the one form is accepted", "[verify]") {
  for (const std::string text :
       {R"({"a":1})", R"({"a":"\u001f","b_2":[true,{}]})", "{\"a\":\"\xc3\xa9/\"}", "{}", R"({"a":0})",
        R"({"a":-9007199254740991})", R"({"a":9007199254740991})", R"({"a":[]})",
        R"({"a":"\"\\\b\t\n\f\r"})", "{\"a\":\"\x7f\"}", "{\"a\":\"\xe2\x80\xa8\"}", R"({"a":false,"b":{"c":[[1]]}})",
        "{\"a\":\"\xf4\x8f\xbf\xbf\"}"}) {
    CAPTURE(text);
    CHECK(accepted(text));
  }
}

TEST_CASE("scanner: each departure is refused for its own reason", "[verify]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"a": 1})", "digit"},
      {R"( {"a":1})", "digit"},
      {R"({"b":1,"a":2})", "ascending"},
      {R"({"a":1,"a":1})", "ascending"},
      {R"({"A":1})", "lower-case"},
      {R"({"a":1.0})", "integers"},
      {R"({"a":1e2})", "integers"},
      {R"({"a":-0})", "-0"},
      {R"({"a":01})", "leading zero"},
      {R"({"a":+1})", "digit"},
      {R"({"a":null})", "null"},
      {R"({"a":"\u001F"})", "escape"},
      {R"({"a":"\u0041"})", "escape"},
      {R"({"a":"\u000a"})", "escape"},
      {R"({"a":"\u0000"})", "U+0000"},
      {R"({"a":"\ud800"})", "escape"},
      {R"({"a":"\/"})", "escape"},
      {R"({"a":9007199254740992})", "2^53"},
      {R"({"a":1}
)", "after the end"},
      {R"({"a":tru})", "another character"},
      {R"({"a":1,})", "another character"},
      {R"({"a":[1,]})", "digit"},
      {"{\"a\":\"\x01\"}", "control"},
      {"{\"a\":\"\xc0\xaf\"}", "UTF-8"},
      {"{\"a\":\"\xed\xa0\x80\"}", "UTF-8"},
      {"{\"a\":\"\xf4\x90\x80\x80\"}", "UTF-8"},
      {"{\"a\":\"\xff\"}", "UTF-8"},
      {"\xef\xbb\xbf{\"a\":1}", "digit"},
      {"", "digit"},
      {"{\"a\":\"", "inside a string"},
      {"{\"abcdefghijklmnopqrstuvwxyz0123456\":1}", "longer than 32"},
      {R"({"a\u0062":1})", "another character"},
  };
  for (const auto& [text, why] : cases) {
    CAPTURE(text);
    CHECK_FALSE(accepted(text));
    CHECK_THAT(fault_of(text), Catch::Contains(why));
  }
}

TEST_CASE("scanner: limits are exact", "[verify]") {
  CHECK(accepted(nested(8)));
  CHECK_FALSE(accepted(nested(9)));
  const auto list = [](std::size_t n) {
    std::string text = "{\"a\":[";
    for (std::size_t i = 0; i < n; ++i) text += i == 0 ? "1" : ",1";
    return text + "]}";
  };
  CHECK(accepted(list(512)));
  CHECK_FALSE(accepted(list(513)));
  const auto long_string = [](std::size_t n) { return "{\"a\":\"" + std::string(n - 8, 'x') + "\"}"; };
  CHECK(accepted(long_string(16384)));
  CHECK_FALSE(accepted(long_string(16385)));
  CHECK(accepted(long_string(16385), kDocumentLimits));
}

TEST_CASE("scanner: a string is read alike at every alignment", "[verify]") {
  // The fast path takes 16 bytes at a time: each special byte at each distance.
  for (std::size_t at = 0; at < 40; ++at) {
    for (const std::string middle : {"\\n", "\xc3\xa9", "\\u0001"}) {
      CHECK(accepted("{\"a\":\"" + std::string(at, 'x') + middle + std::string(40 - at, 'y') + "\"}"));
    }
    for (const std::string& middle : std::vector<std::string>{"\n", "\xc3", "\\x", std::string(1, '\0')}) {
      CHECK_FALSE(accepted("{\"a\":\"" + std::string(at, 'x') + middle + std::string(40 - at, 'y') + "\"}"));
    }
  }
}

TEST_CASE("json: what was read is written back byte for byte", "[verify]") {
  for (const std::string text :
       {R"({"a":[1,-2,true,false,"x"],"b":{"c":"\u0001\n\"\\"}})", "{\"k\":\"\xf0\x9f\x98\x80\"}", "{}"}) {
    const auto value = parse_canonical(text, kRecordLimits);
    REQUIRE(value);
    CHECK(encode_canonical(*value) == text);
  }
}

TEST_CASE("json: what is accepted equals the published canonical form", "[verify][vectors]") {
  const auto dir = ethos::support::vectors("jcs");
  if (!std::filesystem::exists(dir)) {
    WARN("skipped: shared data not present");
    return;
  }
  // These vectors hold floats, nulls and free keys, which records do not have; so an input counts
  // only when it is accepted, and then it must be its own canonical form.
  for (const char* name : {"arrays", "french", "structures", "unicode", "values", "weird"}) {
    const std::string output = ethos::support::slurp(dir / "output" / (std::string(name) + ".json"));
    const std::string input = ethos::support::slurp(dir / "input" / (std::string(name) + ".json"));
    REQUIRE_FALSE(output.empty());
    CAPTURE(name);
    const auto from_output = parse_canonical(output, kDocumentLimits);
    if (from_output) CHECK(encode_canonical(*from_output) == output);
    if (input != output) CHECK_FALSE(parse_canonical(input, kDocumentLimits).ok());
  }
}

TEST_CASE("record: the worked examples are read, and each byte changed is noticed or still in form", "[verify]") {
  const std::string text = ethos::support::slurp(std::string(ETHOS_TEST_DATA) + "/ledger/example.records");
  REQUIRE_FALSE(text.empty());
  std::int64_t seq = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string record = text.substr(at, end - at);
    at = end + 1;
    const RecordScan scan = scan_record(record);
    CAPTURE(record, scan.why);
    REQUIRE(scan.fault == RecordFault::none);
    CHECK(scan.envelope.seq == seq++);
    CHECK(scan.envelope.type != RecordType::unknown);
    CHECK(scan_record(record + "\n").fault == RecordFault::not_canonical);
    CHECK(scan_record(" " + record).fault == RecordFault::not_canonical);
    for (std::size_t cut = 0; cut < record.size(); ++cut) {
      CHECK(scan_record(record.substr(0, cut)).fault == RecordFault::not_canonical);
    }
  }
  CHECK(seq == 6);
}

TEST_CASE("record: an envelope with a key too many, too few or of another type is refused", "[verify]") {
  const std::string good =
      R"({"body":{},"ledger":"a/ethos/aaaqeayeaudaocajbifqydiob4","prev":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",)"
      R"("seq":0,"ts":{"boot":"eaqseizeeutcokbjfivsyljof4","mono_ns":"5","wall_ms":1},"type":"run.open","v":1})";
  REQUIRE(scan_record(good).fault == RecordFault::none);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    return scan_record(text).fault;
  };
  CHECK(with("\"seq\":0,", "") == RecordFault::envelope);
  CHECK(with("\"seq\":0,", "\"seq\":\"0\",") == RecordFault::envelope);
  CHECK(with("\"seq\":0,", "\"seq\":-1,") == RecordFault::envelope);
  CHECK(with("\"v\":1", "\"v\":2") == RecordFault::unknown_version);
  CHECK(with("\"v\":1", "\"v\":1,\"w\":1") == RecordFault::envelope);
  CHECK(with("{\"body\"", "{\"a\":1,\"body\"") == RecordFault::envelope);
  CHECK(with("\"body\":{}", "\"body\":[]") == RecordFault::envelope);
  CHECK(with("AAA=\"", "AAB=\"") == RecordFault::envelope);
  CHECK(with("\"mono_ns\":\"5\"", "\"mono_ns\":\"05\"") == RecordFault::envelope);
  CHECK(with("\"wall_ms\":1", "\"wall_ms\":1,\"x\":1") == RecordFault::envelope);
  CHECK(with("eaqseizeeutcokbjfivsyljof4", "eaqseizeeutcokbjfivsyljof5") == RecordFault::envelope);
  CHECK(with("\"seq\":0,", R"("run":"caireeyuculbogazdinryhi6d4","seq":0,)") == RecordFault::envelope);
  CHECK(with("\"v\":1", "\"v\": 1") == RecordFault::not_canonical);
}
