// SPDX-License-Identifier: Apache-2.0
// Time stamps over checkpoints, made by `openssl ts`; the arithmetic below them, against OpenSSL's.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/anchors.h"
#include "verify/der.h"
#include "verify/encoding.h"
#include "verify/modular.h"
#include "verify/public_key.h"
#include "verify/time_token.h"

using namespace ethos::support;
using ethos::verify::parse_pem;
using ethos::verify::parse_time_token;

namespace {

bool has_openssl() { return std::system("openssl version >/dev/null 2>&1") == 0; }

void shell(const std::string& command) {
  INFO(command);
  REQUIRE(std::system((command + " >/dev/null 2>&1").c_str()) == 0);
}

// A root and an authority below it.
struct Authority {
  std::string at;

  Authority(const TempDir& dir, const std::string& name, const std::string& key, const std::string& digest = "sha256",
            const std::string& usage = "critical,timeStamping", const std::string& days = "30")
      : at(dir.file(name)) {
    std::filesystem::create_directory(at);
    const std::string request = "openssl req -x509 -nodes -" + digest + " -newkey " + key + " ";
    shell(request + "-subj /CN=root -days 3000 -keyout " + at + "/root.key -out " + at + "/root.pem");
    shell(request + "-subj /CN=tsa -days " + days + " -keyout " + at + "/tsa.key -out " + at + "/tsa.pem -CA " + at + "/root.pem -CAkey " + at +
          "/root.key -addext extendedKeyUsage=" + usage + " -addext basicConstraints=critical,CA:FALSE");
    save(at + "/serial", "01");
    save(at + "/cnf", "[tsa]\ndefault_tsa = t\n[t]\nserial = " + at + "/serial\nsigner_cert = " + at + "/tsa.pem\nsigner_key = " + at + "/tsa.key\nsigner_digest = " + digest +
                          "\ndefault_policy = 1.2.3.4.5\ndigests = sha256\ncerts = " + at + "/root.pem\ness_cert_id_chain = no\ness_cert_id_alg = sha256\n");
  }
  [[nodiscard]] std::string token(const std::string& bytes) const {
    save(at + "/data", bytes);
    shell("openssl ts -query -data " + at + "/data -sha256 -cert -out " + at + "/query");
    shell("openssl ts -reply -config " + at + "/cnf -queryfile " + at + "/query -token_out -out " + at + "/token");
    return slurp(at + "/token");
  }
  [[nodiscard]] std::string root() const { return at + "/root.pem"; }
};

struct Story {
  TempDir dir;
  LedgerMaker ledger;
  std::int64_t size = 0;

  Story() {
    add_run(ledger);
    size = ledger.checkpoints.rbegin()->first;
  }
  [[nodiscard]] std::string note() const { return ethos::verify::own_note(ledger.checkpoints.at(size), ledger.origin); }
  // Records the token as ethos-ledger would; `patch` changes what the record says.
  void anchor(const std::string& token, const Json& patch = Json::object()) {
    const auto parsed = parse_time_token(token);
    Json body{{"at_ms", parsed ? parsed->at_ms : 1}, {"imprint", "sha256:" + hex(sha256(note()))}, {"kind", "rfc3161"}, {"policy", parsed ? parsed->policy : "1.2"},
              {"size", size}, {"token", ledger.blob(token)}};
    body.merge_patch(patch);
    ledger.add("ledger.anchor", body);
    ledger.checkpoint();
  }
  Outcome verify(const std::string& roots = "") {
    std::filesystem::remove(dir.file("l.db"));
    ledger.write(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin());
    std::vector<std::string> args{"--json", "--pin", dir.file("pin"), "--run", "caireeyu", dir.file("l.db")};
    if (!roots.empty()) args.insert(args.end(), {"--tsa-roots", roots});
    return verify_with(args);
  }
};

}  // namespace

TEST_CASE("anchors: a token of an authority that is known counts, others are unknown", "[verify]") {
  if (!has_openssl()) {
    WARN("skipped: openssl is not installed");
    return;
  }
  const struct {
    const char* key;
    const char* digest;
  } kinds[] = {{"rsa:2048", "sha256"}, {"rsa:3072", "sha512"}, {"ec -pkeyopt ec_paramgen_curve:P-256", "sha256"}, {"ec -pkeyopt ec_paramgen_curve:P-384", "sha384"},
               {"ec -pkeyopt ec_paramgen_curve:P-384", "sha256"}};
  const TempDir keys;
  const Authority other(keys, "other", "ec -pkeyopt ec_paramgen_curve:P-256");
  int number = 0;
  for (const auto& kind : kinds) {
    Story story;
    const Authority authority(keys, std::to_string(++number), kind.key, kind.digest);
    story.anchor(authority.token(story.note()));
    const Outcome r = story.verify(authority.root());
    CAPTURE(kind.key, kind.digest, r.out.substr(0, 2500));
    CHECK(r.status == 0);
    CHECK(r.verdict("time") == "pass");
    CHECK(r.json.at("time_stamps").at("good") == 1);
    CHECK(std::abs(r.json.at("time_stamps").at("at_ms").get<std::int64_t>() / 1000 - std::time(nullptr)) < 3600);
    CHECK(r.json.at("run_known").at("whole_in").at("from") == "stamp");
    CHECK(story.verify(other.root()).verdict("time") == "unknown");
    CHECK(story.verify(other.root()).status == 0);
    CHECK(story.verify().verdict("time") == "unknown");
  }
}

