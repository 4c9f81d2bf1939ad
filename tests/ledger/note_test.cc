// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/base64.h"
#include "ledger/base/hex.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/json_document.h"
#include "ledger/record/signed_note.h"
#include "ledger/record/vkey.h"
#include "tests/support/result_maker.h"
#include "tests/support/temp_dir.h"

using namespace ethos::record;
using ethos::base::Errc;
using ethos::support::code_of;
using ethos::support::read_text;

namespace {

const std::string kData = ETHOS_TEST_DATA "/ledger/";

Json load(const std::string& path) {
  DocumentOptions options;
  options.max_bytes = 16 * 1024 * 1024;
  auto doc = parse_document(read_text(path), options);
  REQUIRE(doc);
  return *doc;
}

std::string message_of(const Json& test_case) {
  if (const std::string* text = test_case.find_string("msg")) return *text;
  auto bytes = ethos::base::decode_base64(*test_case.find_string("msg_b64"));
  REQUIRE(bytes);
  return ethos::base::to_string(*bytes);
}

// The class of outcome that the vectors name.
std::string outcome(const std::string& message, const std::vector<PublicKey>& keys) {
  auto note = parse_note(message);
  if (!note) return "malformed";
  auto signers = verify_note(*note, keys);
  if (signers) return "ok";
  return signers.error().code == Errc::not_found ? "unverified" : "invalid";
}

}  // namespace

TEST_CASE("note: golden checkpoint and revocation are made again byte for byte",
          "[ledger][golden]") {
  auto key = SigningKey::from_file_text(read_text(kData + "example.key"));
  REQUIRE(key);
  const SigningKey* const signers[] = {&*key};
  const std::string golden = read_text(kData + "example.checkpoint.3");
  auto note = parse_note(golden);
  REQUIRE(note);
  CHECK(*sign_note(note->text, signers) == golden);
  auto checkpoint = parse_checkpoint(note->text);
  REQUIRE(checkpoint);
  CHECK(encode_checkpoint(*checkpoint) == note->text);
  CHECK(checkpoint->size == 3);
  CHECK(verify_note(*note, std::vector{key->public_key()}));
  CHECK(ethos::base::as_text(key->file_text().bytes()) == read_text(kData + "example.key"));

  auto root =
      PublicKey::from_text(read_text(kData + "example.root-vkey")
                               .substr(0, read_text(kData + "example.root-vkey").size() - 1));
  REQUIRE(root);
  auto revoke = parse_note(read_text(kData + "example.revoke"));
  REQUIRE(revoke);
  CHECK(verify_note(*revoke, std::vector{*root}));
  CHECK(code_of(verify_note(*revoke, std::vector{key->public_key()})) == Errc::not_found);
}

TEST_CASE("note: a rotation checkpoint carries both keys", "[ledger][golden]") {
  auto note = parse_note(read_text(kData + "example.checkpoint.5"));
  REQUIRE(note);
  REQUIRE(note->signatures.size() == 2);
  std::vector<PublicKey> keys;
  for (int seed : {1, 2}) {
    const ethos::base::Bytes bytes(32, static_cast<std::byte>(seed));
    keys.push_back(SigningKey::from_seed(note->signatures[0].name, bytes)->public_key());
  }
  CHECK(*verify_note(*note, keys) == std::vector<std::size_t>{0, 1});
  CHECK(*verify_note(*note, std::vector{keys[1]}) == std::vector<std::size_t>{0});
  for (int seed : {1, 2, 3}) {
    const ethos::base::Bytes bytes(32, static_cast<std::byte>(seed));
    auto signer = SigningKey::from_seed(note->signatures[0].name, bytes);
    REQUIRE(signer);
    CHECK(is_signed_by(*note, *signer) == (seed != 3));
  }
}

TEST_CASE("note: every single flipped bit is noticed", "[ledger][property]") {
  auto key = SigningKey::from_file_text(read_text(kData + "example.key"));
  REQUIRE(key);
  const std::vector keys{key->public_key()};
  const std::string golden = read_text(kData + "example.checkpoint.1");
  for (std::size_t at = 0; at < golden.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string changed = golden;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ (1U << bit));
      auto note = parse_note(changed);
      CAPTURE(at, bit);
      CHECK((!note || !verify_note(*note, keys)));
      CHECK((!note || !is_signed_by(*note, *key)));
    }
  }
  for (std::size_t size = 0; size < golden.size(); ++size) {
    auto note = parse_note(golden.substr(0, size));
    CHECK((!note || !verify_note(*note, keys)));
  }
}

TEST_CASE("note: two different signatures of one key refuse the note", "[ledger][note]") {
  auto key = SigningKey::from_file_text(read_text(kData + "example.key"));
  REQUIRE(key);
  auto note = parse_note(read_text(kData + "example.checkpoint.1"));
  REQUIRE(note);
  note->signatures.push_back(note->signatures[0]);
  CHECK(verify_note(*note, std::vector{key->public_key()}));
  CHECK(is_signed_by(*note, *key));
  note->signatures[1].signature[0] ^= std::byte{1};
  CHECK(code_of(verify_note(*note, std::vector{key->public_key()})) == Errc::mismatch);
  CHECK_FALSE(is_signed_by(*note, *key));
}

