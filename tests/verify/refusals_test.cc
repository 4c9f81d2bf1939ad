// SPDX-License-Identifier: Apache-2.0
// What a verifier must refuse of notes and archives, one fault at a time, each made from a good one.
#include <sodium.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"
#include "verify/archive.h"
#include "verify/note.h"
#include "verify/vkey.h"

using namespace ethos::support;
using namespace ethos::verify;

namespace {

constexpr std::size_t kBlock = 512;

const std::string kText = "ci.example.com/log\n3\n+g+ynpdWs99V94wB/oGVew+3BMzK9DJXwZPmt521Zgg=\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

NoteVerdict judge(const std::string& note, const std::vector<Vkey>& keys) {
  std::vector<Vkey> signers;
  const auto parsed = parse_note(note);
  REQUIRE(parsed);
  return verify_note(*parsed, keys, signers);
}

// A header as `change` makes it, with the sum of its bytes put right again.
std::string header_of(const std::string& name, std::uint64_t size, const std::function<void(std::string&)>& change) {
  std::string out = ustar_header(name, size);
  change(out);
  out.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : out) sum += static_cast<unsigned char>(c);
  char digits[8] = {};
  std::snprintf(digits, sizeof digits, "%06o", sum);
  out.replace(148, 6, digits, 6);
  out[154] = '\0';
  return out;
}