TEST_CASE("anchors: a token that is not what its record says is tampering", "[verify]") {
  if (!has_openssl()) {
    WARN("skipped: openssl is not installed");
    return;
  }
  const TempDir keys;
  const Authority authority(keys, "a", "ec -pkeyopt ec_paramgen_curve:P-256");
  const std::string token = authority.token(Story().note());
  for (const Json& patch : {Json{{"at_ms", 1}}, Json{{"policy", "1.2.3"}}, Json{{"size", 5}}, Json{{"imprint", "sha256:" + std::string(64, '0')}}, Json{{"size", 9999}}}) {
    Story story;
    story.anchor(token, patch);
    const Outcome r = story.verify(authority.root());
    CAPTURE(patch.dump(), r.status);
    CHECK(r.status == 1);
    CHECK(r.has("anchor_mismatch"));
  }
  {
    Story story;  // over something else
    story.anchor(authority.token("x"));
    CHECK(story.verify(authority.root()).has("anchor_mismatch"));
  }
  {
    Story story;  // cosignatures that came later do not change the own note
    story.ledger.checkpoints[story.size] += "\xe2\x80\x94 w.example AAAAAAAAAAAA\n";
    story.anchor(token);
    CHECK(story.verify(authority.root()).status == 0);
  }
  {
    Story story;  // the token is gone
    story.anchor(token, {{"token", "sha256:" + std::string(64, '1')}});
    CHECK(story.verify(authority.root()).has("blob_missing"));
  }
}

TEST_CASE("anchors: every byte of a token changed is refused, or proves nothing", "[verify]") {
  if (!has_openssl()) {
    WARN("skipped: openssl is not installed");
    return;
  }
  const TempDir keys;
  const Authority authority(keys, "a", "ec -pkeyopt ec_paramgen_curve:P-256");
  const std::string good = authority.token("hello");
  const auto roots = parse_pem(slurp(authority.root()));
  REQUIRE(roots);
  using Kind = ethos::verify::TokenAnswer::Kind;
  const auto first = parse_time_token(good);
  REQUIRE(first);
  REQUIRE(judge_token(*first, *roots).kind == Kind::good);
  std::size_t same = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    const auto token = parse_time_token(bad);
    if (!token || judge_token(*token, *roots).kind != Kind::good) continue;
    // Versions, the list of digests and the root's own copy are outside of what is signed: what counts is the same.
    ++same;
    CAPTURE(at);
    CHECK(token->info == first->info);
  }
  CHECK(same < 700);
  for (std::size_t cut = 0; cut < good.size(); ++cut) CHECK_FALSE(parse_time_token(good.substr(0, cut)).ok());
  CHECK_FALSE(parse_time_token(good + std::string(1, '\0')).ok());
}

