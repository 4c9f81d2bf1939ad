// SPDX-License-Identifier: Apache-2.0
#include "reports/uuid.h"

#include <openssl/evp.h>

#include <array>
#include <cassert>
#include <cstdint>
#include <span>

#include "ledger/base/hex.h"

namespace ethos::reports {
namespace {

// Chosen once, at random, for report ids.
constexpr std::array<std::uint8_t, 16> kNamespace = {
    0x5e, 0x1d, 0x0c, 0x6a, 0x93, 0x47, 0x4b, 0x21, 0xa8, 0xf4, 0x60, 0x3b, 0x7c, 0xd2, 0x19, 0x8e};

}  // namespace

std::string uuid_of(std::string_view name) {
  std::string bytes(reinterpret_cast<const char*>(kNamespace.data()), kNamespace.size());
  bytes += name;
  std::array<std::uint8_t, 20> hash{};
  const bool done =
      EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, EVP_sha1(), nullptr) == 1;
  assert(done);
  static_cast<void>(done);
  hash[6] = static_cast<std::uint8_t>((hash[6] & 0x0FU) | 0x50U);  // version 5
  hash[8] = static_cast<std::uint8_t>((hash[8] & 0x3FU) | 0x80U);  // variant 10
  std::string out = base::encode_hex(std::as_bytes(std::span(hash)).first(16));
  for (const std::size_t at : {20U, 16U, 12U, 8U}) out.insert(at, "-");
  return out;
}

}  // namespace ethos::reports
