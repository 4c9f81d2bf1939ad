// SPDX-License-Identifier: Apache-2.0
#include "verify/note.h"

#include <sodium.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/verify/support/shared.h"
#include "verify/checkpoint.h"
#include "verify/encoding.h"
#include "verify/pin.h"

using namespace ethos::verify;
using ethos::support::load_json;
using ethos::support::slurp;
using ethos::support::vectors;

namespace {

std::string data(const std::string& name) { return slurp(std::string(ETHOS_TEST_DATA) + "/ledger/" + name); }

std::string judge(const std::string& message, const std::vector<Vkey>& keys, std::vector<Vkey>& signers) {
  const auto note = parse_note(message);
  if (!note) return "malformed";
  switch (verify_note(*note, keys, signers)) {
    case NoteVerdict::ok: return "ok";
    case NoteVerdict::unverified: return "unverified";
    case NoteVerdict::bad_signature: return "invalid-signature";
  }
  return "";
}

}  // namespace

TEST_CASE("note: the published cases end as they should", "[verify][vectors]") {
  if (!std::filesystem::exists(vectors("signed-note"))) {
    WARN("skipped: shared data not present");
    return;
  }
  REQUIRE(sodium_init() >= 0);
  const auto all = load_json(vectors("signed-note") / "notes.json");
  std::size_t checked = 0;
  for (const auto& v : all.at("cases")) {
    if (!v.contains("msg")) continue;
    CAPTURE(v.at("name").get<std::string>());
    std::vector<Vkey> keys;
    bool usable = true;
    for (const auto& text : v.at("vkeys")) {
      auto key = parse_vkey(text.get<std::string>());
      usable = usable && key.ok();
      if (key) keys.push_back(*key);
    }
    if (!usable) continue;
    std::vector<Vkey> signers;
    const std::string got = judge(v.at("msg").get<std::string>(), keys, signers);
    const std::string want = v.at("want").get<std::string>();
    if (want == "error") {
      CHECK(got != "ok");
    } else {
      CHECK(got == want);
    }
    if (v.contains("verified_by") && got == "ok") CHECK(signers.size() == v.at("verified_by").size());
    ++checked;
  }
  CHECK(checked >= 15);
}

TEST_CASE("note: real checkpoints of other logs", "[verify][vectors]") {
  if (!std::filesystem::exists(vectors("checkpoints"))) {
    WARN("skipped: shared data not present");
    return;
  }
  REQUIRE(sodium_init() >= 0);
  const auto keys = load_json(vectors("checkpoints") / "keys.json");
  const auto check = [&](const char* file, const char* entry, const char* want) {
    CAPTURE(file);
    const auto key = parse_vkey(keys.at(entry).at("log").get<std::string>());
    REQUIRE(key);
    std::vector<Vkey> signers;
    CHECK(judge(slurp(vectors("checkpoints") / file), {*key}, signers) == want);
  };
  check("real-sum.golang.org.txt", "real-sum.golang.org.txt", "ok");
  check("real-arche2025h1-cosigned.txt", "real-arche2025h1-cosigned.txt", "ok");
  check("sigsum-test-size1.txt", "sigsum-test-size1|3|5.txt", "ok");
  check("sigsum-test-size5.txt", "sigsum-test-size1|3|5.txt", "ok");
  // This one's base64 has a spare bit set, too: our strict reader stops even earlier.
  check("sigsum-test-size3-bad-signature.txt", "sigsum-test-size1|3|5.txt", "malformed");
}

TEST_CASE("ed25519: malleable signatures and low-order points are refused", "[verify][vectors]") {
  if (!std::filesystem::exists(vectors("ed25519"))) {
    WARN("skipped: shared data not present");
    return;
  }
  REQUIRE(sodium_init() >= 0);
  const auto all = load_json(vectors("ed25519") / "subset.json");
  const auto hex = [](const nlohmann::json& v) { return *decode_hex(v.get<std::string>()); };
  Vkey key;
  const std::string public_key = hex(all.at("public_key_hex"));
  std::copy(public_key.begin(), public_key.end(), key.key.begin());
  for (const auto& v : all.at("valid")) CHECK(verify_ed25519(key, hex(v.at("msg_hex")), hex(v.at("sig_hex"))));
  REQUIRE(all.contains("invalid"));
  for (const auto& v : all.at("invalid")) {
    CAPTURE(v.dump());
    CHECK_FALSE(verify_ed25519(key, hex(v.at("msg_hex")), hex(v.at("sig_hex"))));
  }
}

TEST_CASE("vkey: the worked examples, and each way to break one", "[verify]") {
  REQUIRE(sodium_init() >= 0);
  std::string text = data("example.root-vkey");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto key = parse_vkey(text);
  REQUIRE(key);
  CHECK(key->text == text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string bad = text;
    bad[i] = bad[i] == 'A' ? 'B' : 'A';
    CAPTURE(bad);
    CHECK_FALSE(parse_vkey(bad).ok());
    CHECK_FALSE(parse_vkey(text.substr(0, i)).ok());
  }
  CHECK_FALSE(parse_vkey(text + "=").ok());
  CHECK_FALSE(parse_vkey("").ok());
  // A small-order point with a right key id is still no key.
  const std::string point(32, '\0');
  Sha256 hash;
  const std::string body = "\x01" + point;
  const std::string id = encode_hex(hash.of("n\n" + body).view().substr(0, 4));
  CHECK_FALSE(parse_vkey("n+" + id + "+" + encode_base64(body)).ok());
}

TEST_CASE("checkpoint: the text has exactly three lines in one form", "[verify]") {
  const std::string root = "+g+ynpdWs99V94wB/oGVew+3BMzK9DJXwZPmt521Zgg=";
  CHECK(parse_checkpoint_text("o\n3\n" + root + "\n").ok());
  for (const std::string& bad :
       std::vector<std::string>{"o\n03\n" + root + "\n", "o\n0\n" + root + "\n", "o\n-1\n" + root + "\n", "o\n3\n" + root, "\n3\n" + root + "\n",
        "o\n3\n" + root + "\nx\n", "o\n3\n", "o\n9007199254740992\n" + root + "\n", "o\n3 \n" + root + "\n",
        "o\n3\n" + root.substr(1) + "\n", "o\n3\n" + root.substr(0, 42) + "h=\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_checkpoint_text(bad).ok());
  }
}

TEST_CASE("pin: the worked examples, and every byte changed or cut is refused", "[verify]") {
  REQUIRE(sodium_init() >= 0);
  for (const char* name : {"example.pin", "example.pin-min"}) {
    const std::string text = data(name);
    const auto pin = parse_pin(text);
    REQUIRE(pin);
    CHECK(pin->origin == "ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4");
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string bad = text;
      bad[i] = static_cast<char>(bad[i] ^ 1);
      if (parse_pin(bad).ok()) ++accepted;
      if (i + 1 < text.size()) CHECK_FALSE(parse_pin(text.substr(0, i)).ok());
    }
    // `min` is not part of the fingerprint: only its size and root may change unseen.
    CHECK(accepted <= (pin->min_size ? 44U : 0U));
    CHECK_FALSE(parse_pin(text + "\n").ok());
    CHECK_FALSE(parse_pin(text + "x").ok());
  }
}