TEST_CASE("anchors: chains are followed at the time of the token, for time stamps only", "[verify]") {
  if (!has_openssl()) {
    WARN("skipped: openssl is not installed");
    return;
  }
  using Kind = ethos::verify::TokenAnswer::Kind;
  const TempDir keys;
  const Authority good(keys, "a", "ec -pkeyopt ec_paramgen_curve:P-256");
  const auto roots = parse_pem(slurp(good.root()));
  auto token = parse_time_token(good.token("hello"));
  REQUIRE(token);
  REQUIRE(roots);
  const auto leaf = std::find_if(token->certificates.begin(), token->certificates.end(), [](const auto& c) { return c.is_time_stamper; });
  REQUIRE(leaf != token->certificates.end());
  using ethos::verify::ChainAnswer;
  CHECK(follow_chain(*leaf, {}, *roots, token->at_ms) == ChainAnswer::trusted);
  CHECK(follow_chain(*leaf, {}, *roots, leaf->until_ms + 1) == ChainAnswer::unknown);
  CHECK(follow_chain(*leaf, {}, *roots, leaf->from_ms - 1) == ChainAnswer::unknown);
  CHECK(follow_chain(*leaf, *roots, {}, token->at_ms) == ChainAnswer::unknown);
  auto changed = *roots;
  changed[0].is_authority = false;
  CHECK(follow_chain(*leaf, {}, changed, token->at_ms) == ChainAnswer::unknown);
  changed = *roots;
  changed[0].path_length = 0;
  CHECK(follow_chain(*leaf, {}, changed, token->at_ms) == ChainAnswer::trusted);
  changed[0].has_unknown_critical = true;
  CHECK(follow_chain(*leaf, {}, changed, token->at_ms) == ChainAnswer::unknown);
  changed = *roots;
  changed[0].may_sign_certificates = false;
  CHECK(follow_chain(*leaf, {}, changed, token->at_ms) == ChainAnswer::unknown);
  // Signed by a certificate that is for servers: OpenSSL will not make such a token, so the field is changed.
  const auto other = std::make_unique<Authority>(keys, "b", "rsa:2048");
  auto server = *token;
  for (auto& c : server.certificates) c.is_time_stamper = false;
  CHECK(judge_token(server, *roots).kind == Kind::wrong);
  // The certificate must be the one that the signed attribute names.
  auto swapped = *token;
  swapped.certificate_hash[0] = static_cast<char>(swapped.certificate_hash[0] ^ 1);
  CHECK(judge_token(swapped, *roots).kind == Kind::wrong);
  const auto other_roots = parse_pem(slurp(other->root()));
  REQUIRE(other_roots);
  for (const auto& c : *other_roots) CHECK(follow_chain(*leaf, {}, {c}, token->at_ms) == ChainAnswer::unknown);
}

TEST_CASE("signatures: RSA and ECDSA as OpenSSL makes them, and nothing near them", "[verify]") {
  if (!has_openssl()) {
    WARN("skipped: openssl is not installed");
    return;
  }
  using ethos::verify::check_signature;
  using ethos::verify::SignatureAnswer;
  const TempDir dir;
  save(dir.file("m"), "a message");
  const struct {
    const char* key;
    const char* digest;
    const char* oid;
  } kinds[] = {{"RSA -pkeyopt rsa_keygen_bits:2048", "sha256", "1.2.840.113549.1.1.11"}, {"RSA -pkeyopt rsa_keygen_bits:2056", "sha384", "1.2.840.113549.1.1.12"},
               {"RSA -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_keygen_pubexp:3", "sha512", "1.2.840.113549.1.1.13"},
               {"EC -pkeyopt ec_paramgen_curve:P-256", "sha256", "1.2.840.10045.4.3.2"}, {"EC -pkeyopt ec_paramgen_curve:P-256", "sha512", "1.2.840.10045.4.3.4"},
               {"EC -pkeyopt ec_paramgen_curve:P-384", "sha384", "1.2.840.10045.4.3.3"}, {"EC -pkeyopt ec_paramgen_curve:P-384", "sha256", "1.2.840.10045.4.3.2"}};
  for (const auto& kind : kinds) {
    CAPTURE(kind.key, kind.digest);
    shell("openssl genpkey -algorithm " + std::string(kind.key) + " -out " + dir.file("k"));
    shell("openssl pkey -in " + dir.file("k") + " -pubout -outform DER -out " + dir.file("p"));
    const std::string key = slurp(dir.file("p"));
    for (int i = 0; i < 6; ++i) {
      shell("openssl dgst -" + std::string(kind.digest) + " -sign " + dir.file("k") + " -out " + dir.file("s") + " " + dir.file("m"));
      const std::string signature = slurp(dir.file("s"));
      CHECK(check_signature(key, kind.oid, std::nullopt, "a message", signature) == SignatureAnswer::right);
      CHECK(check_signature(key, kind.oid, std::nullopt, "a messagf", signature) == SignatureAnswer::wrong);
      std::string bad = signature;
      const std::size_t at = (static_cast<std::size_t>(i) * 37 + 11) % bad.size();
      bad[at] = static_cast<char>(bad[at] ^ 0x10);
      CHECK(check_signature(key, kind.oid, std::nullopt, "a message", bad) != SignatureAnswer::right);
      CHECK(check_signature(key, kind.oid, std::nullopt, "a message", signature + std::string(1, '\0')) != SignatureAnswer::right);
    }
    CHECK(check_signature(key, "1.2.840.113549.1.1.5", std::nullopt, "a message", "x") == SignatureAnswer::unsupported);
  }
  shell("openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out " + dir.file("k"));
  shell("openssl pkey -in " + dir.file("k") + " -pubout -outform DER -out " + dir.file("p"));
  shell("openssl dgst -sha256 -sign " + dir.file("k") + " -out " + dir.file("s") + " " + dir.file("m"));
  CHECK(check_signature(slurp(dir.file("p")), "1.2.840.113549.1.1.11", std::nullopt, "a message", slurp(dir.file("s"))) == SignatureAnswer::unsupported);
}

