// SPDX-License-Identifier: Apache-2.0
// Signatures by a key that signed often are checked by other arithmetic: it must answer like the
// single check, always.
#include <sodium.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/verify/support/shared.h"
#include "verify/edwards25519.h"
#include "verify/encoding.h"
#include "verify/many_signatures.h"

using namespace ethos::verify;

namespace {

const unsigned char* raw(const std::string& s) {
  return reinterpret_cast<const unsigned char*>(s.data());
}
unsigned char* raw(std::string& s) { return reinterpret_cast<unsigned char*>(s.data()); }

struct Signer {
  Vkey key;
  std::string secret = std::string(crypto_sign_SECRETKEYBYTES, '\0');

  explicit Signer(const std::string& seed) {
    crypto_sign_seed_keypair(key.key.data(), raw(secret), raw(seed));
    key.text = encode_hex(std::string_view(reinterpret_cast<const char*>(key.key.data()), 32));
  }
  [[nodiscard]] std::string sign(const std::string& text) const {
    std::string out(crypto_sign_BYTES, '\0');
    crypto_sign_detached(raw(out), nullptr, raw(text), text.size(), raw(secret));
    return out;
  }
};

struct Case {
  const Vkey* key;
  std::string text;
  std::string signature;
};

// Asks all of them together, after the key was seen often enough, and each alone.
std::size_t compare(const std::vector<Case>& cases, std::size_t at_once,
                    SignatureChecker& checker) {
  std::size_t right = 0;
  for (std::size_t from = 0; from < cases.size(); from += at_once) {
    std::vector<SignatureChecker::Question> questions;
    for (std::size_t i = from; i < std::min(cases.size(), from + at_once); ++i) {
      questions.push_back({cases[i].key, cases[i].text, cases[i].signature});
    }
    checker.check(questions);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const Case& c = cases[from + i];
      const bool alone = verify_ed25519(*c.key, c.text, c.signature);
      CAPTURE(from + i, encode_hex(c.signature));
      CHECK(questions[i].is_right == alone);
      right += questions[i].is_right ? 1U : 0U;
    }
  }
  return right;
}

// A scalar plus the order of the group: the same equation, and not canonical.
std::string plus_order(std::string signature) {
  static const unsigned char order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                          0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
                                          0,    0,    0,    0,    0,    0,    0,    0,
                                          0,    0,    0,    0,    0,    0,    0,    0x10};
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const unsigned sum = raw(signature)[32 + i] + order[i] + carry;
    raw(signature)[32 + i] = static_cast<unsigned char>(sum);
    carry = sum >> 8U;
  }
  return signature;
}

}  // namespace

TEST_CASE("signatures: many by one key are answered like each alone", "[verify][property]") {
  REQUIRE(sodium_init() >= 0);
  std::mt19937_64 random(20'261'130);
  const Signer signer(std::string(32, 'a'));
  std::vector<Case> cases;
  for (int i = 0; i < 600; ++i) {
    std::string text(random() % 300, '\0');
    for (char& c : text) c = static_cast<char>(random());
    std::string signature = signer.sign(text);
    switch (i % 4) {
      case 1:
        signature[random() % 64] ^= static_cast<char>(1U << random() % 8);
        break;
      case 2:
        if (!text.empty()) text[random() % text.size()] ^= 1;
        break;
      case 3:
        if (i % 8 == 3) signature = plus_order(signature);
        break;
      default:
        break;
    }
    cases.push_back({&signer.key, text, signature});
  }
  SignatureChecker checker;
  for (const std::size_t at_once : {1U, 7U, 16U, 600U}) {
    const std::size_t right = compare(cases, at_once, checker);
    CHECK(right >= 225);
    CHECK(right < 400);
  }
}

TEST_CASE("signatures: every bit of one counts", "[verify]") {
  REQUIRE(sodium_init() >= 0);
  const Signer signer(std::string(32, 'b'));
  const std::string text = "example.com/log\n1\nroot\n";
  const std::string good = signer.sign(text);
  std::vector<Case> cases(64, Case{&signer.key, text, good});
  for (std::size_t bit = 0; bit < 512; ++bit) {
    Case c{&signer.key, text, good};
    raw(c.signature)[bit / 8] =
        static_cast<unsigned char>(raw(c.signature)[bit / 8] ^ 1U << bit % 8);
    cases.push_back(c);
  }
  for (const std::size_t length : {0U, 1U, 31U, 32U, 63U, 65U})
    cases.push_back({&signer.key, text, std::string(length, 'x')});
  SignatureChecker checker;
  CHECK(compare(cases, 50, checker) == 64);
}