TEST_CASE("note: bad text is not signed", "[ledger][note]") {
  for (const char* bad : {"", "no line feed", "tab\there\n", "cr\r\n", "\xFF\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(sign_note(bad, std::span<const SigningKey* const>{}));
  }
}

TEST_CASE("checkpoint: each bad line is refused", "[ledger][note]") {
  const std::string root = Digest().base64();
  CHECK(parse_checkpoint("o\n1\n" + root + "\n"));
  CHECK(parse_checkpoint("o\n9007199254740991\n" + root + "\n"));
  for (const std::string& bad :
       {"o\n01\n" + root + "\n", "o\n-1\n" + root + "\n", "o\n+1\n" + root + "\n",
        "o\n \n" + root + "\n", "o\n\n" + root + "\n", "o\n1x\n" + root + "\n",
        "o\n9007199254740992\n" + root + "\n", "o\n99999999999999999999\n" + root + "\n",
        std::string("o\n1\nAAAA\n"), "\n1\n" + root + "\n", "o\n1\n" + root,
        "o\n1\n" + root + "\nextension\n", std::string("o\n1\n"), std::string()}) {
    CAPTURE(bad);
    CHECK(code_of(parse_checkpoint(bad)) == Errc::malformed);
  }
}

TEST_CASE("vkey: a key that is known again signs like one that was read", "[ledger][keys]") {
  const auto text_of = [](const SigningKey& key) {
    return ethos::base::to_string(key.file_text().bytes());
  };
  auto key = SigningKey::generate("host.example/x");
  auto same_name = SigningKey::generate("host.example/x");
  REQUIRE(key);
  REQUIRE(same_name);
  const auto message = ethos::base::as_bytes("message");
  const ethos::record::KeyMark mark = key->mark();
  auto again = SigningKey::from_file_text(text_of(*key), &mark);
  REQUIRE(again);
  CHECK(again->public_key() == key->public_key());
  CHECK(again->sign(message) == key->sign(message));
  CHECK(text_of(*again) == text_of(*key));
  // Another key is itself, whatever was known: never one's seed with the other's public half.
  auto other = SigningKey::from_file_text(text_of(*same_name), &mark);
  REQUIRE(other);
  CHECK(other->public_key() == same_name->public_key());
  CHECK(other->public_key().verifies(message, other->sign(message)));
  const std::string renamed = "PRIVATE+KEY+host.example/y" + text_of(*key).substr(26);
  CHECK(code_of(SigningKey::from_file_text(renamed, &mark)) == Errc::mismatch);
}

TEST_CASE("vkey: text form, id and names", "[ledger][keys]") {
  auto key = SigningKey::generate("host.example/x");
  REQUIRE(key);
  const std::string text = key->public_key().text();
  CHECK(*PublicKey::from_text(text) == key->public_key());
  CHECK_FALSE(SigningKey::generate("with space"));
  CHECK_FALSE(SigningKey::generate("with+plus"));
  CHECK_FALSE(SigningKey::generate(""));
  CHECK_FALSE(SigningKey::generate("wide\xE2\x80\x89space"));
  const std::string secret = ethos::base::to_string(key->file_text().bytes());
  CHECK(SigningKey::from_file_text(secret));
  CHECK_FALSE(SigningKey::from_file_text(secret + "\n"));
  CHECK_FALSE(SigningKey::from_file_text(secret.substr(0, secret.size() - 1)));
  CHECK_FALSE(SigningKey::from_file_text(secret.substr(1)));
  CHECK_FALSE(SigningKey::from_file_text(""));
  std::string other = secret;
  other[secret.find("x+") + 2] = other[secret.find("x+") + 2] == '0' ? '1' : '0';
  CHECK(code_of(SigningKey::from_file_text(other)) == Errc::mismatch);
  CHECK(SigningKey::from_file_text(other).error().message().find(secret.substr(30)) ==
        std::string::npos);
}

TEST_CASE("note vectors: each ends as the published class says", "[ledger][vectors]") {
  const std::string shared = ethos::support::shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  const Json doc = load(shared + "/vectors/signed-note/notes.json");
  int checked = 0;
  for (const Json& test_case : doc.find("cases")->items()) {
    CAPTURE(*test_case.find_string("name"));
    std::vector<PublicKey> keys;
    for (const Json& vkey : test_case.find("vkeys")->items()) {
      auto key = PublicKey::from_text(vkey.as_string());
      REQUIRE(key);
      keys.push_back(*key);
    }
    const std::string want = *test_case.find_string("want");
    const bool is_invalid = want == "invalid-signature" || want == "error";
    CHECK(outcome(message_of(test_case), keys) == (is_invalid ? "invalid" : want));
    ++checked;
  }
  CHECK(checked >= 17);
  for (const Json& good : doc.find("vkeys_ok")->items()) {
    const std::string& text = good.as_string();
    CAPTURE(text);
    auto key = PublicKey::from_text(text);
    if (text.starts_with("remora")) {
      // A witness key of another algorithm byte: known to exist, not one of ours.
      CHECK(code_of(key) == Errc::unsupported);
      continue;
    }
    REQUIRE(key);
    CHECK(key->text() == text);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string mangled = text;
      mangled[i] = static_cast<char>(static_cast<unsigned char>(mangled[i]) + 1);
      CHECK_FALSE(PublicKey::from_text(mangled));
      CHECK_FALSE(PublicKey::from_text(text.substr(0, i)));
      if (i > 0) CHECK_FALSE(PublicKey::from_text(text.substr(i)));
    }
  }
  for (const Json& bad : doc.find("vkeys_bad")->items())
    CHECK_FALSE(PublicKey::from_text(bad.as_string()));
  const Json& sign = *doc.find("sign");
  auto skey = SigningKey::from_file_text(*sign.find_string("skey") + "\n");
  REQUIRE(skey);
  const SigningKey* const signers[] = {&*skey};
  CHECK(*sign_note(*sign.find_string("text"), signers) == *sign.find_string("want"));
}

