// SPDX-License-Identifier: Apache-2.0
#include "reports/attest.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "ledger/base/base64.h"
#include "ledger/base/hex.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
namespace base = ethos::base;
namespace record = ethos::record;
using nlohmann::json;

namespace {

record::SigningKey key_of(unsigned char byte, const std::string& name) {
  auto key = record::SigningKey::from_seed(name, base::Bytes(32, std::byte{byte}));
  REQUIRE(key);
  return std::move(*key);
}

const std::vector<Subject> kFiles = {{"report.json", std::string(64, 'a')},
                                     {"manifest.json", std::string(64, 'b')}};

std::string statement_of(const Model& model) {
  auto statement = verification_statement(model, kFiles);
  REQUIRE(statement);
  return *statement;
}

}  // namespace

TEST_CASE("attest: the signed bytes are those of the DSSE protocol", "[reports]") {
  CHECK(pre_authentication("http://example.com/HelloWorld", "hello world") ==
        "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  CHECK(pre_authentication("", "") == "DSSEv1 0  0 ");
  CHECK(pre_authentication("t", "\xc3\xa9") == "DSSEv1 1 t 2 \xc3\xa9");
}

TEST_CASE("attest: a statement names each passed verdict, and no other", "[reports]") {
  Model model = small_model();
  const json all = json::parse(statement_of(model));
  CHECK(all["_type"] == "https://in-toto.io/Statement/v1");
  CHECK(all["predicateType"] == "https://in-toto.io/attestation/svr/v0.2");
  CHECK(all["subject"][0]["digest"]["sha256"] == std::string(64, 'a'));
  const auto properties = all["predicate"]["properties"].get<std::set<std::string>>();
  CHECK(properties == std::set<std::string>{"ETHOS_INTEGRITY", "ETHOS_SIGNATURES", "ETHOS_PINNED",
                                            "ETHOS_COMPLETE", "ETHOS_DISCLOSURE", "ETHOS_POLICY"});
  for (Verdict::Check& check : model.verdict.checks) {
    if (check.name == "completeness") check.result = "incomplete";
  }
  CHECK(statement_of(model).find("ETHOS_COMPLETE") == std::string::npos);
  model.verified = false;
  const auto refused = verification_statement(model, kFiles);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::Errc::refused);
}

TEST_CASE("attest: an envelope opens for its signer and for nobody else", "[reports]") {
  const record::SigningKey key = key_of(7, "reports.example.com");
  const std::string statement = statement_of(small_model());
  const std::string line = sign_envelope(statement, key);
  CHECK(line.back() == '\n');
  CHECK(line == sign_envelope(statement, key));
  const auto opened = open_envelope(line, key.public_key());
  REQUIRE(opened);
  CHECK(*opened == statement);
  CHECK_FALSE(open_envelope(line, key_of(8, "reports.example.com").public_key()));
}

TEST_CASE("attest: every altered envelope is refused", "[reports][property]") {
  const record::SigningKey key = key_of(7, "reports.example.com");
  const json good = json::parse(sign_envelope("{\"a\":1}", key));
  const auto refused = [&key](const json& envelope) {
    return !open_envelope(envelope.dump(), key.public_key());
  };
  CHECK_FALSE(refused(good));
  json bad = good;
  bad["payload"] = base::encode_base64(base::as_bytes("{\"a\":2}"));
  CHECK(refused(bad));
  bad = good;
  bad["payloadType"] = "application/json";
  CHECK(refused(bad));
  bad = good;
  bad["signatures"] = json::array();
  CHECK(refused(bad));
  bad = good;
  bad.erase("payload");
  CHECK(refused(bad));
  bad = good;
  bad["payload"] = "***";
  CHECK(refused(bad));
  auto signature = base::decode_base64(good["signatures"][0]["sig"].get<std::string>());
  REQUIRE(signature);
  for (std::size_t i = 0; i < signature->size(); ++i) {
    base::Bytes changed = *signature;
    changed[i] ^= std::byte{1};
    bad = good;
    bad["signatures"][0]["sig"] = base::encode_base64(changed);
    if (!refused(bad)) FAIL("signature byte " << i);
  }
  // The key id is a hint that nobody signed.
  json hint = good;
  hint["signatures"][0]["keyid"] = "somebody else";
  CHECK_FALSE(refused(hint));
  CHECK_FALSE(open_envelope("", key.public_key()));
  CHECK_FALSE(open_envelope("[]", key.public_key()));
}

TEST_CASE("attest: the public DSSE vectors are judged as they say", "[reports]") {
  const char* named = std::getenv("ETHOS_SHARED");
  std::ifstream in(std::string(named != nullptr ? named : ETHOS_SHARED_DEFAULT) +
                   "/schemas/dsse/vectors.json");
  if (!in.good()) {
    WARN("skipped: shared data not present");
    return;
  }
  const json all = json::parse(in);
  int judged = 0;
  for (const json& vector : all["vectors"]) {
    CAPTURE(vector["id"].get<std::string>());
    if (vector["expect"] == "accept" && vector.contains("pae") && vector["pae"].is_string() &&
        vector["envelope"].contains("payload")) {
      std::string payload = vector["envelope"]["payload"];
      for (char& c : payload) c = c == '-' ? '+' : c == '_' ? '/' : c;
      const auto body = base::decode_base64(payload);
      if (body) {
        CHECK(base::encode_hex(base::as_bytes(pre_authentication(
                  vector["envelope"]["payloadType"].get<std::string>(), base::as_text(*body)))) ==
              vector["pae"].get<std::string>());
        ++judged;
      }
    }
    // One trusted key, a threshold of one and in-toto statements are what this reader knows.
    const bool other_type = vector["envelope"].value("payloadType", "") != kPayloadType;
    if (other_type && vector["expect"] == "accept") continue;
    if (vector.value("threshold", 1) != 1 || vector["trustedKeys"].size() != 1) continue;
    const auto seed = base::decode_hex(
        all["keys"][vector["trustedKeys"][0].get<std::string>()]["seed"].get<std::string>());
    if (!seed) continue;
    auto key = record::SigningKey::from_seed("vector", *seed);
    REQUIRE(key);
    const auto opened = open_envelope(vector["envelope"].dump(), key->public_key());
    CHECK(opened.has_value() == (vector["expect"] == "accept"));
    ++judged;
  }
  CHECK(judged > 5);
}