TEST_CASE("signatures: scalars and points at the edges", "[verify]") {
  REQUIRE(sodium_init() >= 0);
  const Signer signer(std::string(32, 'c'));
  std::vector<Case> cases(30, Case{&signer.key, "x", signer.sign("x")});
  std::vector<std::string> points{std::string(1, '\1') + std::string(31, '\0'),
                                  std::string(32, '\0'), std::string(32, '\xff'),
                                  signer.sign("x").substr(0, 32)};
  std::string minus_one(32, '\xff');
  minus_one[0] = '\xec';
  minus_one[31] = '\x7f';
  points.push_back(minus_one);
  std::vector<std::string> scalars{std::string(32, '\0'),
                                   std::string(1, '\1') + std::string(31, '\0'),
                                   std::string(32, '\x7f'),
                                   std::string(32, '\x80'),
                                   std::string(32, '\xff'),
                                   std::string(31, '\xff') + "\x0f",
                                   std::string(31, '\x80') + "\x0f",
                                   std::string(31, '\x7f') + "\x0f",
                                   std::string(31, '\0') + "\x10"};
  for (const std::string& point : points) {
    for (const std::string& scalar : scalars) cases.push_back({&signer.key, "x", point + scalar});
  }
  // A signature that holds for the key's own secret being 0 modulo the order does not exist; of the
  // neutral R it does: s = k a. It is refused, as by the single check.
  std::string hash(64, '\0');
  crypto_hash_sha512(raw(hash), raw(signer.secret), 32);
  raw(hash)[0] &= 248U;
  raw(hash)[31] = static_cast<unsigned char>((raw(hash)[31] & 63U) | 64U);
  std::string secret(64, '\0');
  std::copy_n(hash.begin(), 32, secret.begin());
  std::string a(32, '\0');
  crypto_core_ed25519_scalar_reduce(raw(a), raw(secret));
  const std::string neutral = std::string(1, '\1') + std::string(31, '\0');
  std::string message =
      neutral + std::string(reinterpret_cast<const char*>(signer.key.key.data()), 32) + "x";
  std::string k64(64, '\0');
  crypto_hash_sha512(raw(k64), raw(message), message.size());
  std::string k(32, '\0');
  crypto_core_ed25519_scalar_reduce(raw(k), raw(k64));
  std::string s(32, '\0');
  crypto_core_ed25519_scalar_mul(raw(s), raw(k), raw(a));
  cases.push_back({&signer.key, "x", neutral + s});
  SignatureChecker checker;
  CHECK(compare(cases, 9, checker) == 30);
  CHECK_FALSE(verify_ed25519(signer.key, "x", neutral + s));
}