std::string member(const std::string& header, std::string bytes) {
  bytes.resize((bytes.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return header + bytes;
}

}  // namespace

TEST_CASE("refusals: a note in any other form than its one is malformed", "[verify]") {
  REQUIRE(sodium_init() >= 0);
  const TestKey key = TestKey::make("ci.example.com/log", 7);
  const std::string line = key.line(kText);
  const std::string good = kText + "\n" + line;
  const auto vkey = parse_vkey(key.vkey);
  REQUIRE(vkey);
  REQUIRE(judge(good, {*vkey}) == NoteVerdict::ok);
  const std::vector<std::pair<const char*, std::string>> family{
      {"CR LF", replaced(good, "\n3\n", "\r\n3\r\n")},
      {"CR at the end", good.substr(0, good.size() - 1) + "\r\n"},
      {"no last newline", good.substr(0, good.size() - 1)},
      {"tab", replaced(good, "\n3\n", "\n3\t\n")},
      {"NUL", replaced(good, "\n3\n", std::string("\n3\0\n", 4))},
      {"escape", replaced(good, "\n3\n", "\n3\x1b\n")},
      {"not UTF-8", replaced(good, "ci.", "ci\xff")},
      {"a lone surrogate", replaced(good, "ci.", "ci\xed\xa0\x80")},
      {"no empty line", replaced(good, "\n\n", "\n")},
      {"no signature", kText + "\n"},
      {"a hyphen for the dash", replaced(good, "\xe2\x80\x94 ", "- ")},
      {"two blanks", replaced(good, "\xe2\x80\x94 ", "\xe2\x80\x94  ")},
      {"an empty line behind", good + "\n"},
      {"text behind", good + "x\n"},
      {"padding left out", good.substr(0, good.size() - 2) + "\n"},
      {"a character that is not base64", good.substr(0, good.size() - 2) + "-\n"},
      {"a byte order mark", "\xef\xbb\xbf" + good + "x"},
      {"empty", ""},
  };
  for (const auto& [what, bad] : family) {
    CAPTURE(what);
    CHECK_FALSE(parse_note(bad).ok());
  }
  // The spare bits of the last digit before `=` are zero.
  const auto pad = good.rfind("=\n");
  REQUIRE(pad != std::string::npos);
  for (const char digit : {'B', 'P', 'R', 'f', 'h', 'v', 'x', '/'}) {
    std::string bad = good;
    bad[pad - 1] = digit;
    CAPTURE(digit);
    CHECK_FALSE(parse_note(bad).ok());
  }
}

TEST_CASE("refusals: sixteen signatures and more are read, too many are not", "[verify]") {
  REQUIRE(sodium_init() >= 0);
  const TestKey key = TestKey::make("ci.example.com/log", 7);
  const auto vkey = parse_vkey(key.vkey);
  REQUIRE(vkey);
  std::string note = kText + "\n";
  for (int others = 0; others < 99; ++others) note += TestKey::make("witness" + std::to_string(others), 9).line(kText);
  note += key.line(kText);
  CHECK(judge(note, {*vkey}) == NoteVerdict::ok);
  CHECK_FALSE(parse_note(note + TestKey::make("one.more", 9).line(kText)).ok());
}

TEST_CASE("refusals: a signature counts for its own key, name and kind alone", "[verify]") {
  REQUIRE(sodium_init() >= 0);
  const TestKey key = TestKey::make("ci.example.com/log", 7);
  const auto vkey = parse_vkey(key.vkey);
  REQUIRE(vkey);
  const std::string good = kText + "\n" + key.line(kText);
  // The same key under another origin, and another key under this one.
  const auto elsewhere = parse_vkey(TestKey::make("other.example.com/log", 7).vkey);
  const auto stranger = parse_vkey(TestKey::make("ci.example.com/log", 8).vkey);
  REQUIRE((elsewhere && stranger));
  CHECK(judge(good, {*elsewhere}) == NoteVerdict::unverified);
  CHECK(judge(good, {*stranger}) == NoteVerdict::unverified);
  CHECK(judge(replaced(good, "\n3\n", "\n4\n"), {*vkey}) == NoteVerdict::bad_signature);
  // One right signature and a wrong one by the same key.
  std::string wrong = key.line(kText + "x");
  CHECK(judge(good + wrong, {*vkey}) == NoteVerdict::bad_signature);
  CHECK(judge(kText + "\n" + wrong + key.line(kText), {*vkey}) == NoteVerdict::bad_signature);
  // Kind 0x01 is a log's, 0x04 a witness's: neither is taken for the other.
  CHECK_FALSE(parse_vkey(key.vkey, kCosignerKey).ok());
  const auto raw = base64(std::string(1, '\x04') + key.public_key);
  const std::string id = hex(sha256(key.name + "\n" + std::string(1, '\x04') + key.public_key).substr(0, 4));
  const std::string as_witness = key.name + "+" + id + "+" + raw;
  REQUIRE(parse_vkey(as_witness, kCosignerKey).ok());
  CHECK_FALSE(parse_vkey(as_witness).ok());
  // A log's signature under the witness's id is nobody's.
  std::string line = key.line(kText);
  CHECK(judge(good, {*parse_vkey(as_witness, kCosignerKey)}) == NoteVerdict::unverified);
  // The key with its byte of kind changed, and the id made to fit.
  for (const char kind : {'\x00', '\x02', '\x03', '\x05', '\x06'}) {
    const std::string body = std::string(1, kind) + key.public_key;
    const std::string text = key.name + "+" + hex(sha256(key.name + "\n" + body).substr(0, 4)) + "+" + base64(body);
    CAPTURE(static_cast<int>(kind));
    CHECK_FALSE(parse_vkey(text).ok());
    CHECK_FALSE(parse_vkey(text, kCosignerKey).ok());
  }
}

TEST_CASE("refusals: an archive holds plain files in order, and no second way to read it", "[verify]") {
  const TempDir dir;
  const std::string end(2 * kBlock, '\0');
  const auto opens = [&](const std::string& bytes) {
    save(dir.file("a"), bytes);
    return Archive::open(dir.file("a")).ok();
  };
  const auto plain = [](const std::string& name, const std::string& bytes) { return member(ustar_header(name, bytes.size()), bytes); };
  const std::string a = plain("a", "one");
  const std::string b = plain("b", "two");
  REQUIRE(opens(a + b + end));
  REQUIRE(member(header_of("b", 3, [](std::string&) {}), "two") == b);  // the sum alone changes nothing
  // Links, devices, directories, fifos, GNU and pax extensions, sparse files, and what old tars wrote.
  for (const char type : {'1', '2', '3', '4', '5', '6', '7', 'S', 'L', 'K', 'x', 'g', 'D', 'M', 'V', 'X', '\0'}) {
    CAPTURE(type);
    CHECK_FALSE(opens(a + member(header_of("b", 3, [&](std::string& h) { h[156] = type; }), "two") + end));
    CHECK_FALSE(opens(a + header_of("b", 0, [&](std::string& h) {
      h[156] = type;
      h.replace(157, 11, "/etc/passwd");
    }) + end));
  }
  const std::vector<std::pair<const char*, std::function<void(std::string&)>>> headers{
      {"a link's target", [](std::string& h) { h.replace(157, 4, "/etc"); }},
      {"a prefix", [](std::string& h) { h.replace(345, 2, "up"); }},
      {"an owner", [](std::string& h) { h.replace(265, 4, "root"); }},
      {"a number of a user", [](std::string& h) { h[114] = '1'; }},
      {"a mode", [](std::string& h) { h.replace(100, 7, "0004755"); }},
      {"a time", [](std::string& h) { h[146] = '1'; }},
      {"a device", [](std::string& h) { h[335] = '1'; }},
      {"GNU's magic", [](std::string& h) { h.replace(257, 8, "ustar  \0", 8); }},
      {"a size in base 256", [](std::string& h) { h.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x03", 12)); }},
      {"a size with blanks", [](std::string& h) { h.replace(124, 12, "          3 "); }},
      {"bytes behind the name", [](std::string& h) { h[50] = 'x'; }},
  };
  for (const auto& [what, change] : headers) {
    CAPTURE(what);
    CHECK_FALSE(opens(a + member(header_of("b", 3, change), "two") + end));
  }
  std::string wrong_sum = b;
  wrong_sum[153] = wrong_sum[153] == '1' ? '2' : '1';
  std::string padded = b;
  padded[kBlock + 100] = 'x';
  const std::vector<std::pair<const char*, std::string>> files{
      {"a sum that is wrong", a + wrong_sum + end},
      {"bytes in the padding", a + padded + end},
      {"a name twice", a + a + end},
      {"not in order", b + a + end},
      {"no end", a + b},
      {"half an end", a + b + std::string(kBlock, '\0')},
      {"a block more", a + b + end + std::string(kBlock, '\0')},
      {"a byte more", a + b + end + "x"},
      {"something behind the end", a + end + b + end},
      {"larger than a member can be", ustar_header("b", std::uint64_t{70} << 20U) + end},
      {"longer than the file", ustar_header("b", 100'000) + end},
      {"compressed", "\x1f\x8b\x08" + a + end},
  };
  for (const auto& [what, bytes] : files) {
    CAPTURE(what);
    CHECK_FALSE(opens(bytes));
  }
  // Paths that climb are no members of a bundle, whatever else is in it (bundle_test.cc has whole ones).
  CHECK(ustar_header(std::string(101, 'n'), 1).empty());
  CHECK(ustar_header("", 1).empty());
}