TEST_CASE("modular: arithmetic against plain numbers", "[verify]") {
  using ethos::verify::Modulus;
  for (const std::uint64_t n : {std::uint64_t{3}, std::uint64_t{65537}, std::uint64_t{4294967291}, std::uint64_t{4294967311}, std::uint64_t{1000000000039}}) {
    std::string bytes(8, '\0');
    const auto encode = [](std::uint64_t v) {
      std::string out(8, '\0');
      for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<char>(v >> (56 - 8 * i));
      return out;
    };
    const auto modulus = Modulus::from_bytes(encode(n));
    REQUIRE(modulus);
    std::uint64_t seed = 88172645463325252ULL;
    for (int i = 0; i < 300; ++i) {
      seed ^= seed << 13U;
      seed ^= seed >> 7U;
      seed ^= seed << 17U;
      const std::uint64_t a = i == 0 ? 0 : i == 1 ? n - 1 : seed % n;
      const std::uint64_t b = i == 2 ? n - 1 : (seed >> 20U) % n;
      __extension__ using Wide = unsigned __int128;
      const auto x = *modulus->read(encode(a));
      const auto y = *modulus->read(encode(b));
      CHECK(modulus->write(modulus->leave(modulus->mul(modulus->enter(x), modulus->enter(y))), 8) == encode(static_cast<std::uint64_t>(Wide{a} * b % n)));
      CHECK(modulus->write(modulus->add(x, y), 8) == encode(static_cast<std::uint64_t>((Wide{a} + b) % n)));
      CHECK(modulus->write(modulus->sub(x, y), 8) == encode(static_cast<std::uint64_t>((Wide{a} + n - b) % n)));
      CHECK(modulus->write(modulus->reduce(encode(seed)), 8) == encode(seed % n));
      if (a != 0) CHECK(modulus->leave(modulus->mul(modulus->inverse(modulus->enter(x)), modulus->enter(x))) == *modulus->read(encode(1)));
    }
    CHECK_FALSE(modulus->read(encode(n)).has_value());
  }
  CHECK_FALSE(Modulus::from_bytes(std::string(1, '\x04')).has_value());
  CHECK_FALSE(Modulus::from_bytes(std::string(1, '\x01')).has_value());
  CHECK_FALSE(Modulus::from_bytes("").has_value());
  CHECK_FALSE(Modulus::from_bytes(std::string(2000, '\x7f')).has_value());
}

TEST_CASE("der: only the one shortest form", "[verify]") {
  using namespace ethos::verify;
  const auto only = [](const std::string& bytes) { return der_only(bytes, kDerOctets).has_value(); };
  CHECK(only(std::string("\x04\x00", 2)));
  CHECK(only("\x04\x01x"));
  CHECK(only("\x04\x81\x80" + std::string(128, 'x')));
  CHECK_FALSE(only("\x04\x81\x01x"));
  CHECK_FALSE(only("\x04\x82" + std::string(1, '\0') + "\x80" + std::string(128, 'x')));
  CHECK_FALSE(only("\x04\x80x" + std::string(2, '\0')));
  CHECK_FALSE(only("\x04\x02x"));
  CHECK_FALSE(only("\x04\x01xy"));
  CHECK_FALSE(only("\x04"));
  CHECK_FALSE(only("\x1f\x04\x01x"));
  CHECK(der_oid_text(std::string("\x2a\x86\x48\x86\xf7\x0d", 6)) == "1.2.840.113549");
  CHECK(der_oid_text(std::string("\x88\x37", 2)) == "2.999");
  CHECK(der_oid_text("\x2a\x80\x01").empty());
  CHECK(der_oid_text("\x2a\x86").empty());
  const auto time = [](std::uint8_t tag, const std::string& text) { return der_time_ms({tag, text, text}); };
  CHECK(time(kDerTime, "20261001000000Z") == 1790812800000);
  CHECK(time(kDerTime, "20261001000000.0125Z") == 1790812800012);
  CHECK(time(kDerUtcTime, "261001000000Z") == 1790812800000);
  CHECK(time(kDerUtcTime, "991231235959Z") == 946684799000);
  for (const char* bad : {"20261001000000", "20261001000000.Z", "20261001000000.10Z", "20261301000000Z", "20261001240000Z", "2026100100000Z", "20261001000000+0100"}) {
    CAPTURE(bad);
    CHECK_FALSE(time(kDerTime, bad).has_value());
  }
}