TEST_CASE("signatures: many keys at once, and by several threads", "[verify]") {
  REQUIRE(sodium_init() >= 0);
  std::vector<Signer> signers;
  for (char seed = '0'; seed <= '9'; ++seed) signers.emplace_back(std::string(32, seed));
  std::vector<Case> cases;
  for (int i = 0; i < 400; ++i) {
    const Signer& signer = signers[static_cast<std::size_t>(i * 7 % 10)];
    const std::string text = std::to_string(i);
    cases.push_back({&signer.key, text,
                     i % 9 == 4 ? signers[static_cast<std::size_t>((i + 1) * 7 % 10)].sign(text)
                                : signer.sign(text)});
  }
  SignatureChecker checker;
  const std::size_t right = compare(cases, 32, checker);
  CHECK(right == 356);
  std::vector<std::size_t> counts(3);
  std::vector<std::thread> threads;
  for (std::size_t& count : counts) {
    threads.emplace_back([&cases, &checker, &count] {
      std::vector<SignatureChecker::Question> questions;
      for (const Case& c : cases) questions.push_back({c.key, c.text, c.signature});
      checker.check(questions);
      for (const auto& q : questions) count += q.is_right ? 1U : 0U;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t count : counts) CHECK(count == right);
}

TEST_CASE("signatures: points and numbers behave as the curve's do", "[verify][property]") {
  REQUIRE(sodium_init() >= 0);
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    std::string a(32, '\0');
    std::string b(32, '\0');
    crypto_core_ed25519_random(raw(a));
    crypto_core_ed25519_random(raw(b));
    const auto p = EdwardsPoint::from_bytes(raw(a));
    const auto q = EdwardsPoint::from_bytes(raw(b));
    REQUIRE(p);
    REQUIRE(q);
    std::string sum(32, '\0');
    crypto_core_ed25519_add(raw(sum), raw(a), raw(b));
    const std::vector<EdwardsPoint> points{*p, *p + *q, EdwardsPoint{} + *q, *p + *p};
    const auto encoded = encode_all(points);
    CHECK(std::string(encoded[0].begin(), encoded[0].end()) == a);
    CHECK(std::string(encoded[1].begin(), encoded[1].end()) == sum);
    CHECK(std::string(encoded[2].begin(), encoded[2].end()) == b);
    crypto_core_ed25519_add(raw(sum), raw(a), raw(a));
    CHECK(std::string(encoded[3].begin(), encoded[3].end()) == sum);
  }
  std::string base(32, 0x66);
  base[0] = 0x58;
  const std::string zero(32, '\0');
  const PointMultiples multiples(*EdwardsPoint::from_bytes(raw(base)));
  for (int i = 0; i < 300; ++i) {
    std::string scalar(32, '\0');
    for (char& c : scalar)
      c = i % 3 == 0   ? static_cast<char>(random())
          : i % 3 == 1 ? '\x80'
                       : static_cast<char>(random() % 2 == 0 ? 0x7f : 0xff);
    raw(scalar)[31] = static_cast<unsigned char>(raw(scalar)[31] & 0x0fU);
    std::string expected(32, '\0');
    if (crypto_scalarmult_ed25519_base_noclamp(raw(expected), raw(scalar)) != 0) continue;
    std::string other(32, '\0');
    for (char& c : other) c = static_cast<char>(random());
    raw(other)[31] = static_cast<unsigned char>(raw(other)[31] & 0x0fU);
    const auto plus = multiples.summands(raw(scalar), false);
    const auto minus = multiples.summands(raw(scalar), true);
    const auto further = multiples.summands(raw(other), i % 2 == 0);
    const auto nothing = multiples.summands(raw(zero), i % 2 == 0);
    std::vector<EdwardsPoint> points;
    // By the portable arithmetic, and by the processor's own where it has it.
    for (const bool in_lanes : {false, has_point_lanes()}) {
      points.push_back(sum_of(plus, nothing, in_lanes));
      points.push_back(sum_of(nothing, plus, in_lanes));
      points.push_back(sum_of(plus, minus, in_lanes));
      points.push_back(sum_of(plus, further, in_lanes));
      points.push_back(sum_of(minus, further, in_lanes));
      points.push_back(sum_of(further, further, in_lanes));
    }
    const auto encoded = encode_all(points);
    const std::size_t kinds = encoded.size() / 2;
    CHECK(std::string(encoded[0].begin(), encoded[0].end()) == expected);
    CHECK(encoded[1] == encoded[0]);
    CHECK(encoded[2] == std::array<unsigned char, 32>{1});
    for (std::size_t k = 0; k < kinds; ++k) CHECK(encoded[kinds + k] == encoded[k]);
    // X Y = Z T, or it is no point.
    for (const EdwardsPoint& p : points) CHECK((p.x * p.y).bytes() == (p.z * p.t).bytes());
  }
  // Not on the curve, not below p, the odd zero.
  for (const char* hex : {"0200000000000000000000000000000000000000000000000000000000000000",
                          "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                          "0100000000000000000000000000000000000000000000000000000000000080"}) {
    CHECK_FALSE(EdwardsPoint::from_bytes(raw(*decode_hex(hex))));
  }
}

TEST_CASE("signatures: published vectors", "[verify]") {
  const auto dir = ethos::support::vectors("ed25519");
  if (!std::filesystem::exists(dir)) {
    WARN("skipped: shared data not present");
    return;
  }
  REQUIRE(sodium_init() >= 0);
  const auto json = ethos::support::load_json(dir / "subset.json");
  const auto key = decode_hex(json.at("public_key_hex").get<std::string>());
  REQUIRE(key);
  Vkey vkey;
  std::copy_n(raw(*key), 32, vkey.key.begin());
  std::vector<Case> cases;
  for (const char* kind : {"valid", "invalid"}) {
    for (const auto& test : json.at(kind)) {
      const auto text = decode_hex(test.at("msg_hex").get<std::string>());
      const auto signature = decode_hex(test.at("sig_hex").get<std::string>());
      if (text && signature) cases.push_back({&vkey, *text, *signature});
    }
  }
  const std::size_t seen = cases.size();
  const std::vector<Case> once = cases;
  for (int i = 0; i < 4; ++i) cases.insert(cases.end(), once.begin(), once.end());
  SignatureChecker checker;
  CHECK(compare(cases, 30, checker) == 5 * json.at("valid").size());
  CAPTURE(seen);
  CHECK(seen > 10);
}
