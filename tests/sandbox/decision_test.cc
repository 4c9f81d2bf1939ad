// SPDX-License-Identifier: Apache-2.0
#include "sandbox/decision.h"

#include <sodium.h>

#include <array>
#include <catch2/catch.hpp>

#include "ledger/base/base64.h"
#include "ledger/record/digest.h"

using namespace ethos;
using namespace ethos::sandbox;

namespace {

constexpr std::int64_t kNow = 1'790'000'000'000;
const std::vector<std::string> kArgv = {"shellcheck", "--format=json1", "a.sh"};
const std::string kSalt(32, '\x07');

std::string arguments_text(const std::vector<std::string>& argv) {
  std::string all = std::string("ethos/decision-args/1") + '\0' + kSalt;
  for (const std::string& a : argv) all += a + '\0';
  return base::encode_base64(record::sha256(base::as_bytes(all)).bytes());
}

std::string payload(const std::string& verdict = "allow", const std::string& tool = "shellcheck",
                    std::int64_t expires = kNow + 1, const std::vector<std::string>& argv = kArgv) {
  return R"({"v":1,"policy":"acme/lint-7","verdict":")" + verdict + R"(","tool":")" + tool +
         R"(","expires_ms":)" + std::to_string(expires) + R"(,"argv":{"salt":")" +
         base::encode_base64(base::as_bytes(kSalt)) + R"(","sha256":")" + arguments_text(argv) +
         R"("}})";
}

struct Signer {
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> key{};
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> secret{};
  Signer() { crypto_sign_keypair(key.data(), secret.data()); }
  [[nodiscard]] std::string key_text() const {
    return base::encode_base64(std::as_bytes(std::span(key)));
  }
  [[nodiscard]] std::string envelope(const std::string& body) const {
    const std::string type = "application/vnd.ethos.decision+json";
    const std::string pae = "DSSEv1 " + std::to_string(type.size()) + " " + type + " " +
                            std::to_string(body.size()) + " " + body;
    std::array<unsigned char, crypto_sign_BYTES> signature{};
    crypto_sign_detached(signature.data(), nullptr, base::as_uchar(base::as_bytes(pae)), pae.size(),
                         secret.data());
    return R"({"payloadType":")" + type + R"(","payload":")" +
           base::encode_base64(base::as_bytes(body)) + R"(","signatures":[{"keyid":"x","sig":")" +
           base::encode_base64(std::as_bytes(std::span(signature))) + R"("}]})";
  }
};

base::Result<Decision> read(const std::string& document,
                            const std::vector<std::string>& keys = {}) {
  DecisionInput input;
  input.document = document;
  input.trusted_keys = keys;
  input.tool = "shellcheck";
  input.argv = kArgv;
  input.now_ms = kNow;
  return read_decision(input);
}

std::string refused_on(const std::string& document) {
  const auto d = read(document);
  REQUIRE(d);
  return d->refusal ? d->refusal->on : "(allowed)";
}

}  // namespace

TEST_CASE("decision: only allow, in time, for this tool and these arguments", "[sandbox]") {
  CHECK(refused_on(payload()) == "(allowed)");
  CHECK(refused_on(payload("deny")) == "decision:verdict");
  CHECK(refused_on(payload("Allow")) == "decision:verdict");
  CHECK(refused_on(payload("allow", "shellcheck", kNow)) == "decision:expires_ms");
  CHECK(refused_on(payload("allow", "cppcheck")) == "decision:tool");
  CHECK(refused_on(payload("allow", "shellcheck", kNow + 1,
                           {"shellcheck", "--format=json1", "b.sh"})) == "decision:argv");
  CHECK(refused_on(payload("allow", "shellcheck", kNow + 1,
                           {"shellcheck", "--format=json1a.sh"})) == "decision:argv");
}

TEST_CASE("decision: authenticated by a key of the host's ceiling only, over exactly the payload",
          "[sandbox]") {
  REQUIRE(sodium_init() >= 0);
  const Signer ours;
  const Signer other;
  const std::string good = ours.envelope(payload());
  CHECK(read(good, {ours.key_text()})->fact.is_authenticated);
  CHECK(read(good, {other.key_text(), ours.key_text()})->fact.is_authenticated);
  CHECK_FALSE(read(good, {other.key_text()})->fact.is_authenticated);
  CHECK_FALSE(read(good)->fact.is_authenticated);
  CHECK_FALSE(read(payload(), {ours.key_text()})->fact.is_authenticated);
  CHECK(read(good)->fact.policy == "acme/lint-7");
  CHECK(read(good)->fact.document == good);
  // The signature of one decision does not carry over to another.
  std::string moved = good;
  const std::string body = base::encode_base64(base::as_bytes(payload()));
  moved.replace(moved.find(body), body.size(),
                base::encode_base64(base::as_bytes(payload("allow", "shellcheck", kNow + 2))));
  CHECK_FALSE(read(moved, {ours.key_text()})->fact.is_authenticated);
}

TEST_CASE("decision: what is no decision is an error, not a denial", "[sandbox]") {
  for (
      const char* text :
      {"", "[]", "{}", R"({"v":2,"policy":"p","verdict":"allow"})", R"({"v":1,"verdict":"allow"})",
       R"({"v":1,"policy":"p","verdict":"allow"})",
       R"({"v":1,"policy":"p","verdict":"allow","expires_ms":"1","tool":"t","argv":{}})",
       R"({"v":1,"policy":"p","verdict":"allow","more":1})",
       R"({"payload":"e30=","payloadType":"x","signatures":[{"sig":"AA=="}]})",
       R"({"payload":"e30=","payloadType":"application/vnd.ethos.decision+json","signatures":[]})",
       R"({"payload":"e30","payloadType":"application/vnd.ethos.decision+json","signatures":[{"sig":"AA=="}]})",
       R"({"payload":"e30=","payloadType":"application/vnd.ethos.decision+json","signatures":[{}]})"}) {
    CAPTURE(text);
    CHECK_FALSE(read(text));
  }
  std::string no_salt = payload();
  no_salt.replace(no_salt.find("\"salt\":\"") + 8, 44, "AA==");
  CHECK_FALSE(read(no_salt));
}
