// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/sha256.h"

#include <sodium/crypto_hash_sha256.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "ledger/base/bytes.h"

namespace {

using ethos::base::ByteSpan;
using ethos::record::Digest;
using ethos::record::Sha256;

Digest by_sodium(ByteSpan bytes) {
  std::array<std::byte, Digest::kSize> out{};
  crypto_hash_sha256(ethos::base::as_uchar(std::span<std::byte>(out)), ethos::base::as_uchar(bytes),
                     bytes.size());
  return Digest(out);
}

Digest by(Sha256::Way way, ByteSpan bytes) {
  Sha256 hash(way);
  hash.update(bytes);
  return hash.finish();
}

std::vector<std::byte> some_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> out(size);
  for (std::byte& byte : out) byte = static_cast<std::byte>(random());
  return out;
}

}  // namespace

TEST_CASE("sha256: the examples of FIPS 180-4", "[record]") {
  const auto hex = [](std::string_view text) {
    const Digest fast = by(Sha256::Way::fastest, ethos::base::as_bytes(text));
    CHECK(by(Sha256::Way::portable, ethos::base::as_bytes(text)) == fast);
    return fast.hex();
  };
  CHECK(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: every length over four blocks agrees with libsodium, in both ways",
          "[record][property]") {
  if (!Sha256::is_fast()) WARN("the processor has no SHA instructions: both ways are one");
  const auto bytes = some_bytes(260, 1);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const ByteSpan part = ByteSpan(bytes).first(size);
    const Digest expected = by_sodium(part);
    CAPTURE(size);
    CHECK(by(Sha256::Way::fastest, part) == expected);
    CHECK(by(Sha256::Way::portable, part) == expected);
  }
}

TEST_CASE("sha256: pieces of any size give the digest of the whole", "[record][property]") {
  const auto bytes = some_bytes(5000, 2);
  const Digest expected = by_sodium(bytes);
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    for (const auto way : {Sha256::Way::fastest, Sha256::Way::portable}) {
      Sha256 hash(way);
      for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t most = round % 2 == 0 ? 70 : 700;
        const std::size_t take = std::min<std::size_t>(random() % (most + 1), bytes.size() - at);
        hash.update(ByteSpan(bytes).subspan(at, take));
        at += take;
      }
      REQUIRE(hash.finish() == expected);
    }
  }
}