TEST_CASE("checkpoint vectors: real logs verify, a forged one does not", "[ledger][vectors]") {
  const std::string shared = ethos::support::shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  const std::string dir = shared + "/vectors/checkpoints/";
  const Json keys = load(dir + "keys.json");
  const auto log_key = [&](const char* name) {
    auto key = PublicKey::from_text(*keys.find(name)->find_string("log"));
    REQUIRE(key);
    return std::vector{*key};
  };
  for (const char* name : {"real-arche2025h1-cosigned.txt", "real-sum.golang.org.txt"}) {
    CAPTURE(name);
    auto note = parse_note(read_text(dir + name));
    REQUIRE(note);
    CHECK(verify_note(*note, log_key(name)));
  }
  const auto sigsum = log_key("sigsum-test-size1|3|5.txt");
  for (const auto& [name, size] : {std::pair{"sigsum-test-size1.txt", 1U},
                                   {"sigsum-test-size3.txt", 3U},
                                   {"sigsum-test-size5.txt", 5U}}) {
    auto note = parse_note(read_text(dir + name));
    REQUIRE(note);
    CHECK(verify_note(*note, sigsum));
    CHECK(parse_checkpoint(note->text)->size == size);
  }
  auto forged = parse_note(read_text(dir + "sigsum-test-size3-bad-signature.txt"));
  CHECK((!forged || code_of(verify_note(*forged, sigsum)) == Errc::mismatch));
}

TEST_CASE("ed25519 vectors: valid pass, malleable and small-order do not", "[ledger][vectors]") {
  const std::string shared = ethos::support::shared_data();
  if (shared.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  const Json doc = load(shared + "/vectors/ed25519/subset.json");
  // The vkey of a raw key, as the format writes it; refused when the point is unusable.
  const auto key_of = [](const std::string& hex) -> std::optional<PublicKey> {
    auto raw = ethos::base::decode_hex(hex);
    REQUIRE(raw);
    ethos::base::Bytes payload{std::byte{1}};
    payload.insert(payload.end(), raw->begin(), raw->end());
    const std::string name = "t";
    const Digest id = sha256(
        {ethos::base::as_bytes(name), ethos::base::as_bytes(std::string_view("\n\x01", 2)), *raw});
    auto key = PublicKey::from_text(name + "+" + id.hex().substr(0, 8) + "+" +
                                    ethos::base::encode_base64(payload));
    return key ? std::optional(*key) : std::nullopt;
  };
  const auto bytes_of = [](const Json& json, const char* key) {
    return *ethos::base::decode_hex(*json.find_string(key));
  };
  const auto key = key_of(*doc.find_string("public_key_hex"));
  REQUIRE(key);
  REQUIRE(doc.find("valid")->items().size() >= 5);
  for (const Json& v : doc.find("valid")->items()) {
    CHECK(key->verifies(bytes_of(v, "msg_hex"), bytes_of(v, "sig_hex")));
  }
  REQUIRE(doc.find("invalid")->items().size() >= 5);
  for (const Json& v : doc.find("invalid")->items()) {
    CAPTURE(*v.find_string("why"));
    CHECK_FALSE(key->verifies(bytes_of(v, "msg_hex"), bytes_of(v, "sig_hex")));
  }
  REQUIRE(doc.find("low_order_point_encodings_hex")->items().size() >= 8);
  for (const Json& v : doc.find("low_order_point_encodings_hex")->items()) {
    CAPTURE(v.as_string());
    CHECK_FALSE(key_of(v.as_string()));
  }
}
