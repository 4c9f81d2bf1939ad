// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/record.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "ledger/base/base64.h"
#include "ledger/base/hex.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/commitment.h"
#include "ledger/record/json_document.h"
#include "ledger/record/pin.h"
#include "ledger/record/record_types.h"
#include "tests/support/result_maker.h"
#include "tests/support/temp_dir.h"

using namespace ethos::record;
using ethos::base::Errc;
using ethos::support::code_of;
using ethos::support::read_text;

namespace {

const std::string kData = ETHOS_TEST_DATA "/ledger/";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("record: the worked example is read and written back byte for byte", "[ledger][golden]") {
  const auto records = lines_of(read_text(kData + "example.records"));
  const auto leaves = lines_of(read_text(kData + "example.leaves"));
  REQUIRE(records.size() == 6);
  REQUIRE(leaves.size() == records.size());
  LeafHash previous;
  for (std::size_t i = 0; i < records.size(); ++i) {
    CAPTURE(i);
    auto parsed = parse_record(records[i]);
    REQUIRE(parsed);
    CHECK(parsed->header.seq == i);
    CHECK(parsed->header.prev == previous);
    CHECK(*encode_record(parsed->header, *encode_canonical(parsed->body)) == records[i]);
    auto header = parse_record_header(records[i]);
    REQUIRE(header);
    CHECK(*encode_record(*header, *encode_canonical(parsed->body)) == records[i]);
    previous = leaf_hash(ethos::base::as_bytes(records[i]));
    CHECK(previous.hex() == leaves[i]);
  }
}

TEST_CASE("record: each broken envelope is refused", "[ledger][record]") {
  const std::string good = lines_of(read_text(kData + "example.records"))[1];
  REQUIRE(parse_record(good));
  struct Case {
    const char* from;
    const char* to;
    Errc code;
  };
  for (const Case& c : {
           Case{"\"v\":1", "\"v\":2", Errc::unsupported},
           Case{",\"v\":1", "", Errc::malformed},
           Case{"\"v\":1", "\"v\":\"1\"", Errc::malformed},
           Case{"\"v\":1", "\"v\":1,\"w\":1", Errc::malformed},
           Case{"run.open", "run.opened", Errc::unsupported},
           Case{"run.open", "ledger.upgrade", Errc::unsupported},
           Case{"run.open", "run.close", Errc::malformed},
           Case{"run.open", "ledger.resume", Errc::malformed},
           Case{"\"run_seq\":0", "\"run_seq\":1", Errc::malformed},
           Case{"\"run_seq\":0", "\"run_seq\":-1", Errc::malformed},
           Case{"\"run_seq\":0,", "", Errc::malformed},
           Case{"\"seq\":1", "\"seq\":\"1\"", Errc::malformed},
           Case{"\"seq\":1", "\"seq\":0", Errc::malformed},
           Case{"\"prev\":\"rrx9", "\"prev\":\"rrx", Errc::malformed},
           Case{"K5U=\"", "K5V=\"", Errc::malformed},
           Case{"\"run\":\"caireeyuculbogazdinryhi6d4\"", "\"run\":\"caireeyuculbogazdinryhi6d5\"",
                Errc::malformed},
           Case{"\"run\":\"caireeyuculbogazdinryhi6d4\"", "\"run\":7", Errc::malformed},
           Case{"\"mono_ns\":\"5000000001\"", "\"mono_ns\":\"05000000001\"", Errc::malformed},
           Case{"\"mono_ns\":\"5000000001\"", "\"mono_ns\":5000000001", Errc::malformed},
           Case{"\"mono_ns\":\"5000000001\"", "\"mono_ns\":\"18446744073709551616\"",
                Errc::malformed},
           Case{"\"mono_ns\":\"5000000001\"", "\"mono_ns\":\"-1\"", Errc::malformed},
           Case{"\"wall_ms\":1790000000001", "\"wall_ms\":-1", Errc::malformed},
           Case{"\"wall_ms\":1790000000001", "\"wall_ms\":1,\"x\":1", Errc::malformed},
           Case{"\"boot\":\"eaqseizeeutcokbjfivsyljof4\"", "\"boot\":\"eaqs\"", Errc::malformed},
           Case{"/ethos/aaaq", "/other/aaaq", Errc::malformed},
           Case{"\"body\":{", "\"body\":[],\"c\":{", Errc::malformed},
           Case{"\"body\":{", "\"body\": {", Errc::malformed},
       }) {
    CAPTURE(c.from, c.to);
    CHECK(code_of(parse_record(replaced(good, c.from, c.to))) == c.code);
    CHECK(code_of(parse_record_header(replaced(good, c.from, c.to))) == c.code);
  }
  CHECK_FALSE(parse_record(good + "\n"));
  CHECK_FALSE(parse_record_header(good + "\n"));
  CHECK_FALSE(parse_record_header(good.substr(0, good.size() - 1)));
  CHECK_FALSE(parse_record(good.substr(0, good.size() - 1)));
}

TEST_CASE("record: a body cannot smuggle envelope keys, break the profile or grow too long",
          "[ledger][record]") {
  RecordHeader header{*Origin::from_text("a/ethos/aaaqeayeaudaocajbifqydiob4"),
                      1,
                      {},
                      "ledger.resume",
                      std::nullopt,
                      {}};
  REQUIRE(encode_record(header, "{}"));
  for (const char* body :
       {"", "[]", "{},\"c\":{}", "{}}", "{\"b\":1,\"a\":1}", "{ }", "null", "{\"a\":null}"}) {
    CAPTURE(body);
    CHECK_FALSE(encode_record(header, body));
  }
  CHECK(code_of(encode_record(header, "{\"a\":\"" + std::string(16200, 'x') + "\"}")) ==
        Errc::too_large);
  header.type = "ledger.upgrade";
  CHECK(code_of(encode_record(header, "{}")) == Errc::unsupported);
  header.type = "ledger.genesis";
  CHECK(code_of(encode_record(header, "{}")) == Errc::malformed);
}

TEST_CASE("record: types are known, reserved or unknown", "[ledger][record]") {
  CHECK(type_status("run.open") == TypeStatus::known);
  CHECK(type_status("ledger.prune") == TypeStatus::known);
  CHECK(type_status("run.opening") == TypeStatus::unknown);
  CHECK(type_status("") == TypeStatus::unknown);
  CHECK(may_follow_end("sarif.written"));
  CHECK_FALSE(may_follow_end("run.gap"));
}

TEST_CASE("record: a clock step of more than two seconds is seen", "[ledger][record]") {
  ethos::base::Timestamp a{{}, 1'000'000'000, 1'000'000};
  const auto later = [&](std::int64_t mono_ms, std::int64_t wall_ms) {
    ethos::base::Timestamp b = a;
    b.mono_ns += static_cast<std::uint64_t>(mono_ms) * 1'000'000;
    b.wall_ms += wall_ms;
    return clock_step_ms(a, b);
  };
  CHECK_FALSE(later(5000, 5000));
  CHECK_FALSE(later(5000, 7000));
  CHECK(later(5000, 7001) == 2001);
  CHECK_FALSE(later(0, -2000));
  CHECK(later(0, -2001) == -2001);
  ethos::base::Timestamp other_boot = a;
  other_boot.boot[0] = std::byte{1};
  other_boot.mono_ns = 5;
  other_boot.wall_ms = a.wall_ms + 86'400'000;
  CHECK_FALSE(clock_step_ms(a, other_boot));
  other_boot.wall_ms = a.wall_ms - 3000;
  CHECK(clock_step_ms(a, other_boot) == -3000);
}

TEST_CASE("ids: origins and run ids in their one form", "[ledger][record]") {
  CHECK(Origin::from_text("ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4")->name() ==
        "ci.example.com");
  CHECK(Origin::from_text("a/ethos/b/ethos/aaaqeayeaudaocajbifqydiob4")->name() == "a/ethos/b");
  for (const char* bad :
       {"", "ci/ethos/", "/ethos/aaaqeayeaudaocajbifqydiob4", "ci/aaaqeayeaudaocajbifqydiob4",
        "ci/ethos/aaaqeayeaudaocajbifqydiob5", "ci/ethos/aaaqeayeaudaocajbifqydiob",
        "ci/ethos/AAAQEAYEAUDAOCAJBIFQYDIOB4", "c i/ethos/aaaqeayeaudaocajbifqydiob4",
        "c+i/ethos/aaaqeayeaudaocajbifqydiob4", "-ci/ethos/aaaqeayeaudaocajbifqydiob4",
        "ci/ethos/aaaqeayeaudaocajbifqydiob4\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(Origin::from_text(bad));
  }
  CHECK_FALSE(is_origin_name(std::string(129, 'a')));
  CHECK(is_origin_name(std::string(128, 'a')));
  const RunId a = RunId::random();
  CHECK(RunId::from_text(a.text()));
  CHECK_FALSE(a == RunId::random());
  CHECK_FALSE(RunId::from_text("../../etc/passwd"));
}

TEST_CASE("digest: hex, base64 and sha256: text, each strict", "[ledger][record]") {
  const Digest abc = sha256(ethos::base::as_bytes("abc"));
  CHECK(abc.hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(*Digest::from_hex(abc.hex()) == abc);
  CHECK(*Digest::from_base64(abc.base64()) == abc);
  CHECK(*Digest::from_text(abc.text()) == abc);
  CHECK(sha256({ethos::base::as_bytes("a"), ethos::base::as_bytes("bc")}) == abc);
  CHECK_FALSE(Digest::from_text("SHA256:" + abc.hex()));
  CHECK_FALSE(Digest::from_hex(abc.hex() + "00"));
  CHECK_FALSE(Digest::from_base64("AAAA"));
}

TEST_CASE("commitment: the published vectors, and what opens it", "[ledger][golden]") {
  auto vectors = parse_document(read_text(kData + "commitment.json"));
  REQUIRE(vectors);
  REQUIRE(vectors->items().size() == 4);
  for (const Json& vector : vectors->items()) {
    auto salt_bytes = ethos::base::decode_hex(*vector.find_string("salt"));
    auto bytes = ethos::base::decode_hex(*vector.find_string("bytes"));
    REQUIRE(salt_bytes);
    REQUIRE(bytes);
    Salt salt{};
    std::copy(salt_bytes->begin(), salt_bytes->end(), salt.begin());
    const Digest c = commitment_digest(salt, *bytes);
    CHECK(c.base64() == *vector.find_string("c"));
    CHECK(sha256({commitment_prefix(salt, bytes->size()), *bytes}) == c);
    Disclosure d{{c, "argv", bytes->size()}, salt, ethos::base::to_string(*bytes)};
    CHECK(opens(d));
    d.bytes += "x";
    CHECK_FALSE(opens(d));
    d.commitment.size += 1;
    CHECK_FALSE(opens(d));
  }
  auto one = commit_to("argv", "same");
  auto two = commit_to("argv", "same");
  REQUIRE(one);
  CHECK(opens(*one));
  CHECK_FALSE(one->commitment.c == two->commitment.c);
  CHECK(*Commitment::from_json(one->commitment.to_json()) == one->commitment);
  CHECK_FALSE(commit_to("Bad Kind", ""));
  CHECK_FALSE(Commitment::from_json(one->commitment.to_json().set("x", 1)));
  CHECK_FALSE(Commitment::from_json(Json::object().set("c", "x").set("kind", "argv").set("n", 1)));
  CHECK_FALSE(Commitment::from_json(Json("text")));
}

TEST_CASE("pin: the worked example, and each way to spoil it", "[ledger][golden]") {
  for (const char* name : {"example.pin", "example.pin-min"}) {
    const std::string text = read_text(kData + name);
    auto pin = parse_pin(text);
    REQUIRE(pin);
    CHECK(encode_pin(*pin) == text);
    CHECK(pin_fingerprint(*pin) == "abkvmfilbp5qiag3enys");
    CHECK(parse_pin(text.substr(0, text.size() - 1)));
    CHECK_FALSE(parse_pin(text + "\n"));
    CHECK(code_of(parse_pin(replaced(text, "\"v\":1", "\"v\":3"))) == Errc::unsupported);
    CHECK_FALSE(parse_pin(replaced(text, "\"v\":1", "\"v\":2")));
    CHECK(code_of(parse_pin(replaced(text, "abkv", "abkw"))) == Errc::mismatch);
    CHECK(code_of(parse_pin(replaced(text, "rrx9", "rrx8"))) == Errc::mismatch);
    CHECK_FALSE(parse_pin(replaced(text, "\"v\":1", "\"v\":1,\"w\":1")));
    CHECK_FALSE(parse_pin(replaced(text, "{\"finger", "{ \"finger")));
    CHECK_FALSE(parse_pin(replaced(text, "/root+62c4", "/root+62c5")));
  }
  const std::string with_min = read_text(kData + "example.pin-min");
  CHECK(parse_pin(with_min)->minimum->size == 3);
  CHECK_FALSE(parse_pin(replaced(with_min, "\"size\":3", "\"size\":0")));
  CHECK_FALSE(parse_pin(replaced(with_min, "\"size\":3", "\"size\":3,\"x\":1")));
  CHECK_FALSE(parse_pin(replaced(with_min, "\"min\":{", "\"max\":{")));
  // Version 2: what may never be dropped, and the seal.
  Pin marked = *parse_pin(with_min);
  auto& kept = marked.minimum->kept;
  kept = std::decay_t<decltype(*kept)>{};  // clang 14 has no emplace() for it
  marked.minimum->kept->add(0);
  marked.minimum->kept->add(17);
  marked.minimum->is_sealed = true;
  const std::string text = encode_pin(marked);
  CHECK(text.find("\"kept\":{\"list\":\"") != std::string::npos);
  REQUIRE(parse_pin(text));
  CHECK(*parse_pin(text)->minimum == *marked.minimum);
  CHECK_FALSE(parse_pin(replaced(text, "\"v\":2", "\"v\":1")));
  CHECK_FALSE(parse_pin(replaced(text, "\"sealed\":true", "\"sealed\":false")));
  CHECK_FALSE(parse_pin(replaced(text, "\"records\":2", "\"records\":0")));
  CHECK_FALSE(parse_pin(replaced(text, "\"records\":2", "\"records\":2,\"x\":1")));
}

TEST_CASE("record: the writer that the service attests", "[ledger][record]") {
  RecordHeader header{*Origin::from_text("a/ethos/aaaqeayeaudaocajbifqydiob4"),
                      1,
                      {},
                      "run.open",
                      RunLink{RunId::random(), 0, {}},
                      {},
                      Writer{sha256(ethos::base::as_bytes("program")), 100, 4242, 1000}};
  auto bytes = encode_record(header, "{}");
  REQUIRE(bytes);
  CHECK(bytes->ends_with(R"(","v":1,"writer":{"exe":"sha256:)" + header.writer->exe->hex() +
                         R"(","gid":100,"pid":4242,"uid":1000}})"));
  auto parsed = parse_record(*bytes);
  REQUIRE(parsed);
  CHECK(parsed->header.writer == header.writer);
  header.writer->has_service_cage = true;
  auto caged = encode_record(header, "{}");
  REQUIRE(caged);
  CHECK(caged->find(R"("writer":{"cage":true,"exe":"sha256:)") != std::string::npos);
  CHECK(parse_record(*caged)->header.writer == header.writer);
  for (const char* value : {"false", "1", "\"true\"", "{}"}) {
    CAPTURE(value);
    CHECK(code_of(parse_record(replaced(*caged, "\"cage\":true",
                                        std::string("\"cage\":") + value))) == Errc::malformed);
  }
  header.writer->has_service_cage = false;
  header.writer->exe.reset();
  auto without = encode_record(header, "{}");
  REQUIRE(without);
  CHECK(parse_record(*without)->header.writer == header.writer);
  const std::pair<const char*, const char*> bad[] = {
      {"\"gid\":100,", ""},
      {"\"gid\":100", "\"gid\":-1"},
      {"4242", "4294967296"},
      {"4242", "\"4242\""},
      {"\"uid\":1000", "\"x\":1"},
      {"\"uid\":1000", "\"uid\":1000,\"z\":1"},
      {"{\"gid\":100,\"pid\":4242,\"uid\":1000}", "7"},
      {"{\"gid\"", "{\"exe\":\"sha256:00\",\"gid\""},
  };
  for (const auto& [from, to] : bad) {
    CAPTURE(from, to);
    CHECK(code_of(parse_record(replaced(*without, from, to))) == Errc::malformed);
  }
}
